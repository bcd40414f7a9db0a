"""Counting: one GROUP BY in the engine; everything after it works on distinct values only."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.cuts import Cut
from loglift.errors import TableError
from loglift.joint import Column, IntArray, Joint, Survey, Variable
from loglift.mechanism.columns import PublicColumn
from loglift.sparse import held
from loglift.tables.bins import Bands, as_cuts, cut
from loglift.tables.canonical import decode, sort_key
from loglift.tables.codes import Coded, Values, distinct_rows
from loglift.tables.columns import Names, as_names, refuse_constant
from loglift.tables.engines import Tally, UnclearValueError
from loglift.tables.faults import explained
from loglift.tables.labels import Labels
from loglift.tables.measurements import edges_of, own_cuts
from loglift.tables.missing import refuse_other_codes, without_codes
from loglift.tables.opened import Table, open_table
from loglift.tables.weighing import Weights, compact, weights_of

MAX_GROUPS = 5_000_000  # distinct rows of the counted columns


@dataclass(frozen=True)
class Groups:
    """The distinct rows of some columns, their values sorted, and the number of records of each.

    `small` is the engine's own frame of these rows. `weights` are the survey weights of each, where
    they were asked for; rows that differ in their weights are then distinct rows.
    """

    types: tuple[str, ...]
    columns: tuple[Coded, ...]
    records: NDArray[np.int64]
    small: Any
    weights: Weights | None = None


class TooManyGroupsError(TableError):
    """The counted columns have too many different combinations."""


def count(
    table: Any,
    public: Names,
    sensitive: Names,
    *,
    bins: Mapping[str, Any] | None = None,
    types: Sequence[str | None] | None = None,
    also: Sequence[Use] = (),
    as_is: Collection[str] = (),
    weights: str | None = None,
) -> Joint:
    """Count public against sensitive values: one GROUP BY in the table's own engine.

    `bins` maps columns to how they are cut first, as `Cut.of` takes it. `types` are the type names
    that the texts of a file's public columns are read as; None takes the type that the texts look
    like. Without `types`, columns of very many numbers, dates or times are cut into quantile bands
    by themselves, but for those in `as_is`, and columns that look like identifiers are refused.
    `also` are more columns that follow the public ones, which may be among the others. `weights` is
    a column of survey weights, which are added up in place of the records.

    Raises `TableError` if a sensitive column has the same value in every record.
    """
    opened = open_table(table)
    xs, ss = as_names(public, "public"), as_names(sensitive, "sensitive")
    both = next((name for name in xs if name in ss), None)
    if both is not None:
        raise TableError(f"column {both!r} is named as public and as sensitive: it can only be one")
    if weights in ss:
        raise TableError(
            f"column {weights!r} is named as sensitive and as weights (--weights): it can only be "
            "one"
        )
    used = (*xs, *(use.name for use in also), *ss)
    as_cuts(bins, used)  # refuses columns that are not used
    named = {name: Cut.of(given, name) for name, given in (bins or {}).items()}
    own = [*map(named.get, xs), *(use.bin for use in also), *map(named.get, ss)]
    cuts = {i: given for i, given in enumerate(own) if given is not None}
    cuts = _settled(opened, used, cuts)
    if types is None:
        groups, cuts = _grouped(opened, used, cuts, len(xs), as_is, weights)
    else:
        expected = [*types, *(use.type for use in also), *(None for _ in ss)]
        groups = group(opened, used, bins=cuts, expected=expected, weights=weights)
    x, s = sides_of(groups, used, len(xs) + len(also), [cuts.get(i) for i in range(len(used))])
    refuse_constant(s.columns)
    first, more = x.columns[: len(xs)], x.columns[len(xs) :]
    x = replace(x, columns=(*_ranked(opened, first), *more))
    return joint_of(x, s, x.places, s.places, groups.records, groups.weights)


def settled(table: Any, bins: Mapping[str, Any]) -> dict[str, Cut]:
    """Return how columns are cut, quantiles with the edges that they have in this table."""
    names = tuple(bins)
    cuts = _settled(open_table(table), names, as_cuts(bins, names))
    return {name: cuts[i] for i, name in enumerate(names)}


def _settled(opened: Table, used: Sequence[str], cuts: Mapping[int, Cut]) -> dict[int, Cut]:
    """Find the edges of quantiles, each by one GROUP BY of its column."""
    done = dict(cuts)
    for i, given in cuts.items():
        if not given.found:
            codes = {0: Cut(missing=given.missing)} if given.missing else {}
            alone = group(opened, (used[i],), bins=codes)
            [kind], [coded] = alone.types, alone.columns
            done[i] = edges_of(given, used[i], kind, coded, alone.records, opened.reading)
    return done


def _grouped(
    opened: Table,
    used: Sequence[str],
    cuts: dict[int, Cut],
    public: int,
    as_is: Collection[str],
    weights: str | None,
) -> tuple[Groups, dict[int, Cut]]:
    """Group the table; columns with very many numbers, dates or times are cut, and counted again.

    Where there are too many combinations to count, such columns are looked for one by one.
    """
    own: dict[int, Cut] = {}
    try:
        groups = group(opened, used, bins=cuts, secret=public)
        own = own_cuts(
            used, groups.types, groups.columns, groups.records,
            cuts=cuts, public=public, reading=opened.reading, as_is=as_is,
        )  # fmt: skip
    except TooManyGroupsError:
        for i, name in enumerate(used):
            given = {0: cuts[i]} if i in cuts else {}
            alone = group(opened, (name,), bins=given)
            found = own_cuts(
                (name,), alone.types, alone.columns, alone.records,
                cuts=given, public=int(i < public), reading=opened.reading, as_is=as_is,
            )  # fmt: skip
            own |= {i: found[0]} if found else {}
        if not own:
            raise
    if own or weights is not None:
        cuts = {**cuts, **own}
        groups = group(opened, used, bins=cuts, secret=public, weights=weights)
    return groups, cuts


@dataclass(frozen=True)
class Use:
    """A column that is counted: its name, how it is cut, the type its texts are read as."""

    name: str
    bin: Cut | None = None
    type: str | None = None

    @classmethod
    def of(cls, column: Column | PublicColumn) -> Use:
        """Count a column as it was counted before."""
        return cls(column.name, column.bin, None if column.banded else column.type)


def count_as(
    table: Any, uses: Sequence[Use], sensitive: Sequence[Use], *, weights: str | None = None
) -> Joint:
    """Count columns that may be used several times, each time with other bins.

    A sensitive column may be among the others, too. Columns may have any number of values.
    """
    opened, every = open_table(table), [*uses, *sensitive]
    names = tuple(use.name for use in every)
    given = {place: use.bin for place, use in enumerate(every) if use.bin is not None}
    cuts, expected = _settled(opened, names, given), [use.type for use in every]
    groups = group(opened, names, bins=cuts, expected=expected, weights=weights)
    x, s = sides_of(groups, names, len(uses), [cuts.get(i) for i in range(len(every))])
    return joint_of(x, s, x.places, s.places, groups.records, groups.weights)


def _ranked(opened: Table, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Give columns of ordered categories the place of each value in the order of its categories.

    Of files only those have such columns that say so in their labels; a column that is cut into
    bands has the order of the bands.
    """
    texts = [column for column in columns if column.type == "text" and not column.banded]
    if not texts:
        return columns
    positions = [opened.position(column.name) for column in texts]
    found: list[Sequence[Any]]
    with explained(opened.where):
        if opened.is_file:
            labels = [opened.labels.get(column.name, Labels()) for column in texts]
            found = [list(each.texts.values()) if each.ordered else () for each in labels]
        elif opened.engine.orders is None:
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
    cuts: Sequence[Cut | None],
) -> Side:
    """Number the distinct joint values of some columns of the groups."""
    found = distinct_rows(columns)
    named = zip(names, types, cuts, columns, found.codes, strict=True)
    return Side(
        tuple(
            Column(name, kind, cut, tuple(column.values), codes)
            for name, kind, cut, column, codes in named
        ),
        found.values,
        found.places,
    )


