"""Counting: one GROUP BY in the engine; everything after it works on distinct values only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.errors import TableError
from loglift.joint import Column, IntArray, Joint, Variable
from loglift.sparse import held
from loglift.tables.bins import Bin, as_widths, cut
from loglift.tables.canonical import decode, looks_fractional, sort_key
from loglift.tables.codes import Coded, Values, distinct_rows
from loglift.tables.columns import Names, as_names, refuse_constant
from loglift.tables.engines import Tally, UnclearValueError
from loglift.tables.faults import explained
from loglift.tables.opened import Table, open_table

# A float column with more distinct values than both is a measurement, which must be binned.
MAX_FLOAT_VALUES = 1000
MAX_FLOAT_SHARE = 0.05  # distinct values per record
MAX_GROUPS = 5_000_000  # distinct rows of the counted columns


@dataclass(frozen=True)
class Groups:
    """The distinct rows of some columns, their values sorted, and the number of records of each.

    `small` is the engine's own frame of these rows.
    """

    types: tuple[str, ...]
    columns: tuple[Coded, ...]
    records: NDArray[np.int64]
    small: Any


def count(
    table: Any,
    public: Names,
    sensitive: Names,
    *,
    bins: Mapping[str, Any] | None = None,
    types: Sequence[str | None] | None = None,
    also: Sequence[Use] = (),
) -> Joint:
    """Count public against sensitive values: one GROUP BY in the table's own engine.

    `bins` maps numeric columns to the widths of the intervals they are cut into first. `types`
    are the type names that the texts of a file's public columns are read as; None takes the type
    that the texts look like. With `types`, float columns may have any number of values. `also`
    are more columns that follow the public ones, which may be among the others.

    Raises `TableError` if a sensitive column has the same value in every record.
    """
    opened = open_table(table)
    xs, ss = as_names(public, "public"), as_names(sensitive, "sensitive")
    both = next((name for name in xs if name in ss), None)
    if both is not None:
        raise TableError(f"column {both!r} is named as public and as sensitive: it can only be one")
    used, given = (*xs, *(use.name for use in also), *ss), bins or {}
    widths = [
        *(given.get(name) for name in xs),
        *(use.bin for use in also),
        *(given.get(name) for name in ss),
    ]
    expected = None if types is None else [*types, *(use.type for use in also), *(None for _ in ss)]
    placed: Mapping[Any, Any] | None = bins
    if also:  # a column may be used twice, with other bins
        placed = {place: width for place, width in enumerate(widths) if width is not None}
    groups = group(opened, used, bins=placed, expected=expected)
    x, s = sides_of(groups, used, len(xs) + len(also), widths)
    refuse_constant(s.columns)
    first, more = x.columns[: len(xs)], x.columns[len(xs) :]
    x = replace(x, columns=(*_ranked(opened, first), *more))
    return joint_of(x, s, x.places, s.places, groups.records)


@dataclass(frozen=True)
class Use:
    """A column that is counted: its name, the width of its bins, the type its texts are read as."""

    name: str
    bin: float | None = None
    type: str | None = None


def count_as(table: Any, uses: Sequence[Use], sensitive: Sequence[Use]) -> Joint:
    """Count columns that may be used several times, each time with other bins.

    A sensitive column may be among the others, too. Float columns may have any number of values.
    """
    every = [*uses, *sensitive]
    names, widths = tuple(use.name for use in every), [use.bin for use in every]
    bins = {place: width for place, width in enumerate(widths) if width is not None}
    groups = group(open_table(table), names, bins=bins, expected=[use.type for use in every])
    x, s = sides_of(groups, names, len(uses), widths)
    return joint_of(x, s, x.places, s.places, groups.records)


def _ranked(opened: Table, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Give columns of ordered categories the place of each value in the order of its categories.

    Files have no such columns; a column that is cut into bins has the order of the bins.
    """
    texts = [column for column in columns if column.type == "text" and column.bin is None]
    if opened.is_file or not texts:
        return columns
    positions = [opened.position(column.name) for column in texts]
    with explained(opened.where):
        if opened.engine.orders is None:
            found = _enums(opened.engine.pick(opened.frame, positions))
        else:
            found = opened.engine.orders(opened.frame, positions)
    orders = {
        column.name: {category: place for place, category in enumerate(categories)}
        for column, categories in zip(texts, found, strict=True)
        if categories
    }
    return tuple(
        replace(column, ranks=tuple(orders[column.name].get(value, -1) for value in column.values))
        if column.name in orders
        else column
        for column in columns
    )


