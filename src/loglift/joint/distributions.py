"""Checks of distributions: masses, probabilities, channels."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.errors import JointError, MechanismError
from loglift.joint.arrays import FloatArray, frozen
from loglift.joint.columns import Variable
from loglift.sparse import Cells, Mass, take_columns

# Positive cells are at least this share of the total, so that p(s)p(x), and the least safe lift
# times it, stay far from underflow, which could hide a violation. Counts never come near it.
SMALLEST_SHARE = 1e-60
# How far a probability vector given as floats may be from summing to one.
SUM_TOLERANCE = 1e-9


def as_distribution(mass: ArrayLike) -> FloatArray:
    """Return a non-negative mass vector as probabilities; zeros are allowed."""
    scaled = _floats(_numeric(mass, "a distribution", "(values,)"), "a distribution")
    with np.errstate(over="ignore"):
        total = scaled.sum()
    if not 0 < total < np.inf:
        raise JointError(
            f"a distribution needs a positive, finite total, got {total}: give counts or "
            "probabilities with at least one positive entry"
        )
    p: FloatArray = scaled / total
    return p


def as_channel(channel: ArrayLike, inputs: int) -> FloatArray:
    """Return p(y|x) as float64, shape (inputs, outputs), after checking that rows sum to one."""
    try:
        shape = "(public values, released values)"
        array = _floats(_numeric(channel, "a channel p(y|x)", shape), "a channel p(y|x)")
    except JointError as error:
        raise MechanismError(str(error)) from None
    if array.shape[0] != inputs:
        raise MechanismError(
            f"the channel has {array.shape[0]} rows for {inputs} public values: "
            "give one row p(.|x) per public value"
        )
    with np.errstate(over="ignore"):
        off = np.abs(array.sum(axis=1) - 1).max()
    if off > SUM_TOLERANCE:
        raise MechanismError(
            f"a row of the channel is off by {off:.3g} from summing to 1: divide rows by their sums"
        )
    return array


def checked_cells(cells: Cells) -> Cells:
    """Return the cells of a sparse mass after the same checks as those of an array."""
    values = cells.values if cells.values.size else np.zeros(1, dtype=cells.dtype)
    checked = frozen(checked_mass(values[np.newaxis])[0])
    return cells.mapped(lambda _: checked)


def checked_mass(mass: Any) -> NDArray[Any]:
    """Return a mass as int64 or float64, if lifts can be computed from it."""
    what = "the mass of a joint"
    array = _numeric(mass, what, "(public values, sensitive values)")
    _refuse_negative_or_nonfinite(array, what)
    with np.errstate(over="ignore"):
        total = float(array.sum(dtype=np.float64))
    if total == 0:
        raise JointError("the joint has no mass at all: at least one count must be positive")
    if np.issubdtype(array.dtype, np.integer):
        if array.max() > np.iinfo(np.int64).max or total >= np.iinfo(np.int64).max:
            raise JointError("the counts add up to more than 2^63: divide them by a common factor")
        return array.astype(np.int64)
    if not np.isfinite(total):
        raise JointError("the mass adds up to infinity: divide it by a common factor")
    floats = _floats(array, what)
    if floats[floats > 0].min() < SMALLEST_SHARE * total:
        raise JointError(
            f"a positive cell is below {SMALLEST_SHARE:g} of the total, too small to compute a "
            "lift from: round it to zero"
        )
    return floats


def _numeric(values: ArrayLike, what: str, shape: str) -> NDArray[Any]:
    """Return `values` as a numeric array with as many dimensions as `shape` names, none empty."""
    if hasattr(type(values), "p_public"):
        raise JointError(f"{what} is expected, not a Joint: give its .p_public or .probabilities")
    if np.ma.is_masked(values):
        raise JointError(f"{what} has masked entries: fill them, or leave them out")
    try:
        array = np.asarray(values)
    except ValueError:  # ragged nested lists
        raise JointError(f"{what} must be a rectangular array of numbers, shape {shape}") from None
    if array.dtype.kind == "O":
        array = _from_objects(array, what)
    if array.dtype.kind not in "iuf":
        raise JointError(f"{what} must hold numbers, got {array.dtype}: give counts or weights")
    if array.ndim != len(shape.removesuffix(",)").split(",")):
        raise JointError(f"{what} must have shape {shape}, got {array.shape}")
    if array.size == 0:
        raise JointError(f"{what} is empty, shape {array.shape}: it needs at least one value")
    return array


def _from_objects(array: NDArray[Any], what: str) -> NDArray[Any]:
    """Convert an array of objects, such as large integers, decimals or fractions, to numbers."""
    if any(isinstance(item, (str, bytes, complex)) or item is None for item in array.flat):
        raise JointError(f"{what} must hold numbers only: replace missing or text entries")
    whole = all(isinstance(item, Integral) and not isinstance(item, bool) for item in array.flat)
    try:
        return array.astype(np.int64 if whole else np.float64)
    except (TypeError, ValueError, OverflowError):
        raise JointError(f"{what} must hold numbers below 2^63 in a rectangular array") from None


def _floats(array: NDArray[Any], what: str) -> FloatArray:
    """Return the array as float64; entries that do not fit are infinite there, and refused."""
    with np.errstate(over="ignore"):
        floats = array.astype(np.float64)
    _refuse_negative_or_nonfinite(floats, what)
    return floats


def _refuse_negative_or_nonfinite(array: NDArray[Any], what: str) -> None:
    if not np.isfinite(array).all():
        raise JointError(f"{what} holds NaN or infinity: replace or remove those entries")
    if (array < 0).any():
        raise JointError(f"{what} holds negative entries, the least is {array.min()}: remove them")


def refuse_other_weights(mass: Mass, variables: tuple[Variable, ...]) -> None:
    """Raise if the columns of two variables do not add up to the same p(x)."""
    sums = [take_columns(mass, np.arange(v.start, v.stop)).sum(axis=1) for v in variables]
    for variable, weight in zip(variables[1:], sums[1:], strict=True):
        exactly = np.issubdtype(weight.dtype, np.integer)
        if not np.allclose(weight, sums[0], rtol=0 if exactly else SUM_TOLERANCE, atol=0):
            raise JointError(
                f"the columns of the variable {variable.name!r} do not add up to the row sums of "
                f"{variables[0].name!r}: every record has one value of each variable"
            )
