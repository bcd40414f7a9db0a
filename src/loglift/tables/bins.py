"""Bands of a column, cut inside the engine; see `loglift.cuts` for what they are.

Integers are cut by integer arithmetic, exactly. Floats are compared with edges as IEEE doubles; for
a width w = p/q, the exact fraction of its decimal form, the number of a band is floor(x q / p) in
doubles: every engine computes the same, and 0.3 falls into [0.3, 0.4), not below it. A cut column
holds the lower edge or the number of its band, or itself between limits; `Bands` names it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from loglift.cuts import NOT_A_NUMBER, Cut, band_of, date_name, moment, text_of
from loglift.errors import TableError
from loglift.tables.missing import codes_among

if TYPE_CHECKING:
    from fractions import Fraction

    import narwhals as nw

# Beyond this bin number, neighbouring doubles lie in different bins and edges are meaningless.
_MAX_BIN_NUMBER = 2.0**53
CLIPPED = 2.0**60  # larger bin numbers are clipped to it, and then refused
_NAN = -1  # the number of the band of NaN
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Bands:
    """The bands of one column: how it is cut, and whether it holds integers only."""

    cut: Cut
    whole: bool = False

    def label(self, raw: Any, column: str) -> Any:
        """Return the name of a band, such as '[20, 30)'; NULL stays NULL, NaN is 'NaN'."""
        if raw is None:
            return None
        if isinstance(raw, float) and math.isnan(raw):
            return NOT_A_NUMBER
        if self.cut.width is not None:
            return self._step(raw, column)
        if self.cut.unit is not None:
            return date_name(int(raw), self.cut.unit)
        if self.cut.points:
            return NOT_A_NUMBER if raw == _NAN else self.cut.names[int(raw)]
        return band_of(raw, self.cut)

    def _step(self, raw: Any, column: str) -> str:
        width = self.cut.exact_width
        # An edge below -2^63 wraps around to a number that is not a multiple of the width.
        if raw % int(width) if self.whole else abs(raw) >= _MAX_BIN_NUMBER:
            raise TableError(
                f"column {column!r} has values that are infinite or too large for bins "
                f"of width {float(width):g}: remove them or widen the bins"
            )
        if self.whole:
            return f"[{raw}, {raw + int(width)})"
        return f"[{text_of(int(raw) * width)}, {text_of((int(raw) + 1) * width)})"


def as_cuts(bins: Mapping[Any, Any] | None, used: Sequence[str]) -> dict[int, Cut]:
    """Return the cuts, after checking them, keyed by position in `used`.

    They are given by the name of the column, or by its position where a name is used twice.
    """
    cuts = {}
    for key, given in (bins or {}).items():
        column = used[key] if isinstance(key, int) else key
        if column not in used:
            raise TableError(
                f"bins are given for {column!r}, which is neither public nor sensitive: "
                "drop them, or name the column"
            )
        cuts[key if isinstance(key, int) else used.index(key)] = Cut.of(given, column)
    return cuts


def cut(frame: Any, used: Sequence[str], cuts: Mapping[int, Cut]) -> tuple[Any, dict[int, Bands]]:
    """Replace the columns that are cut into bands; the bands are keyed by position."""
    banded = {i: given for i, given in cuts.items() if given.bands}
    if not banded:
        return frame, {}
    schema, text = frame.collect_schema(), frame.implementation.is_spark_like()
    bands, expressions = {}, []
    for i, given in banded.items():
        value, bands[i] = _cut(f"c{i}", given, schema[f"c{i}"], used[i], text=text)
        expressions.append(value.alias(f"c{i}"))
    return frame.with_columns(*expressions), bands


def _cut(name: str, given: Cut, dtype: Any, column: str, *, text: bool) -> tuple[nw.Expr, Bands]:
    """Return the expression of a cut column, and how its values are named.

    With `text`, times to compare with are written as texts; see `_literal`.
    """
    import narwhals as nw  # noqa: PLC0415 - only when a table is used

    if given.is_of_dates:
        return _of_dates(nw.col(name), given, dtype, column, text=text), Bands(given)
    if not dtype.is_numeric():
        raise refused(column, str(dtype), given)
    value, whole = nw.col(name), dtype.is_integer()
    if whole and dtype not in (nw.Int64, nw.Int128, nw.UInt64, nw.UInt128):
        value = value.cast(nw.Int64)  # an 8-bit sum would overflow
    elif not whole:
        value = value.cast(nw.Float64)
    value = _without(value, codes_among(given.missing, "integer" if whole else "float"))
    if given.width is not None:
        steps = whole and given.exact_width.denominator == 1
        cutting = _lower_edge if steps else _bin_number
        return cutting(value, given.exact_width), Bands(given, whole=steps)
    ends = [math.ceil(end) if whole else float(end) for end in given.ends]
    if given.points:
        return _numbered(value, ends, floats=not whole), Bands(given)
    tops = [math.floor(end) if whole else float(end) for end in given.ends]
    one = 1 if whole else math.inf
    low = None if given.low is None else (ends[0], ends[0] - one)
    high = None if given.high is None else (tops[-1], tops[-1] + one)
    return _between(value, low, high, floats=not whole), Bands(given)


def refused(column: str, held: str, given: Cut) -> TableError:
    """Return the error for a column that holds something else than what is cut."""
    wanted = "dates or times" if given.is_of_dates else "numbers"
    return TableError(f"column {column!r} cannot be cut into bins: it holds {held}, not {wanted}")


def _without(value: nw.Expr, codes: Sequence[Any], *, text: bool = False) -> nw.Expr:
    """Return the value with NULL in place of some codes."""
    import narwhals as nw  # noqa: PLC0415

    for code in codes:
        nan = isinstance(code, float) and math.isnan(code)
        same = value.is_nan() if nan else value == _literal(code, text=text)
        value = nw.when(~same).then(value)
    return value


def _of_dates(value: nw.Expr, given: Cut, dtype: Any, column: str, *, text: bool) -> nw.Expr:
    """Return the number of a date's unit or of its band, or itself between limits."""
    import narwhals as nw  # noqa: PLC0415

    if dtype == nw.Object:  # Python's dates in pandas
        value, dtype = value.cast(nw.Datetime("us")), nw.Datetime("us")
    if dtype not in (nw.Date, nw.Datetime):
        raise refused(column, str(dtype), given)
    if getattr(dtype, "time_zone", None) is not None:
        value = value.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    kind = "date" if dtype == nw.Date else "datetime"
    value = _without(value, codes_among(given.missing, kind), text=text)
    if given.unit is not None:
        return _of_unit(value, given.unit)
    step = _DAY if kind == "date" else timedelta(microseconds=1)
    ends = [_begin(end, kind) for end in given.ends]
    if given.points:
        return _numbered(value, ends, text=text)
    tops = [_begin(end, kind, up=False) for end in given.ends]
    low = None if given.low is None else (ends[0], ends[0] - step)
    high = None if given.high is None else (tops[-1], tops[-1] + step)
    return _between(value, low, high, text=text)