def _enums(picked: Any) -> list[Sequence[Any]]:
    """Return the ordered categories of each column that narwhals takes for an Enum, else none."""
    import narwhals as nw  # noqa: PLC0415 - only when a table is used

    kinds = nw.from_native(picked).collect_schema().values()
    return [kind.categories if isinstance(kind, nw.Enum) else () for kind in kinds]


@dataclass(frozen=True, eq=False)
class Side:
    """The public or the sensitive columns: their distinct joint values, and that of each group.

    Values are tuples with one entry per column, sorted column by column: NULL first, then NaN,
    then by value. The order is the same from every engine.
    """

    columns: tuple[Column, ...]
    values: tuple[Values, ...]
    places: IntArray

    @property
    def labels(self) -> tuple[Any, ...]:
        """Bare values for a single column, tuples for several."""
        return tuple(v[0] for v in self.values) if len(self.columns) == 1 else self.values


def side_of(
    names: Sequence[str],
    types: Sequence[str],
    columns: Sequence[Coded],
    widths: Sequence[float | None],
) -> Side:
    """Number the distinct joint values of some columns of the groups."""
    found = distinct_rows(columns)
    named = zip(names, types, widths, columns, found.codes, strict=True)
    return Side(
        tuple(
            Column(name, kind, width, tuple(column.values), codes)
            for name, kind, width, column, codes in named
        ),
        found.values,
        found.places,
    )


def sides_of(
    groups: Groups, names: Sequence[str], public: int, widths: Sequence[float | None]
) -> tuple[Side, Side]:
    """Number the distinct joint values of the first `public` columns, and those of the others."""
    x, s = (
        side_of(names[place], groups.types[place], groups.columns[place], widths[place])
        for place in (slice(0, public), slice(public, None))
    )
    return x, s


def joint_of(
    public: Side, sensitive: Side, rows: IntArray, columns: IntArray, records: IntArray
) -> Joint:
    """Return the joint in which public value rows[k] occurs records[k] times with columns[k]."""
    shape = len(public.values), len(sensitive.values)
    name = tuple(column.name for column in sensitive.columns)
    return Joint.trusted(
        held(rows, columns, records, shape),
        public.labels,
        sensitive.labels,
        (Variable(name[0] if len(name) == 1 else name, 0, shape[1]),),
        public.columns,
        sensitive.columns,
    )


def count_values(table: Any, column: str, type_name: str) -> dict[Any, int]:
    """Count the records of each value of one column; texts are read as the given type."""
    groups = group(open_table(table), (column,), expected=(type_name,))
    return dict(zip(groups.columns[0].rows(), groups.records.tolist(), strict=True))


def group(
    opened: Table,
    used: Sequence[str],
    *,
    bins: Mapping[Any, Any] | None = None,
    expected: Sequence[str | None] | None = None,
) -> Groups:
    """Group the table by the used columns, and give the groups canonical, sorted values.

    `expected` are the types that texts are read as. Without it, float columns with very many
    values are refused.
    """
    try:
        with explained(opened.where):
            found, cuts = _tallied(opened, used, bins)
    except UnclearValueError as error:
        raise TableError(
            f"column {used[error.place]!r} holds {error.what}: replace them first, by NULL or by "
            "plain values"
        ) from None
    if not found.records.size:
        raise TableError(f"{opened.where} has no rows: give a table with records")
    if found.records.size > MAX_GROUPS:
        raise TableError(_too_many_groups(opened.where, used, found.columns))
    decoded = [
        _column(opened, name, column, cuts.get(i), None if expected is None else expected[i])
        for i, (name, column) in enumerate(zip(used, found.columns, strict=True))
    ]
    groups = Groups(
        types=tuple(name for name, _ in decoded),
        columns=tuple(column for _, column in decoded),
        records=found.records,
        small=found.frame,
    )
    if expected is None:
        refuse_measurements(groups, used, cuts)
    return groups


