"""Half-open intervals [k w, (k+1) w) of a numeric column, cut inside the engine.

Integers are cut by integer arithmetic, exactly. For floats the bin number is
floor(x q / p) in IEEE doubles, where w = p/q is the exact fraction of the width's decimal form:
every engine computes the same, and 0.3 falls into [0.3, 0.4), not below it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from loglift.errors import TableError
from loglift.values import checked_number

if TYPE_CHECKING:
    import narwhals as nw

# Beyond this bin number, neighbouring doubles lie in different bins and edges are meaningless.
_MAX_BIN_NUMBER = 2.0**53
CLIPPED = 2.0**60  # larger bin numbers are clipped to it, and then refused
_MAX_WIDTH_TERM = 2**53  # numerator or denominator of a width


@dataclass(frozen=True)
class Bin:
    """The bins of one column: their width, and whether their edges are integers."""

    width: Fraction
    whole: bool

    def label(self, raw: Any, column: str) -> Any:
        """Return the text of an interval, such as '[20, 30)'; NULL stays NULL, NaN is 'NaN'."""
        if raw is None:
            return None
        if not self.whole and math.isnan(raw):
            return "NaN"
        # An edge below -2^63 wraps around to a number that is not a multiple of the width.
        if raw % int(self.width) if self.whole else abs(raw) >= _MAX_BIN_NUMBER:
            raise TableError(
                f"column {column!r} has values that are infinite or too large for bins "
                f"of width {float(self.width):g}: remove them or widen the bins"
            )
        if self.whole:
            return f"[{raw}, {raw + int(self.width)})"
        return f"[{_edge(int(raw) * self.width)}, {_edge((int(raw) + 1) * self.width)})"


def _edge(edge: Fraction) -> str:
    """Return an edge as text; whole edges look the same for integer and for float columns."""
    return str(int(edge)) if edge.denominator == 1 else str(float(edge))


def as_widths(bins: Mapping[Any, Any] | None, used: Sequence[str]) -> dict[int, Fraction]:
    """Return the widths as exact fractions, after checking them, keyed by position in `used`.

    They are given by the name of the column, or by its position where a name is used twice.
    """
    widths = {}
    for key, width in (bins or {}).items():
        column = used[key] if isinstance(key, int) else key
        if column not in used:
            raise TableError(
                f"bins are given for {column!r}, which is neither public nor sensitive: "
                "drop them, or name the column"
            )
        plain = width.item() if isinstance(width, np.generic) else width
        what = f"the width of the bins of {column!r}"
        checked_number(plain, what, above=0, error=TableError)
        digits = str(plain) if isinstance(plain, float) else plain
        exact = None if plain == math.inf else Fraction(digits)
        if exact is None or max(exact.numerator, exact.denominator) > _MAX_WIDTH_TERM:
            raise TableError(
                f"{what} is too large, too small, or has too many digits: give a number between "
                "1e-15 and 9e15, of at most 15 digits"
            )
        widths[key if isinstance(key, int) else used.index(key)] = exact
    return widths


def cut(
    frame: Any, used: Sequence[str], widths: Mapping[int, Fraction]
) -> tuple[Any, dict[int, Bin]]:
    """Replace binned columns: integers by their lower edges, floats by their bin numbers."""
    if not widths:
        return frame, {}
    schema = frame.collect_schema()
    bins, expressions = {}, []
    for i, width in widths.items():
        dtype = schema[f"c{i}"]
        if not dtype.is_numeric():
            raise TableError(
                f"column {used[i]!r} cannot be cut into bins: it holds {dtype}, not numbers"
            )
        bins[i] = Bin(width, whole=dtype.is_integer() and width.denominator == 1)
        edge = _lower_edge if bins[i].whole else _bin_number
        expressions.append(edge(f"c{i}", width, dtype).alias(f"c{i}"))
    return frame.with_columns(*expressions), bins


def _lower_edge(name: str, width: Fraction, dtype: Any) -> nw.Expr:
    import narwhals as nw  # noqa: PLC0415 - only when a table is used

    # Engines disagree about the sign of a remainder; this form is in [0, w) on all of them.
    value, step = nw.col(name), int(width)
    if dtype not in (nw.Int64, nw.Int128, nw.UInt64, nw.UInt128):
        value = value.cast(nw.Int64)  # an 8-bit sum would overflow
    return value - ((value % step) + step) % step


def _bin_number(name: str, width: Fraction, _: Any) -> nw.Expr:
    import narwhals as nw  # noqa: PLC0415

    value = nw.col(name).cast(nw.Float64)
    # The divisor is not a literal: Polars would multiply by its inverse, which is rounded.
    step = nw.when(value > 0).then(nw.lit(float(width.numerator)))
    scaled = value * float(width.denominator) / step.otherwise(nw.lit(float(width.numerator)))
    # Spark's floor returns integers, which overflow, so numbers are clipped first; NaN is not.
    number = scaled.clip(-CLIPPED, CLIPPED).floor().cast(nw.Float64)
    return nw.when(value.is_nan()).then(value).otherwise(number)
