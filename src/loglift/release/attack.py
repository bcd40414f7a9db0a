"""The attacks on a release: by counting, by a learner, and by readers who know more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from loglift import tables
from loglift.errors import InputError
from loglift.mechanism.channel import Channel
from loglift.mechanism.columns import PublicColumn
from loglift.mechanism.mechanism import Mechanism
from loglift.promise.bound import Bound
from loglift.promise.knowledge import Released
from loglift.promise.limits import Limits
from loglift.readers.attack import AttackReading, counting_reading, learning_reading
from loglift.readers.context import columns_known, context_reading
from loglift.readers.learner import (
    MAX_CLASSES,
    Seen,
    Sight,
    Target,
    commonest,
    split_of,
)
from loglift.readers.minimality import MinimalityReading, drawn_reading, merged_reading
from loglift.readers.views import (
    RecordColumn,
    Records,
    View,
    Views,
    plain_view,
    released_view,
)
from loglift.release.counted_records import UNKNOWN_TYPE, CountedRecords
from loglift.release.knowledge import Readers, readers_of_table
from loglift.sparse import block_sums, dense, drawn_sums, is_large, take_rows


@dataclass(frozen=True, eq=False)
class Knowing:
    """Readers who know more than the release, and what a learner sees of what they know."""

    readers: Readers
    promised: tuple[bool, ...]
    released: Released
    seen: Seen
    names: tuple[str, ...]


def knowing_of(
    opened: tables.Table,
    counted: CountedRecords,
    mechanism: Mechanism,
    known: Sequence[PublicColumn],
    earlier: Sequence[Mechanism],
    random: np.random.Generator,
) -> Knowing | None:
    """Count what readers know, who know columns or read earlier releases; None without any.

    A learner sees all of it: the known columns as they are, earlier releases as their readers do.
    """
    if not known and not earlier:
        return None
    joint = counted.joint.apart() if mechanism.each else counted.joint
    readers = readers_of_table(
        opened,
        joint,
        known=[c.name if c.type == UNKNOWN_TYPE else c for c in known],
        given=earlier,
        combine=mechanism.combined,
    )
    hashes = {each.sha256 for each in mechanism.given}
    kept_together = all(each.sha256 in hashes for each in earlier)
    promised_columns = set(mechanism.known_names)
    promised = tuple(
        kept_together and promised_columns >= set(columns_known(each)) for each in readers.knowledge
    )
    rows = mechanism.rows_of(joint.tuples)
    released = Released(rows)
    if mechanism.labels is None:
        exact = mechanism.exact_channel
        numerators = Channel.rounded(mechanism.channel) if exact is None else exact.cells()
        released = Released.of_channel(take_rows(numerators, rows))
    seen: list[tuple[Sequence[RecordColumn], View]] = []
    if counted.known:
        seen.append((counted.known, plain_view([column.codes for column in counted.known])))
    for each, records in zip(earlier, counted.earlier, strict=True):
        seen += _seen_of_earlier(records, each, random)
    names = (
        *(column.name for column in known),
        *(f"earlier release {place}" for place in range(1, len(earlier) + 1)),
    )
    return Knowing(readers, promised, released, seen, names)


def _seen_of_earlier(
    records: Records, mechanism: Mechanism, random: np.random.Generator
) -> Iterator[tuple[Sequence[RecordColumn], View]]:
    """Yield what readers see of an earlier release, and which records are not in it."""
    absent = records.x < 0
    inside = replace(records, x=np.where(absent, 0, records.x))
    yield records.public, released_view(inside, mechanism, random)
    if absent.any():
        column = RecordColumn("absent", (False, True), absent.astype(np.int64))
        yield (column,), plain_view([column.codes])


def attacks_on(
    counted: CountedRecords,
    mechanism: Mechanism,
    knowing: Knowing | None,
    views: Views,
    *,
    beside: int,
    published: bool,
    seed: int,
) -> tuple[AttackReading, ...]:
    """Attack each sensitive variable."""
    records, whole = counted.records, counted.others
    joint = whole.apart() if mechanism.each else whole
    passed = records.others[:beside]
    names = [column.name for column in records.public]
    found = []
    for place, variable in enumerate(joint.by_variable()):
        codes = counted.s
        if mechanism.each:
            codes = whole.sensitive_columns[place].codes[counted.s].astype(np.int64)
        columns = tuple(column.name for column in variable.sensitive_columns)
        target = Target(", ".join(columns), "classes", commonest(codes, MAX_CLASSES))
        split = split_of(target, np.random.default_rng([seed, place, 1]))
        seen = [
            [(records.public, view)] for view in (views.original, views.released, views.shuffled)
        ]
        protected = [Sight(each, each) for each in seen]
        mass = dense(variable.mass).astype(np.float64)
        learn = partial(learning_reading, target, split, seed=seed)
        learned_beside = None
        if passed:
            plain = [(passed, plain_view([column.codes for column in passed]))]
            more = [*names, *(column.name for column in passed)]
            learned_beside = learn([sight.beside(plain) for sight in protected], columns=more)
        limits = mechanism.bound.on(variable)
        values = [variable.event(s) for s in range(len(variable.sensitive))]
        reading = AttackReading(
            sensitive=columns,
            counting=counting_reading(mass, _shown_mass(mass, mechanism), limits, values),
            learning=learn(protected, columns=names),
            learning_beside=learned_beside,
            minimality=_minimality(mass, mechanism, limits, published=published),
        )
        if knowing is not None:
            every = [sight.beside(knowing.seen) for sight in protected]
            more = list(dict.fromkeys([*names, *knowing.names]))
            kinds = zip(knowing.readers.knowledge, knowing.promised, strict=True)
            reading = replace(
                reading,
                learning_knowing=learn(every, columns=more),
                readers=tuple(
                    context_reading(
                        each,
                        joint.variables[place],
                        knowing.released,
                        limits,
                        size=len(counted.joint.public),
                        promised=promised,
                    )
                    for each, promised in kinds
                ),
            )
        found.append(reading)
    return tuple(found)


def _shown_mass(mass: Any, mechanism: Mechanism) -> Any:
    """Return n(s,y), expected for a channel."""
    if mechanism.labels is None:
        return drawn_sums(mechanism.probabilities, mass)
    return block_sums(mass, mechanism.labels, mechanism.size)


def _minimality(
    mass: Any, mechanism: Mechanism, limits: Bound | Limits, *, published: bool
) -> MinimalityReading:
    if mechanism.labels is not None:
        return merged_reading(mass, mechanism.labels, limits, published=published)
    if mechanism.exact_channel is None:
        raise InputError("only a channel that was made from the counts of a table is evaluated")
    cells = mechanism.exact_channel.posterior_cells()
    posterior = cells if is_large(*cells.shape) else cells[:]
    return drawn_reading(mass, posterior, limits, published=published)