def binned(
    opened: Table,
    used: Sequence[str],
    passthrough: Sequence[str] = (),
    *,
    bins: Mapping[Any, Any] | None = None,
) -> tuple[Any, dict[int, Bin]]:
    """Return a narwhals frame of the used and the passthrough columns, and the bins.

    Used columns are binned where `bins` says so; the bins are keyed by position.
    """
    import narwhals as nw  # noqa: PLC0415 - only when a table is used

    widths = as_widths(bins, used)
    with explained(opened.where):
        frame = nw.from_native(opened.pick(used, passthrough, binned=widths))
        return cut(_as_counted(frame, len(used)), used, widths)


def _as_counted(frame: Any, first: int) -> Any:
    """Return the frame with one zero and one NaN in the columns from position `first` on.

    0.0 and -0.0, and all bit patterns of NaN, are counted as one value: so they are released as
    one.
    """
    import narwhals as nw  # noqa: PLC0415

    kinds = list(frame.collect_schema().items())[first:]
    floats = {name: kind for name, kind in kinds if kind in (nw.Float32, nw.Float64)}
    expressions = []
    for name, kind in floats.items():
        value = nw.col(name)
        number = nw.when(value == 0).then(nw.lit(0.0)).otherwise(value)
        one = nw.when(value.is_nan()).then(nw.lit(math.nan)).otherwise(number)
        expressions.append(one.cast(kind).alias(name))
    return frame.with_columns(*expressions) if expressions else frame


def _tallied(
    opened: Table, used: Sequence[str], bins: Mapping[Any, Any] | None
) -> tuple[Tally, dict[int, Bin]]:
    """Count the distinct rows of the used columns; return the bins, keyed by position, too."""
    import narwhals as nw  # noqa: PLC0415

    tally = opened.engine.tally
    if tally is not None and not bins:
        return tally(opened.frame, [opened.position(name) for name in used], used), {}
    frame, cuts = binned(opened, used, bins=bins)
    if tally is not None:
        return tally(frame.to_native(), range(len(used)), used), cuts
    names = [f"c{i}" for i in range(len(used))]
    grouped = frame.group_by(names).agg(nw.len().alias("n"))
    if isinstance(grouped, nw.LazyFrame) and opened.kind != "dask":  # Dask's head sees one part
        grouped = grouped.head(MAX_GROUPS + 1)
    small = opened.engine.gather(grouped.to_native())
    *columns, records = small.columns or [Coded([], np.arange(0))]
    return Tally(small.frame, columns, np.array(records.rows(), dtype=np.int64)), cuts


def _column(
    opened: Table, name: str, raw: Coded, cut_by: Bin | None, expected: str | None
) -> tuple[str, Coded]:
    """Return the type of a column and its values in canonical form, sorted."""
    if cut_by is None:
        kind, values = decode(raw.values, opened.reading, name, expected)
        return kind, raw.renamed(values, sort_key)
    _, values = decode(raw.values, "native", name)
    return "text", in_bins(raw.renamed(values, sort_key), cut_by, name)


def in_bins(numbers: Coded, cut_by: Bin, name: str) -> Coded:
    """Name the intervals of a column of sorted bin numbers, in their order."""
    return numbers.renamed(cut_by.label(number, name) for number in numbers.values)


def refuse_measurements(groups: Groups, used: Sequence[str], cuts: Mapping[int, Bin]) -> None:
    """Raise if a float column without bins has so many values that it is a measurement."""
    total = int(groups.records.sum())
    for i, column in enumerate(used):
        distinct = groups.columns[i].values
        many = len(distinct) > max(MAX_FLOAT_VALUES, MAX_FLOAT_SHARE * total)
        if i not in cuts and many and (groups.types[i] == "float" or looks_fractional(distinct)):
            raise TableError(
                f"column {column!r} holds {len(distinct)} different numbers in {total} records: "
                f"cut it into intervals with --bin {column}=WIDTH or bins={{{column!r}: WIDTH}}"
            )


def _too_many_groups(where: str, used: Sequence[str], columns: Sequence[Coded]) -> str:
    sizes = {name: len(column.values) for name, column in zip(used, columns, strict=True)}
    worst = max(sizes, key=lambda column: sizes[column])
    return (
        f"{where} has more than {MAX_GROUPS} different combinations of {', '.join(used)}: leave "
        f"out {worst!r}, or cut it with --bin {worst}=WIDTH or bins={{{worst!r}: WIDTH}}"
    )
