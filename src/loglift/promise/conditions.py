"""Conditions on a block that are not linear inequalities, but add up all the same.

Each is a function of the masses v(s) = p(s,B) of one sensitive variable in a block, with
w = p(B) = sum of v. A block meets it iff the function is at most zero:

    spread      sum over s of |v(s) - r(s) w|  -  level w
    ranked      sum over i of |V(i) - R(i) w| / (m - 1)  -  level w,  V and R cumulated in order
    power       (sum over s of r(s)^(1-a) v(s)^a)^(1/a)  -  level w,  a > 1
    logarithm   sum over s of v(s) log(v(s) / (r(s) w))  -  level w
    distinct    (level - number of s with v(s) > 0) w

The first four are convex, and twice the masses have twice the value: f(A u B) <= f(A) + f(B), so
unions of blocks that meet a condition meet it. A tangent of such a function is a linear inequality
that every block meets which meets the condition: solvers that work on inequalities only, such as
proofs, use some of them. The number of distinct values never falls when blocks are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from loglift.joint import FloatArray, IntArray

SPREAD, RANKED, POWER, LOGARITHM, DISTINCT = range(5)
MIN_PRESENT = 1e-12  # of p(B): a smaller share is the rounding of a difference


class Condition(NamedTuple):
    """One condition on the masses of a sensitive variable, in the order of its columns.

    `reference` (m,) is r(s), all of them positive; `parameter` is the power a, else unused.
    """

    kind: int
    level: float
    reference: FloatArray
    parameter: float = 1.0


class Conditions(NamedTuple):
    """Conditions written out for the kernels, on the gains (k,) of a block.

    Condition c is on the gains `columns[c, : size[c]]`, which are the masses of its variable.
    `constant` (c, m) is r(s); for powers r(s)^(1-a), for logarithms log r(s). `nothing` (k,) is
    zero: the gains of no value.
    """

    kind: IntArray
    size: IntArray
    level: FloatArray
    parameter: FloatArray
    columns: IntArray
    constant: FloatArray
    nothing: FloatArray

    @property
    def if_any(self) -> Conditions | None:
        """These conditions, or None if there are none: then numba compiles no test of them."""
        return self if self.kind.size else None


def no_conditions(inequalities: int = 0) -> Conditions:
    """Return no conditions, on that many gains."""
    return conditions_of([], [], inequalities)


def conditions_of(
    conditions: Sequence[Condition],
    columns: Sequence[IntArray],
    inequalities: int,
    slack: float = 0.0,
) -> Conditions:
    """Write out conditions, each on some columns of the gains.

    With `slack`, a condition that is violated by at most this share of p(B) counts as met.
    """
    sizes = np.array([of.size for of in columns], dtype=np.int64)
    shape = (len(conditions), int(sizes.max(initial=0)))
    places, constant = np.zeros(shape, dtype=np.int64), np.ones(shape)
    for c, (condition, of) in enumerate(zip(conditions, columns, strict=True)):
        places[c, : of.size], constant[c, : of.size] = of, _constant(condition)
    added = [0.0 if each.kind == DISTINCT else slack for each in conditions]
    return Conditions(
        np.array([each.kind for each in conditions], dtype=np.int64),
        sizes,
        np.array([each.level for each in conditions], dtype=np.float64) + np.array(added),
        np.array([each.parameter for each in conditions], dtype=np.float64),
        places,
        constant,
        np.zeros(inequalities),
    )


def excess(condition: Condition, masses: FloatArray) -> FloatArray:
    """Return the value of a condition for each row of masses (rows, m); at most 0 iff met."""
    kind, level, _, parameter = condition
    return _excess(kind, level, _constant(condition), parameter, masses)


def lacking_of(conditions: Conditions, gains: FloatArray) -> FloatArray:
    """Return by how much rows of gains (rows, k) violate the conditions, all together; (rows,)."""
    found = np.zeros(len(gains))
    for kind, size, level, parameter, columns, constant in zip(*conditions[:-1], strict=True):
        masses = gains[:, columns[:size]]
        found += np.maximum(_excess(kind, level, constant[:size], parameter, masses), 0)
    return found


def facets(condition: Condition) -> FloatArray:
    """Return all tangents (c, m) of a condition that has finitely many: spread, or ranked.

    f(v) is the largest of them: 2^m - 2 for `spread`, 2^(m-1) for `ranked`.
    """
    size = condition.reference.size
    if condition.kind == SPREAD:
        lines = _signs(size)[1:-1]  # all alike say nothing: the deviations add up to zero
    else:
        signs = _signs(size - 1) / max(1, size - 1)
        beyond = np.cumsum(signs[:, ::-1], axis=1)[:, ::-1]
        lines = np.hstack([beyond, np.zeros((len(beyond), 1))])
    return np.asarray(lines - (lines @ condition.reference)[:, np.newaxis] - condition.level)


def _signs(size: int) -> FloatArray:
    """Return all vectors of +1 and -1, shape (2^size, size)."""
    bits = np.arange(2**size)[:, np.newaxis] >> np.arange(size)
    return np.asarray(2.0 * (bits & 1) - 1)


def _excess(
    kind: int, level: float, constant: FloatArray, parameter: float, masses: FloatArray
) -> FloatArray:
    """Return the value of a condition with the constants of `Conditions`; (rows,)."""
    v = np.asarray(masses, dtype=np.float64)
    w = v.sum(axis=1)
    found: FloatArray
    if kind == SPREAD:
        found = np.abs(v - np.outer(w, constant)).sum(axis=1)
    elif kind == RANKED:
        beyond = np.cumsum(v - np.outer(w, constant), axis=1)[:, :-1]
        found = np.abs(beyond).sum(axis=1) / max(1, v.shape[1] - 1)
    elif kind == POWER:
        # Relative to w, so that small masses do not underflow.
        found = w * (_shares(v, w) ** parameter @ constant) ** (1 / parameter)
    elif kind == LOGARITHM:
        shares = _shares(v, w)
        logs = np.log(shares, out=np.zeros_like(v), where=shares > 0)
        found = (v * (logs - np.where(shares > 0, constant, 0))).sum(axis=1)
    else:
        return np.asarray((level - (v > MIN_PRESENT * w[:, np.newaxis]).sum(axis=1)) * w)
    return np.asarray(found - level * w)


def _shares(v: FloatArray, w: FloatArray) -> FloatArray:
    """Return v / w; zero where w is."""
    whole = w[:, np.newaxis]
    return np.asarray(np.divide(v, whole, out=np.zeros_like(v), where=whole > 0))


def tangent(condition: Condition, masses: FloatArray) -> FloatArray | None:
    """Return t with f(v) >= sum of t(s) v(s) everywhere, equal at these masses (m,).

    None for a condition that has no tangents. A logarithm of zero is taken at a tiny share, where
    the tangent is below f, too.
    """
    v, reference, level = masses / masses.sum(), condition.reference, condition.level
    if condition.kind == SPREAD:
        sign = np.sign(v - reference)
        return np.asarray(sign - sign @ reference - level)
    if condition.kind == RANKED:
        sign = np.sign(np.cumsum(v - reference)[:-1]) / max(1, v.size - 1)
        beyond = np.append(np.cumsum(sign[::-1])[::-1], 0.0)  # of the ranks from s on
        return np.asarray(beyond - beyond @ reference - level)
    if condition.kind == POWER:
        a, weights = condition.parameter, _constant(condition)
        norm = float(weights @ v**a) ** (1 / a)
        return np.asarray(weights * (v / norm) ** (a - 1) - level)
    if condition.kind == LOGARITHM:
        v = np.maximum(v, MIN_PRESENT)
        v = v / v.sum()
        return np.asarray(np.log(v / reference) - level)
    return None


def _constant(condition: Condition) -> FloatArray:
    if condition.kind == POWER:
        powers: FloatArray = condition.reference ** (1 - condition.parameter)
        return powers
    if condition.kind == LOGARITHM:
        return np.log(condition.reference)
    return condition.reference
