"""The rows of a file, read once: to audit the columns that pass through, and to release them.

Each row is a number: which of the counted combinations of public and sensitive values it has, and
which of those of the columns beside them. These numbers are counted in memory, which takes a
fraction of the time of a GROUP BY of so many combinations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.cuts import Cut
from loglift.errors import TableError
from loglift.joint import IntArray
from loglift.mechanism.mechanism import Mechanism
from loglift.tables.codes import distinct_rows
from loglift.tables.counting import cuts_beside
from loglift.tables.faults import explained
from loglift.tables.grouping import Groups, TooManyGroupsError, binned, group
from loglift.tables.in_memory import CHANGED, Numbered, Rows, rows_of
from loglift.tables.opened import Table

MAX_PAIRS = 2**24  # combinations of what is counted and what is beside it: 128 MB
_ROWS_PER_CHUNK = 2**20  # rows that are counted at a time


@dataclass(frozen=True, eq=False)
class HeldRows:
    """The rows of a file, and the counts of what they have.

    Attributes
    ----------
    counted
        The distinct rows of the public columns, those beside them and the sensitive ones.
    cuts
        How columns were cut to be counted.
    public
        The distinct rows of the public columns, without a frame.
    rows
        The rows to release, once; `b` numbers the distinct rows of the public columns.

    """

    counted: Groups
    cuts: Mapping[str, Cut]
    public: Groups
    rows: Rows


def hold_rows(
    opened: Table, mechanism: Mechanism, beside: Sequence[str], released: Sequence[str]
) -> HeldRows | None:
    """Read the rows of a file with the columns `beside` that are audited and those `released`.

    Returns None for other tables, for releases whose rows are not exchanged or replaced one by one,
    and where rows or combinations are too many to be held. O(rows).
    """
    drawn = mechanism.exact_channel is not None
    if drawn or mechanism.beside or not opened.is_file or opened.kind == "postgresql":
        return None
    cuts = cuts_beside(opened, mechanism, beside, None)
    public, secret = mechanism.column_names, mechanism.sensitive_names
    types = [*(column.type for column in mechanism.columns), *(None for _ in secret)]
    main = group(opened, (*public, *secret), bins=_of(cuts, (*public, *secret)), expected=types)
    try:
        others = group(opened, beside, bins=_of(cuts, beside), expected=[None] * len(beside))
    except TooManyGroupsError:
        return None
    if main.records.size * others.records.size > MAX_PAIRS:
        return None
    used = (*public, *secret, *beside)
    with explained(opened.where):
        frame = binned(opened, used, released, bins=_of(cuts, used))[0].to_native()
        names = [f"u{i}" for i in range(len(used))]
        # Released columns are called what `apply` calls them, after the public ones.
        names += [f"c{len(public) + i}" for i in range(len(released))]
        relation = frame.project(", ".join(f"c{i} AS {name}" for i, name in enumerate(names)))
        first = len(public) + len(secret)
        second = Numbered(names[first : len(used)], others.small, others.records.size)
        if len(beside) == 1:
            second = Numbered.of_whole(names[first], others.small) or second
        parts = (Numbered(names[:first], main.small, main.records.size), second)
        rows = rows_of(relation, parts, int(main.records.sum()))
    if rows is None:
        return None
    shape = main.records.size, second.size
    pairs = _tallied(rows.arrays["b"], shape[0] * shape[1]).reshape(shape)
    if second.order is not None:
        pairs = pairs[:, second.order]
    if not (
        np.array_equal(pairs.sum(axis=1), main.records)
        and np.array_equal(pairs.sum(axis=0), others.records)
    ):
        raise TableError(CHANGED)
    keyed = distinct_rows(main.columns[: len(public)])
    wide = keyed.places.astype(np.min_scalar_type(int(keyed.places.max())))
    rows.arrays["b"] = np.repeat(wide, second.size)[rows.arrays["b"]]
    types_of_keys = {f"c{i}": rows.types[f"u{i}"] for i in range(len(public))}
    return HeldRows(
        counted=_crossed(main, others, pairs, len(public)),
        cuts=cuts,
        public=Groups(
            main.types[: len(public)],
            keyed.columns,
            np.bincount(keyed.places, main.records).astype(np.int64),
            small=None,
        ),
        rows=replace(rows, types=types_of_keys),
    )


def _of(cuts: Mapping[str, Cut], names: Sequence[str]) -> dict[str, Cut]:
    """Return the cuts of some columns."""
    return {name: cuts[name] for name in names if name in cuts}


def _tallied(numbers: NDArray[Any], size: int) -> IntArray:
    """Return how often each number below `size` occurs."""
    found = np.zeros(size, dtype=np.int64)
    step = max(_ROWS_PER_CHUNK, size)
    for start in range(0, numbers.size, step):
        found += np.bincount(numbers[start : start + step].astype(np.int64), minlength=size)
    return found


def _crossed(main: Groups, others: Groups, pairs: IntArray, public: int) -> Groups:
    """Return the pairs that occur as groups: public columns, those beside, sensitive ones."""
    of_main, of_others = np.nonzero(pairs)
    keyed = [column.take(of_main) for column in main.columns]
    beside = [column.take(of_others) for column in others.columns]
    return Groups(
        types=(*main.types[:public], *others.types, *main.types[public:]),
        columns=(*keyed[:public], *beside, *keyed[public:]),
        records=pairs[of_main, of_others],
        small=None,
    )
