"""Readers who know more than a release: known columns and earlier releases, counted from a table.

One more GROUP BY counts the public columns, the known ones and those of the earlier releases
together. Each combination of known columns is a reader of its own: who knows the region and the
sex of a person, who knows the region only, and who knows the sex only. All of them also read the
earlier releases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from loglift import tables
from loglift.errors import InputError, TableError, UnsafeError
from loglift.joint import IntArray, Joint
from loglift.mechanism.columns import EarlierRelease, PublicColumn
from loglift.mechanism.given import outcomes_of, readers_of
from loglift.mechanism.mechanism import Mechanism
from loglift.promise.bound import Bound
from loglift.promise.knowledge import Kinds, Knowledge, Released, knowing
from loglift.sparse import refinement

UNWEIGHTED = " (records counted, not weighted)"
MAX_KNOWN = 6  # columns: readers know any of their combinations, 63 in all


@dataclass(frozen=True, eq=False)
class Readers:
    """Readers who know more than a release of a table.

    `known` and `given` are what a mechanism records of them. `absent` has, for each earlier
    release, the number of records whose values it does not know.
    """

    knowledge: tuple[Knowledge, ...] = ()
    known: tuple[PublicColumn, ...] = ()
    given: tuple[EarlierRelease, ...] = ()
    absent: tuple[int, ...] = ()


def readers_of_table(
    opened: tables.Table,
    joint: Joint,
    *,
    known: Sequence[PublicColumn | str] = (),
    given: Sequence[Mechanism] = (),
    bins: Mapping[str, Any] | None = None,
    combine: Mapping[str, Sequence[Sequence[Any]]] | None = None,
    both: bool = False,
) -> Readers:
    """Count what readers know against the public and sensitive values of a joint.

    `joint` was counted from the table. `known` are columns, by name or as a mechanism records them;
    `given` are the mechanisms of earlier releases of the same records. With `both`, readers of
    a joint with survey weights may also count every record the same.
    """
    if not known and not given:
        apart = Kinds(joint.counts, np.arange(len(joint.public)))
        return Readers((knowing(f"readers{UNWEIGHTED}", apart),) if both else ())
    if len(known) > MAX_KNOWN:
        raise InputError(
            f"{len(known)} known columns (--known) are too many: at most {MAX_KNOWN}, because "
            "readers may know any of their combinations"
        )
    own = [tables.Use.of(column) for column in joint.columns]
    places, uses = {use: i for i, use in enumerate(own)}, list(own)
    cuts = tables.settled(opened, {n: cut for n, cut in (bins or {}).items() if n in known})
    typed = {use.name: use for use in own}

    def place_of(use: tables.Use) -> int:
        if use not in places:
            places[use] = len(uses)
            uses.append(use)
        return places[use]

    known_at = []
    for column in known:
        if isinstance(column, PublicColumn):
            use = tables.Use.of(column)
        else:
            use = typed.get(column, tables.Use(column, cuts.get(column)))
        known_at.append(place_of(use))
    given_at = [[place_of(tables.Use.of(column)) for column in m.columns] for m in given]
    sensitive = [tables.Use(c.name, c.bin) for c in joint.sensitive_columns]
    _refuse_sensitive(known, sensitive)
    weights = None if joint.survey is None else joint.survey.column
    wide = tables.count_as(opened, uses, sensitive, weights=weights)
    for name, groups in (combine or {}).items():
        wide = wide.combined(name, groups)
    wide = wide.apart() if len(joint.variables) > 1 else wide
    if wide.sensitive != joint.sensitive or wide.mass.sum() != joint.mass.sum():
        raise TableError("the table changed while it was counted: try again")
    row_of = {value: row for row, value in enumerate(joint.tuples)}
    rows = np.array([row_of[value[: len(own)]] for value in wide.tuples], dtype=np.int64)
    kinds = Kinds(wide.mass, rows, None if weights is None else wide.records)
    seen = [rows_of_earlier(m, wide, at) for m, at in zip(given, given_at, strict=True)]
    outcomes = [outcomes_of(m, at) for m, at in zip(given, seen, strict=True)]
    knowledge = list(_knowledge(kinds, wide, known_at, outcomes))
    if both:
        counted = Kinds(wide.counts, rows)
        knowledge.append(knowing(f"readers{UNWEIGHTED}", counted))
        knowledge += _knowledge(counted, wide, known_at, outcomes, words=UNWEIGHTED)
    records = np.asarray(wide.records)
    return Readers(
        tuple(knowledge),
        tuple(PublicColumn(uses[i].name, wide.columns[i].type, uses[i].bin) for i in known_at),
        tuple(EarlierRelease(m.sha256, m.column_names) for m in given),
        tuple(int(records[at < 0].sum()) for at in seen),
    )


def refuse_leaks(joint: Joint, bound: Bound, knowledge: Sequence[Knowledge]) -> None:
    """Raise `UnsafeError` where readers know too much before anything is released, exactly."""
    nothing, limits = Released.together(len(joint.public)), bound.on(joint)
    for each in knowledge:
        if not each.safe(nothing, limits).all():
            found = each.leakage(nothing)
            leak = f"{found:.4g} nats" if np.isfinite(found) else "infinitely many nats"
            raise UnsafeError(
                f"no safe release: what {each.name} know before it already leaks {leak}, which is "
                "outside the bound. What would help: a wider bound, or fewer earlier "
                "releases or known columns together"
            )


def _knowledge(
    kinds: Kinds,
    wide: Joint,
    known_at: Sequence[int],
    outcomes: Sequence[Released],
    words: str = "",
) -> Iterator[Knowledge]:
    """Yield the readers of the earlier releases, and those who know any of the known columns.

    `words` are added to what they are called.
    """
    earlier = readers_of(len(outcomes)) if outcomes else "readers"
    if outcomes:
        yield knowing(f"{earlier}{words}", kinds, outcomes=outcomes)
    distinct = list(dict.fromkeys(known_at))
    for size in range(1, len(distinct) + 1):
        for chosen in combinations(distinct, size):
            columns = [wide.columns[i] for i in chosen]
            codes = refinement([column.codes for column in columns])
            labels: list[Any] = [None] * (int(codes.max()) + 1)
            for row, code in enumerate(codes.tolist()):
                labels[code] = {c.name: c.values[int(c.codes[row])] for c in columns}
            names = " and ".join(
                c.name if c.bin is None else f"{c.name} {c.bin.words}" for c in columns
            )
            name = f"{earlier} who know {names}{words}"
            tells = f"what {names} {'tells' if size == 1 else 'tell'} alone"
            yield knowing(
                name, kinds, before=tells, known=(codes, tuple(labels)), outcomes=outcomes
            )


def rows_of_earlier(mechanism: Mechanism, wide: Joint, places: Sequence[int]) -> IntArray:
    """Return the row of an earlier mechanism of each kind of record; -1 where it has none."""
    columns = [wide.columns[i] for i in places]
    tables.refuse_types(tuple(columns), [column.type for column in mechanism.columns])
    row_of = {value: row for row, value in enumerate(mechanism.tuples)}
    cells = zip(*(column.codes.tolist() for column in columns), strict=True)
    found = [
        row_of.get(tuple(c.values[i] for c, i in zip(columns, row, strict=True)), -1)
        for row in cells
    ]
    if max(found) < 0:
        raise TableError(
            "an earlier mechanism knows none of the values of "
            f"{', '.join(mechanism.column_names)}: give the table with the values that were "
            "released then, written as they were"
        )
    return np.array(found, dtype=np.int64)


def _refuse_sensitive(known: Sequence[PublicColumn | str], sensitive: Sequence[tables.Use]) -> None:
    names = {use.name for use in sensitive}
    for column in known:
        name = column.name if isinstance(column, PublicColumn) else column
        if name in names:
            raise InputError(
                f"known (--known) names {name!r}, which is sensitive: who knows it has nothing "
                "left to learn"
            )
