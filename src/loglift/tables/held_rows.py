"""The rows of a file, read once: to audit the columns that pass through, and to release them.

Each row is a number: which of the counted combinations of public and sensitive values it has, and
which of those of the columns beside them. These numbers are counted in memory, which takes a
fraction of the time of a GROUP BY of so many combinations. A single column of numbers in bands is
banded in memory, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift._compute.threads import cores, spread, stop_if_unwanted
from loglift.cuts import NOT_A_NUMBER, Cut
from loglift.errors import TableError
from loglift.joint import IntArray, Joint
from loglift.tables.codes import Coded, distinct_rows
from loglift.tables.counting import cuts_beside
from loglift.tables.faults import explained
from loglift.tables.grouping import Groups, TooManyGroupsError, binned, group
from loglift.tables.in_memory import CHANGED, Numbered, Packed, Rows, packed, rows_of
from loglift.tables.opened import Table
from loglift.tables.shuffling import taken

MAX_PAIRS = 2**24  # combinations of what is counted and what is beside it: some 400 MB meanwhile
_PARTS = 2  # of what is numbered: what is counted, what is beside it
_ROWS_PER_CHUNK = 2**16  # rows that are banded, or counted, at a time
_MIN_COMPILED_ROWS = 2**21  # of a column in bands: fewer take a tenth of a second
_VALUES_IN_STEP = 2**10  # whose bands are searched together: they fit into a processor's cache
_MISSING, _NAN, _BANDS = 0, 1, 2  # numbers of what stands beside: NULL, NaN, the first band
_BANDED_TYPES = (
    "TINYINT", "UTINYINT", "SMALLINT", "USMALLINT", "INTEGER", "UINTEGER", "BIGINT", "FLOAT",
    "DOUBLE",
)  # fmt: skip


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


@dataclass(frozen=True, eq=False)
class _Beside:
    """What stands beside the counted columns: its distinct values, and the number of each row.

    `order` has the number of each distinct value; numbers are below `size`.
    """

    types: Sequence[str]
    columns: Sequence[Coded]
    numbers: NDArray[Any]
    order: IntArray
    size: int


def hold_rows(
    opened: Table, counts: Joint, beside: Sequence[str], released: Sequence[str]
) -> HeldRows | None:
    """Read the rows of a file with the columns `beside` that are audited and those `released`.

    `counts` are those of this table. Returns None for other tables, and where rows or combinations
    are too many to be held, or columns are not numbers; raises if the table changed meanwhile.
    """
    if not opened.is_file or opened.kind == "postgresql":
        return None
    every = (*counts.columns, *counts.sensitive_columns)
    cuts = {column.name: column.bin for column in every if column.bin is not None}
    public = counts.column_names
    used = (*public, *(column.name for column in counts.sensitive_columns))
    records = int(counts.records.sum())
    columns = _relation(opened, len(public), used, released, cuts)
    with explained(opened.where):
        kept = packed(columns, _released(len(public), released), _PARTS, records)
    if kept is None:
        return None
    stop_if_unwanted()
    cuts |= cuts_beside(opened, beside)
    types = [*(column.type for column in counts.columns), *(None for _ in used[len(public) :])]
    main = group(opened, used, bins=_of(cuts, used), expected=types)
    read = _read(opened, used, len(public), main, beside, released, cuts, kept)
    if read is None:
        return None
    stop_if_unwanted()
    rows, others = read
    pairs = _tallied(rows.arrays["b"], others.numbers, (main.records.size, others.size))
    pairs = pairs[:, others.order]
    if not np.array_equal(pairs.sum(axis=1), main.records):
        raise TableError(CHANGED)
    keyed = distinct_rows(main.columns[: len(public)])
    wide = keyed.places.astype(np.min_scalar_type(int(keyed.places.max())))
    rows.arrays["b"] = taken(wide, rows.arrays["b"])
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


def _read(
    opened: Table,
    counted: Sequence[str],
    public: int,
    main: Groups,
    beside: Sequence[str],
    released: Sequence[str],
    cuts: Mapping[str, Cut],
    kept: Sequence[Packed],
) -> tuple[Rows, _Beside] | None:
    """Read the rows with the columns to release, and what stands beside the counted columns.

    The first of these are the public ones, as many as `public`. None for too many combinations.
    """
    part = Numbered("b", _keys(range(len(counted))), main.small, main.records.size)
    records = int(main.records.sum())
    banded = _banded_column(opened, beside, released, cuts)
    if banded is not None:
        if part.size * (_BANDS + len(cuts[banded].names)) > MAX_PAIRS:
            return None
        with explained(opened.where):
            relation = _relation(opened, public, counted, released, cuts)
            rows = rows_of(relation, [part], kept, records)
        place = _released(public, released)[released.index(banded)]
        return rows, _in_bands(rows.arrays[place], cuts[banded])
    try:
        others = group(opened, beside, bins=_of(cuts, beside), expected=[None] * len(beside))
    except TooManyGroupsError:
        return None
    stop_if_unwanted()
    keys, size = _keys(range(len(counted), len(counted) + len(beside))), others.records.size
    if part.size * size > MAX_PAIRS:
        return None
    with explained(opened.where):
        second = Numbered("beside", keys, others.small, size)
        if len(beside) == 1:
            whole = Numbered.of_whole("beside", keys[0], others.small)
            if whole is not None and part.size * whole.size <= MAX_PAIRS:
                second = whole
        relation = _relation(opened, public, (*counted, *beside), released, cuts)
        rows = rows_of(relation, [part, second], kept, records)
    numbers = rows.arrays.pop("beside")
    order = np.arange(size) if second.order is None else second.order
    if not np.array_equal(np.bincount(numbers, minlength=second.size)[order], others.records):
        raise TableError(CHANGED)
    return rows, _Beside(others.types, others.columns, numbers, order, second.size)


def _keys(places: range) -> list[str]:
    """Return what columns that are counted are called."""
    return [f"u{place}" for place in places]


def _released(public: int, released: Sequence[str]) -> list[str]:
    """Return what `apply` calls columns to release: they go on after the public ones."""
    return [f"c{public + i}" for i in range(len(released))]


def _relation(
    opened: Table,
    public: int,
    counted: Sequence[str],
    released: Sequence[str],
    cuts: Mapping[str, Cut],
) -> Any:
    """Return a relation of the columns that are counted, cut, and of those to release."""
    names = [*_keys(range(len(counted))), *_released(public, released)]
    frame, _ = binned(opened, counted, released, bins=_of(cuts, counted))
    return frame.to_native().project(", ".join(f"c{i} AS {name}" for i, name in enumerate(names)))


def _banded_column(
    opened: Table, beside: Sequence[str], released: Sequence[str], cuts: Mapping[str, Cut]
) -> str | None:
    """Return the column that stands beside, if it is one of numbers in bands; else None."""
    [name] = beside if len(beside) == 1 else [""]
    if name not in released or name not in cuts:
        return None
    cut, [kind] = cuts[name], opened.pick((name,)).types
    is_plain = cut.points and not cut.is_of_dates and not cut.missing
    return name if is_plain and str(kind) in _BANDED_TYPES else None


def _in_bands(values: NDArray[Any], cut: Cut) -> _Beside:
    """Return the bands of a column of numbers, as `tables.bins` cuts them."""
    missing = np.ma.getmaskarray(values) if np.ma.is_masked(values) else None
    values = np.ma.getdata(values)
    whole = values.dtype.kind in "iu"
    kind = np.int64 if whole else np.float64
    edges = np.array([math.ceil(end) if whole else float(end) for end in cut.ends], dtype=kind)
    names = [None, NOT_A_NUMBER, *cut.names]
    numbers, held = np.empty(values.size, dtype=np.uint16), np.zeros(len(names), dtype=np.bool_)
    write = _writer(edges, values.size)

    def fill(start: int) -> None:
        part = slice(start, start + _ROWS_PER_CHUNK)
        write(values[part].astype(kind, copy=False), numbers[part])
        if not whole:
            numbers[part][np.isnan(values[part])] = _NAN
        if missing is not None:
            numbers[part][missing[part]] = _MISSING
        held[np.flatnonzero(np.bincount(numbers[part]))] = True

    spread(fill, range(0, values.size, _ROWS_PER_CHUNK))
    order = np.flatnonzero(held)
    bands = Coded([names[number] for number in order.tolist()], np.arange(order.size))
    return _Beside(["text"], [bands], numbers, order, len(names))


def _writer(edges: NDArray[Any], rows: int) -> Callable[[NDArray[Any], NDArray[Any]], None]:
    """Return a function that writes the bands of some values; for many rows it is compiled."""
    if rows < _MIN_COMPILED_ROWS:

        def search(values: NDArray[Any], numbers: NDArray[Any]) -> None:
            numbers[:] = np.searchsorted(edges, values, side="right") + _BANDS

        return search
    from loglift.tables._band_kernels import write_bands  # noqa: PLC0415, numba

    whole = edges.dtype.kind == "i"
    padded = np.full(
        2 ** edges.size.bit_length() - 1,
        np.iinfo(np.int64).max if whole else np.inf,
        dtype=edges.dtype,
    )
    padded[: edges.size] = edges

    def write(values: NDArray[Any], numbers: NDArray[Any]) -> None:
        places = np.empty(_VALUES_IN_STEP, dtype=np.int32)
        write_bands(values, padded, edges.size, places, _BANDS, numbers)

    return write


def _of(cuts: Mapping[str, Cut], names: Sequence[str]) -> dict[str, Cut]:
    """Return the cuts of some columns."""
    return {name: cuts[name] for name in names if name in cuts}


def _tallied(first: NDArray[Any], second: NDArray[Any], shape: tuple[int, int]) -> IntArray:
    """Return how often each pair of numbers occurs."""
    size = shape[0] * shape[1]
    step = max(_ROWS_PER_CHUNK, size)

    def tally(starts: range) -> IntArray:
        found = np.zeros(size, dtype=np.int64)
        for start in starts:
            pairs = first[start : start + step].astype(np.int64) * shape[1]
            found += np.bincount(pairs + second[start : start + step], minlength=size)
        return found

    every = range(0, first.size, step)
    parts = max(1, min(cores(), len(every), MAX_PAIRS // size))  # each has all pairs
    found, *more = spread(tally, [every[k::parts] for k in range(parts)])
    for other in more:
        found += other
    return found.reshape(shape)


def _crossed(main: Groups, others: _Beside, pairs: IntArray, public: int) -> Groups:
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