def sides_of(
    groups: Groups, names: Sequence[str], public: int, cuts: Sequence[Cut | None]
) -> tuple[Side, Side]:
    """Number the distinct joint values of the first `public` columns, and those of the others."""
    x, s = (
        side_of(names[place], groups.types[place], groups.columns[place], cuts[place])
        for place in (slice(0, public), slice(public, None))
    )
    return x, s


def joint_of(
    public: Side,
    sensitive: Side,
    rows: IntArray,
    columns: IntArray,
    records: IntArray,
    weights: Weights | None = None,
) -> Joint:
    """Return the joint in which public value rows[k] occurs records[k] times with columns[k].

    With weights, these are what is added up.
    """
    shape = len(public.values), len(sensitive.values)
    name = tuple(column.name for column in sensitive.columns)
    mass, survey = held(rows, columns, records, shape), None
    if weights is not None:
        survey = Survey(weights.column, mass, weights.unit)
        mass = compact(held(rows, columns, weights.numbers, shape))
    return Joint.trusted(
        mass,
        public.labels,
        sensitive.labels,
        (Variable(name[0] if len(name) == 1 else name, 0, shape[1]),),
        public.columns,
        sensitive.columns,
        survey,
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
    secret: int = 0,
    weights: str | None = None,
) -> Groups:
    """Group the table by the used columns, and give the groups canonical, sorted values.

    `expected` are the types that texts are read as. Without it, codes of missing values that are of
    another type than their column are refused; values of the columns before `secret` may be told.
    With a column of `weights`, the table is grouped by these, too.
    """
    cuts, every = as_cuts(bins, used), used if weights is None else (*used, weights)
    try:
        with explained(opened.where):
            found, bands = _tallied(opened, every, cuts)
    except UnclearValueError as error:
        raise TableError(
            f"column {every[error.place]!r} holds {error.what}: replace them first, by NULL or by "
            "plain values"
        ) from None
    if not found.records.size:
        raise TableError(f"{opened.where} has no rows: give a table with records")
    if found.records.size > MAX_GROUPS:
        if weights is not None:
            raise TooManyGroupsError(
                f"{opened.where} has more than {MAX_GROUPS} different combinations of "
                f"{', '.join(every)}: round the weights (--weights) in {weights!r}"
            )
        raise TooManyGroupsError(_too_many_groups(opened.where, used, found.columns))
    decoded = []
    for i, (name, column) in enumerate(zip(used, found.columns, strict=False)):
        kind = None if expected is None else expected[i]
        codes = cuts[i].missing if i in cuts and i not in bands else ()
        decoded.append(_column(opened, name, column, bands.get(i), kind, codes))
        if codes and expected is None:
            labelled = opened.position(name) in opened.codes
            refuse_other_codes(
                name, decoded[i][0], column.values, opened.reading, codes,
                shown=decoded[i][1].values if i < secret else (),
                labels=opened.labels[name].texts if labelled else None,
            )  # fmt: skip
    weighing = None
    if weights is not None:
        _, column = _column(opened, weights, found.columns[-1], None, None, ())
        weighing = weights_of(column, weights, found.records)
    return Groups(
        types=tuple(name for name, _ in decoded),
        columns=tuple(column for _, column in decoded),
        records=found.records,
        small=found.frame,
        weights=weighing,
    )