def _begin(end: Any, kind: str, *, up: bool = True) -> Any:
    """Return an edge in the type of a column; of dates, the next day or the day of a time."""
    whole = moment(end, zoned=False)
    if kind == "datetime":
        return whole
    return whole.date() + _DAY if up and whole.time() != time() else whole.date()


def _of_unit(value: nw.Expr, unit: str) -> nw.Expr:
    """Return the numbers that `loglift.cuts.number_of_date` gives."""
    import narwhals as nw  # noqa: PLC0415

    year = value.dt.year().cast(nw.Float64)
    if unit == "year":
        return year
    month = value.dt.month().cast(nw.Float64)
    if unit == "day":
        return year * 10_000 + month * 100 + value.dt.day().cast(nw.Float64)
    if unit == "month":
        return year * 12 + month - 1
    later = sum(((month >= first).cast(nw.Float64) for first in (4.0, 7.0, 10.0)), start=year * 4)
    return nw.when(~year.is_null()).then(later)


def _numbered(
    value: nw.Expr, ends: Sequence[Any], *, floats: bool = False, text: bool = False
) -> nw.Expr:
    """Return how many edges a value has reached; NaN, the largest in some engines, has its own.

    The edges are a tree of comparisons: an engine that evaluates a branch for its own rows only
    compares each value with log2 of the edges.
    """
    import narwhals as nw  # noqa: PLC0415

    edges = [_literal(end, text=text) for end in ends]

    def reached(first: int, last: int) -> Any:
        if first == last:
            return float(first)
        middle = (first + last) // 2
        upper, lower = reached(middle + 1, last), reached(first, middle)
        return nw.when(value >= edges[middle]).then(upper).otherwise(lower)

    # Compared in pandas, a missing value is False: so they are left out last.
    number = reached(0, len(edges))
    if floats:
        number = nw.when(value.is_nan()).then(nw.lit(float(_NAN))).otherwise(number)
    return nw.when(~value.is_null()).then(number)


def _between(
    value: nw.Expr,
    low: tuple[Any, Any] | None,
    high: tuple[Any, Any] | None,
    *,
    floats: bool = False,
    text: bool = False,
) -> nw.Expr:
    """Return the value, or one value beyond the limit that it exceeds; limits have both."""
    import narwhals as nw  # noqa: PLC0415

    found = value
    if low is not None:
        end, beyond = (_literal(each, text=text) for each in low)
        found = nw.when(value < end).then(beyond).otherwise(found)
    if high is not None:
        end, beyond = (_literal(each, text=text) for each in high)
        found = nw.when(value > end).then(beyond).otherwise(found)
    if floats:
        found = nw.when(value.is_nan()).then(value).otherwise(found)
    return nw.when(~value.is_null()).then(found)


def _literal(end: Any, *, text: bool) -> nw.Expr:
    """Return a number, a date or a time without a zone as an expression.

    Spark would take a time for an instant in the zone of the machine, and compare it in that of the
    session: so it is given the text.
    """
    import narwhals as nw  # noqa: PLC0415

    if isinstance(end, datetime):
        return nw.lit(end.isoformat(" ")).cast(nw.Datetime("us")) if text else nw.lit(end)
    return nw.lit(end, nw.Date) if isinstance(end, date) else nw.lit(end)


def _lower_edge(value: nw.Expr, width: Fraction) -> nw.Expr:
    # Engines disagree about the sign of a remainder; this form is in [0, w) on all of them.
    step = int(width)
    return value - ((value % step) + step) % step


def _bin_number(value: nw.Expr, width: Fraction) -> nw.Expr:
    import narwhals as nw  # noqa: PLC0415

    value = value.cast(nw.Float64)
    # The divisor is not a literal: Polars would multiply by its inverse, which is rounded.
    step = nw.when(value > 0).then(nw.lit(float(width.numerator)))
    scaled = value * float(width.denominator) / step.otherwise(nw.lit(float(width.numerator)))
    # Spark's floor returns integers, which overflow, so numbers are clipped first; NaN is not.
    number = scaled.clip(-CLIPPED, CLIPPED).floor().cast(nw.Float64)
    return nw.when(value.is_nan()).then(value).otherwise(number)
