"""Releases that follow an earlier mechanism: a coarser edition, and the update of the next month.

Both merge whole blocks of the earlier mechanism. A coarser edition is a function of the finer one,
so the two together tell no more than the finer one. An update may meet values that the earlier
mechanism does not know: each of them is a block of its own, and is merged where that loses least.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from loglift.cuts import Cut
from loglift.errors import MechanismError
from loglift.joint import Column, IntArray, Joint, frozen
from loglift.measures.partition import canonical
from loglift.mechanism.mechanism import MAX_LISTED, Mechanism
from loglift.tables.canonical import sort_key


def atoms_of(joint: Joint, earlier: Mechanism, *, new_values: bool) -> IntArray:
    """Return the block of an earlier mechanism of each public value, canonical.

    With `new_values`, each value that it does not know is a block of its own; else such values are
    refused.
    """
    option = "update (--update)" if new_values else "coarser_than (--coarser-than)"
    if earlier.labels is None:
        raise MechanismError(
            f"{option} takes a mechanism that merges values, and this one is randomized"
        )
    wanted = [(column.name, _same_bands(column.bin)) for column in earlier.columns]
    if [(column.name, _same_bands(column.bin)) for column in joint.columns] != wanted:
        names = ", ".join(name if cut is None else f"{name} {cut.words}" for name, cut in wanted)
        raise MechanismError(
            f"{option}: the earlier mechanism has the public columns {names}: name the same ones, "
            "in the same order, with the same bins"
        )
    found = [earlier.lookup.get(value, -1) for value in joint.tuples]
    missing = [value for value, block in zip(joint.tuples, found, strict=True) if block < 0]
    if missing and not new_values:
        shown = sorted(repr(v[0] if len(v) == 1 else v) for v in missing)
        more = ", ..." if len(shown) > MAX_LISTED else ""
        raise MechanismError(
            f"{option}: the earlier mechanism does not know {len(missing)} of the public values: "
            f"{', '.join(shown[:MAX_LISTED])}{more}"
        )
    labels = np.array(found, dtype=np.int64)
    alone = labels < 0
    labels[alone] = earlier.size + np.arange(int(alone.sum()))
    return canonical(labels)


def with_absent(mechanism: Mechanism, joint: Joint, earlier: Mechanism) -> Mechanism:
    """Return an updated mechanism that also knows values of the earlier one that are absent now.

    They stay with the values they were merged with, so that blocks keep their names and values that
    come back are known. A block of which no value is left is dropped.
    """
    block_now: dict[int, int] = {}
    for value, block in zip(joint.tuples, mechanism.partition.tolist(), strict=True):
        if value in earlier.lookup:
            block_now[earlier.lookup[value]] = block
    here = set(joint.tuples)
    absent = [
        (value, block_now[block])
        for value, block in earlier.lookup.items()
        if value not in here and block in block_now
    ]
    # A taxonomy names nodes of values that are there, and intact columns know the group of values
    # that are there: with either, absent values are left out.
    if not absent or mechanism.groups is not None or any(c.nodes for c in joint.columns):
        return mechanism
    tuples = [*joint.tuples, *(value for value, _ in absent)]
    labels = np.append(mechanism.partition, [block for _, block in absent])
    columns = tuple(
        _extended(column, [value[i] for value in tuples]) for i, column in enumerate(joint.columns)
    )
    public: Any = tuple(tuples) if len(columns) > 1 else tuple(value[0] for value in tuples)
    return replace(
        mechanism,
        public=public,
        labels=frozen(labels),
        _counted=columns,
        _released=None,
    )


def _same_bands(cut: Cut | None) -> Cut | None:
    """Return a cut without how it was asked for: the same bands are the same cut."""
    return None if cut is None else replace(cut, shares=None, automatic=False)


def _key_of(column: Column) -> Callable[[Any], Any]:
    """Return what sorts the values of a column: bands by their place, NULL and NaN first."""
    cut = column.bin
    if cut is None or not cut.bands:
        return sort_key
    return lambda value: (0, sort_key(value)) if cut.place(value) is None else (1, cut.place(value))


def _extended(column: Column, cells: list[Any]) -> Column:
    """Return a column with the cells of more rows, its values in order again."""
    values = sorted(set(cells), key=_key_of(column))
    place = {value: code for code, value in enumerate(values)}
    rank_of = dict(zip(column.values, column.ranks, strict=True)) if column.ranks else {}
    return replace(
        column,
        values=tuple(values),
        codes=np.array([place[cell] for cell in cells], dtype=np.int64),
        ranks=tuple(rank_of.get(value, -1) for value in values) if column.ranks else (),
    )
