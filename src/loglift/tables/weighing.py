"""Survey weights as whole numbers: exact sums, whatever their type.

Every integer, float and decimal is a rational number. On a common unit they are whole numbers, and
sums of whole numbers are exact, in any order. So all engines give the same sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.errors import TableError
from loglift.joint import IntArray
from loglift.sparse import Mass
from loglift.tables.codes import Coded

MAX_EXACT_FLOAT = 2**53  # whole numbers up to here are exact as floats, too
MAX_BITS = 512  # of a weight as a whole number: more than any survey needs


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of groups of records, each all its records together.

    `numbers` are whole numbers (dtype object) of a unit, `column` is the column they come from.
    """

    column: str
    numbers: NDArray[np.object_]
    unit: Fraction


def weights_of(column: Coded, name: str, records: IntArray) -> Weights:
    """Return the weights of groups that have one weight and some records each.

    Raises `TableError` where a weight is missing, or is not a positive, finite number.
    """
    exact = [_fraction(value) for value in column.values]
    wrong = np.array([weight is None or weight <= 0 for weight in exact], dtype=bool)
    if wrong.any():
        of = wrong[np.asarray(column.places)]
        raise TableError(_refusal(column.values, exact, name, int(records[of].sum())))
    unit = Fraction(1, math.lcm(*{weight.denominator for weight in exact if weight is not None}))
    whole = [int(weight / unit) for weight in exact if weight is not None]
    common = math.gcd(*whole)
    if max(whole).bit_length() > MAX_BITS:
        raise TableError(
            f"the weights (--weights) in {name!r} have too many digits, or differ too much in "
            "size: round them"
        )
    numbers = np.empty(len(whole), dtype=object)
    numbers[:] = [number // common for number in whole]
    return Weights(name, numbers[column.places] * records.astype(object), unit * common)


def _fraction(value: Any) -> Fraction | None:
    """Return a number as the rational number it is; None for anything else."""
    if value is None or isinstance(value, bool):
        return None
    try:
        # A text of a file, such as 12.50, is the number that a column of floats would have.
        return Fraction(float(value) if isinstance(value, str) else value)
    except (TypeError, ValueError, OverflowError):  # a date; NaN; infinity
        return None


def _refusal(
    values: Sequence[Any], exact: Sequence[Fraction | None], name: str, records: int
) -> str:
    """Return what is wrong with weights, without naming one: weights can be as rare as people."""
    if None in values:
        fault, advice = "missing", "fill them in, or leave these records out"
    elif None in exact:
        fault, advice = "not finite numbers", "give a column of positive numbers"
    elif min(weight for weight in exact if weight is not None) < 0:
        fault, advice = "negative", "give positive weights"
    else:
        fault, advice = "zero", "leave such records out: they add nothing to any count"
    where = "1 record" if records == 1 else f"{records} records"
    return f"weights (--weights) in {name!r} are {fault} in {where}: {advice}"


def compact(mass: Mass) -> Mass:
    """Return sums of weights as int64 where all of them together are exact as floats, too."""
    return mass if mass.sum() >= MAX_EXACT_FLOAT else mass.astype(np.int64)
