"""The joint of public and sensitive values, and all validation of distributions.

Everything that comes in from outside and claims to be a distribution passes through here once;
the rest of the library works on arrays it can trust.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.errors import JointError, MechanismError

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Empty: TypeAlias = Literal["refuse", "drop"]

# A positive cell below this share of the total would let p(s)p(x) underflow to zero, and an
# underflow could hide a violation. Counts never come near it.
SMALLEST_SHARE = 1e-150

# How far a probability vector given as floats may be from summing to one.
SUM_TOLERANCE = 1e-9


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Joint:
    """p(s,x), or its counts, with labels: one row per public value, one column per sensitive.

    Parameters
    ----------
    mass
        Counts, probabilities or weights, shape (public values, sensitive values). Integers stay
        integers; any other mass may have any positive total and is normalised where a
        probability is needed.
    public, sensitive
        Labels of the rows and columns; 0, 1, 2, ... when not given.
    empty_public, empty_sensitive
        What to do with a row (column) whose mass is zero, for which no lift is defined:
        "refuse" raises `JointError`, "drop" leaves it out.

    Attributes
    ----------
    mass
        The mass as given, read-only, int64 or float64, without dropped rows and columns.
    public, sensitive
        The labels, as tuples.

    """

    mass: NDArray[Any]
    public: tuple[Hashable, ...]
    sensitive: tuple[Hashable, ...]

    def __init__(
        self,
        mass: ArrayLike,
        public: Iterable[Hashable] | None = None,
        sensitive: Iterable[Hashable] | None = None,
        *,
        empty_public: Empty = "refuse",
        empty_sensitive: Empty = "refuse",
    ) -> None:
        array = _checked_mass(mass)
        rows = _checked_labels(public, array.shape[0], "public")
        columns = _checked_labels(sensitive, array.shape[1], "sensitive")
        keep_rows = _nonempty(array.sum(axis=1), rows, empty_public, "public")
        keep_columns = _nonempty(array.sum(axis=0), columns, empty_sensitive, "sensitive")
        array = array[np.ix_(keep_rows, keep_columns)]
        array.flags.writeable = False
        object.__setattr__(self, "mass", array)
        object.__setattr__(self, "public", tuple(rows[i] for i in keep_rows))
        object.__setattr__(self, "sensitive", tuple(columns[j] for j in keep_columns))

    def __repr__(self) -> str:
        n, m = self.mass.shape
        kind = f"{self.total} records" if self.is_counts else "probabilities"
        return f"Joint({n} public values x {m} sensitive values, {kind})"

    @property
    def is_counts(self) -> bool:
        """Whether the mass is integer counts."""
        return bool(np.issubdtype(self.mass.dtype, np.integer))

    @cached_property
    def total(self) -> int | float:
        """The total mass: the number of records when the mass is counts."""
        total: int | float = self.mass.sum().item()
        return total

    @cached_property
    def scaled(self) -> FloatArray:
        """The mass as float64 on a scale where products of two masses neither over- nor underflow.

        Counts are kept as they are, so that their ratios are exact up to one rounding; other
        masses are scaled by a power of two, which rounds nothing, to a total in [1/2, 1).
        """
        mass = self.mass.astype(np.float64)
        if not self.is_counts:
            _, exponent = np.frexp(self.total)
            mass = np.ldexp(mass, -exponent)
        mass.flags.writeable = False
        return mass

    @cached_property
    def probabilities(self) -> FloatArray:
        """p(x,s), shape (public values, sensitive values)."""
        p: FloatArray = self.scaled / self.scaled.sum()
        return p

    @cached_property
    def p_public(self) -> FloatArray:
        """p(x)."""
        rows = self.scaled.sum(axis=1)
        p: FloatArray = rows / rows.sum()
        return p

    @cached_property
    def p_sensitive(self) -> FloatArray:
        """p(s)."""
        columns = self.scaled.sum(axis=0)
        p: FloatArray = columns / columns.sum()
        return p


def as_joint(joint: Joint | ArrayLike) -> Joint:
    """Return `joint` itself, or the validated Joint of an array without labels."""
    return joint if isinstance(joint, Joint) else Joint(joint)


def as_distribution(mass: ArrayLike) -> FloatArray:
    """Return a non-negative mass vector as probabilities; zeros are allowed."""
    array = _numeric(mass, "a distribution", dimensions=1)
    _refuse_negative_or_nonfinite(array)
    scaled = array.astype(np.float64)
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
        array = _numeric(channel, "a channel p(y|x)", dimensions=2).astype(np.float64)
        _refuse_negative_or_nonfinite(array)
    except JointError as error:
        raise MechanismError(str(error)) from None
    if array.shape[0] != inputs:
        raise MechanismError(
            f"the channel has {array.shape[0]} rows for {inputs} public values: "
            "give one row p(.|x) per public value"
        )
    off = np.abs(array.sum(axis=1) - 1).max()
    if off > SUM_TOLERANCE:
        raise MechanismError(
            f"a row of the channel is off by {off:.3g} from summing to 1: divide rows by their sums"
        )
    return array


def _checked_mass(mass: ArrayLike) -> NDArray[Any]:
    array = _numeric(mass, "the mass of a joint", dimensions=2)
    _refuse_negative_or_nonfinite(array)
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
    floats = array.astype(np.float64)
    if floats[floats > 0].min() < SMALLEST_SHARE * total:
        raise JointError(
            f"a positive cell is below {SMALLEST_SHARE:g} of the total, too small to compute a "
            "lift from: round it to zero"
        )
    return floats


def _numeric(values: ArrayLike, what: str, *, dimensions: int) -> NDArray[Any]:
    """Return `values` as a numeric array of the given number of dimensions, none of them empty."""
    shape = "(public values, sensitive values)" if dimensions == 2 else "(values,)"  # noqa: PLR2004
    try:
        array = np.asarray(values)
    except ValueError:  # ragged nested lists
        raise JointError(f"{what} must be a rectangular array of numbers, shape {shape}") from None
    if array.dtype.kind == "O":
        array = _from_objects(array, what)
    if array.dtype.kind not in "iuf":
        raise JointError(
            f"{what} must hold numbers, got {array.dtype}: give counts or probabilities"
        )
    if array.ndim != dimensions:
        raise JointError(f"{what} must have shape {shape}, got {array.shape}")
    if array.size == 0:
        raise JointError(f"{what} is empty, shape {array.shape}: it needs at least one value")
    return array


def _from_objects(array: NDArray[Any], what: str) -> NDArray[Any]:
    """Python integers beyond int64, decimals and fractions arrive as objects."""
    if any(isinstance(item, (str, bytes, complex)) or item is None for item in array.flat):
        raise JointError(f"{what} must hold numbers only: replace missing or text entries")
    whole = all(isinstance(item, int) and not isinstance(item, bool) for item in array.flat)
    try:
        return array.astype(np.int64 if whole else np.float64)
    except (TypeError, ValueError, OverflowError):
        raise JointError(f"{what} must hold numbers below 2^63 in a rectangular array") from None


def _refuse_negative_or_nonfinite(array: NDArray[Any]) -> None:
    if not np.isfinite(array).all():
        raise JointError("the mass holds NaN or infinity: replace or remove those entries")
    if (array < 0).any():
        raise JointError(
            f"the mass holds negative entries (least {array.min()}): counts and "
            "probabilities are never negative"
        )


def _checked_labels(
    labels: Iterable[Hashable] | None, size: int, side: str
) -> tuple[Hashable, ...]:
    if labels is None:
        return tuple(range(size))
    if isinstance(labels, (str, bytes)):
        raise JointError(f"the {side} labels are one string: give a list with one label per value")
    try:
        found = tuple(labels.tolist() if isinstance(labels, np.ndarray) else labels)
        distinct = len(set(found))
    except TypeError:
        raise JointError(
            f"the {side} labels must be hashable, in a list: use tuples for several columns"
        ) from None
    if len(found) != size:
        raise JointError(f"{len(found)} {side} labels for {size} {side} values: give one each")
    if distinct != size:
        raise JointError(
            f"the {side} label {_first_repeated(found)!r} stands twice: "
            "add up its rows, or rename one"
        )
    return found


def _first_repeated(labels: tuple[Hashable, ...]) -> Hashable:
    seen: set[Hashable] = set()
    for label in labels:
        if label in seen:
            return label
        seen.add(label)
    raise AssertionError("unreachable: called only when a label is repeated")


def _nonempty(
    sums: NDArray[Any], labels: tuple[Hashable, ...], empty: Empty, side: str
) -> NDArray[np.intp]:
    if empty not in ("refuse", "drop"):
        raise JointError(f"empty_{side} must be 'refuse' or 'drop', got {empty!r}")
    keep = np.flatnonzero(sums > 0)
    if empty == "refuse" and len(keep) < len(labels):
        first = labels[int(np.flatnonzero(sums == 0)[0])]
        raise JointError(
            f"the {side} value {first!r} has no mass ({len(labels) - len(keep)} such in all), so "
            f"no lift is defined for it: pass empty_{side}='drop' to leave it out"
        )
    return keep
