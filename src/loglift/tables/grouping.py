"""The one GROUP BY: distinct rows of some columns, with canonical, sorted values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from loglift.cuts import Cut
from loglift.errors import TableError
from loglift.tables.bins import Bands, as_cuts, cut
from loglift.tables.canonical import decode, sort_key
from loglift.tables.codes import Coded
from loglift.tables.engines import Tally, UnclearValueError
from loglift.tables.faults import explained
from loglift.tables.missing import refuse_other_codes, without_codes
from loglift.tables.opened import Table
from loglift.tables.weighing import Weights, weights_of

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

    def by_value(self) -> dict[Any, int]:
        """Return the records of each value of a table that was grouped by a single column."""
        return dict(zip(self.columns[0].rows(), self.records.tolist(), strict=True))


class TooManyGroupsError(TableError):
    """The counted columns have too many different combinations."""


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
            found, bands = _tallied_once(opened, every, cuts)
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


def _tallied_once(
    opened: Table, used: Sequence[str], bins: Mapping[int, Cut]
) -> tuple[Tally, dict[int, Bands]]:
    """Return what `_tallied` does; of a file, what was grouped last is not counted again."""
    if not opened.is_file:
        return _tallied(opened, used, bins)
    asked = tuple(used), dict(bins)
    for before, found in opened.last_tally:
        if before == asked:
            return cast("tuple[Tally, dict[int, Bands]]", found)
    opened.last_tally[:] = [(asked, _tallied(opened, used, bins))]
    return cast("tuple[Tally, dict[int, Bands]]", opened.last_tally[0][1])


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
    numbers = np.array(records.values, dtype=np.int64)
    return Tally(small.frame, columns, numbers[records.places]), cuts


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