def binned(
    opened: Table,
    used: Sequence[str],
    passthrough: Sequence[str] = (),
    *,
    bins: Mapping[Any, Any] | None = None,
) -> tuple[Any, dict[int, Bands]]:
    """Return a narwhals frame of the used and the passthrough columns, and the bands.

    Used columns are cut where `bins` says so; the bands are keyed by position.
    """
    import narwhals as nw  # noqa: PLC0415 - only when a table is used

    cuts = as_cuts(bins, used)
    with explained(opened.where):
        frame = nw.from_native(opened.pick(used, passthrough, cuts))
        return cut(_as_counted(frame, len(used)), used, cuts)


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
    opened: Table, used: Sequence[str], bins: Mapping[int, Cut]
) -> tuple[Tally, dict[int, Bands]]:
    """Count the distinct rows of the used columns; return the bands, keyed by position, too."""
    import narwhals as nw  # noqa: PLC0415

    tally = opened.engine.tally
    if tally is not None and not any(given.bands for given in bins.values()):
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
    opened: Table,
    name: str,
    raw: Coded,
    bands: Bands | None,
    expected: str | None,
    codes: Sequence[Any],
) -> tuple[str, Coded]:
    """Return the type of a column and its values in canonical form, sorted."""
    if bands is None:
        filled = without_codes(raw.values, opened.reading, codes)
        kind, values = decode(filled, opened.reading, name, expected)
        return kind, raw.renamed(values, sort_key)
    _, values = decode(raw.values, "native", name)
    return "text", in_bands(raw.renamed(values, sort_key), bands, name)


def in_bands(numbers: Coded, bands: Bands, name: str) -> Coded:
    """Name the bands of a column of sorted numbers, in their order."""
    return numbers.renamed(bands.label(number, name) for number in numbers.values)


def _too_many_groups(where: str, used: Sequence[str], columns: Sequence[Coded]) -> str:
    sizes = {name: len(column.values) for name, column in zip(used, columns, strict=True)}
    worst = max(sizes, key=lambda column: sizes[column])
    return (
        f"{where} has more than {MAX_GROUPS} different combinations of {', '.join(used)}: leave "
        f"out {worst!r}, or cut it with --bin {worst}=WIDTH or bins={{{worst!r}: WIDTH}}"
    )
