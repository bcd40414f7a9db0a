"""Counting: one GROUP BY in the engine; everything after it works on distinct values only."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from loglift.cuts import Cut
from loglift.errors import TableError
from loglift.identifiers import is_identifier
from loglift.joint import Column, Joint
from loglift.mechanism.columns import PublicColumn
from loglift.mechanism.mechanism import Mechanism
from loglift.tables.bins import as_cuts
from loglift.tables.codes import Coded, distinct_rows
from loglift.tables.columns import Names, as_names, refuse_constant
from loglift.tables.engines import duckdb
from loglift.tables.faults import explained
from loglift.tables.grouping import Groups, TooManyGroupsError, group
from loglift.tables.labels import Labels
from loglift.tables.measurements import edges_of, is_many, measurement_bands, own_cuts
from loglift.tables.opened import Table, open_table
from loglift.tables.sides import joint_of, sides_of

if TYPE_CHECKING:
    from loglift.tables.held_rows import HeldRows

MAX_AUDITED_VALUES = 200_000  # of a column that passes through, to count each: about a second
SAMPLED_VALUES = 20_000  # of a file's column that passes through: enough for the edges of its bands


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
    ranked = _ranked(opened, (*first, *s.columns))
    x = replace(x, columns=(*ranked[: len(xs)], *more))
    s = replace(s, columns=ranked[len(xs) :])
    return joint_of(x, s, x.places, s.places, groups.records, groups.weights)


def count_released(
    table: Any,
    mechanism: Mechanism,
    beside: Names,
    *,
    bins: Mapping[str, Cut] | None = None,
    weights: str | None = None,
    held: HeldRows | None = None,
) -> Joint:
    """Count released blocks, with the columns beside them, against sensitive values.

    The first column of the joint is `released block`, numbered from 1. `bins` are those of the
    columns beside; others of more than `MAX_AUDITED_VALUES` numbers, dates or times are cut into
    quantile bands, whose `automatic` tells so (`cuts_beside`): what is seen in bands is seen in
    their exact values, too. `held` are the rows of this very table, if they were read: they are
    counted already.
    """
    opened, names = open_table(table), as_names(beside, "passthrough")
    public = mechanism.column_names
    used = (*public, *names, *mechanism.sensitive_names)
    if held is not None:
        cuts, groups = held.cuts, held.counted
    else:
        cuts = mechanism.bins | cuts_beside(opened, names, bins)
        unknown = [None] * (len(used) - len(public))
        types = [*(column.type for column in mechanism.columns), *unknown]
        groups = group(opened, used, bins=cuts, expected=types, weights=weights)
    values = distinct_rows(groups.columns[: len(public)])
    blocks = Coded(
        list(range(1, mechanism.size + 1)),
        mechanism.rows_of(values.values)[values.places],
    )
    rest = slice(len(public), None)
    shown = replace(
        groups,
        types=("integer", *groups.types[rest]),
        columns=(blocks, *groups.columns[rest]),
    )
    titles = ("released block", *used[rest])
    x, s = sides_of(shown, titles, 1 + len(names), [cuts.get(name) for name in titles])
    ranked = _ranked(opened, (*x.columns[1:], *s.columns))
    x = replace(x, columns=(x.columns[0], *ranked[: len(names)]))
    s = replace(s, columns=ranked[len(names) :])
    return joint_of(x, s, x.places, s.places, groups.records, groups.weights)


def cuts_beside(
    opened: Table, beside: Sequence[str], bins: Mapping[str, Cut] | None = None
) -> dict[str, Cut]:
    """Return how the columns beside those that are counted are cut: by `bins`, or as they need."""
    own = {name: own_bands(opened, name) for name in beside if name not in (bins or {})}
    return {**(bins or {}), **{name: cut for name, cut in own.items() if cut}}


def own_bands(opened: Table, name: str) -> Cut | None:
    """Return quantile bands for a column of very many numbers, dates or times; None for others.

    Nor for columns that look like identifiers, nor for up to `MAX_AUDITED_VALUES` values: each is
    counted then. Of a file's column a sample of its values is looked at, each with all its records:
    counting very many values takes longer than the release.
    """
    if opened.is_file and opened.kind != "postgresql":
        with explained(opened.where):
            total, distinct, some = duckdb.sampled(opened.pick((name,)), SAMPLED_VALUES)
        if distinct <= MAX_AUDITED_VALUES or not is_many(distinct, total):
            return None
        alone = group(
            replace(opened, frame=some, columns=(name,), passthrough_at=0, labels={}, codes={}),
            (name,),
        )
    else:
        alone = group(opened, (name,))
        total, distinct = int(alone.records.sum()), len(alone.columns[0].values)
    [kind], [coded] = alone.types, alone.columns
    few = distinct <= MAX_AUDITED_VALUES or not is_many(distinct, total)
    if few or is_identifier(name, kind, distinct, total):
        return None
    return measurement_bands(name, kind, coded, alone.records, opened.reading)


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


def count_values(table: Any, column: str, type_name: str) -> dict[Any, int]:
    """Count the records of each value of one column; texts are read as the given type."""
    return group(open_table(table), (column,), expected=(type_name,)).by_value()
