"""Algorithm 1 of the paper: a greedy refinement of the high-risk values.

Start a block at the riskiest value left, merge it with the value that gives the least omega until
the block is safe, and repeat. If the last block stays unsafe, merge it with whole blocks in the
same way. Only high-risk values are merged. Ties (within the tolerance of `promise.limits`) go to
the first value in row order; `argmin over 1<i<p` is read as 1<=i<p. O(h^2 m) at worst for h
high-risk and m sensitive values.

Departures from the paper: whether a block is safe is decided by the linear inequalities; an
asymmetric bound replaces omega by the excess max(i - upper, -i - lower), which orders blocks as
omega does when lower = upper; and `absorb` gives an answer where the paper has none, when all
high-risk values together are unsafe.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from loglift._compute.kernels import is_short, kernels
from loglift.joint import FloatArray, IntArray
from loglift.measures.partition import canonical
from loglift.merging._rules import Rules, Values
from loglift.merging.problem import Problem
from loglift.promise.bound import Bound
from loglift.promise.lift import LiftPromise
from loglift.promise.limits import TOLERANCE


def greedy(problem: Problem, *, absorb: bool = False) -> IntArray:
    """Return the block number of each value to partition, canonical.

    Without `absorb` the result may be unsafe. With it low-risk values are added to the unsafe
    block, least omega first, until it is safe: at the latest when it holds all values. omega needs
    the bound on log-lift: other promises raise TypeError.
    """
    promise, rows = problem.promise, problem.chosen
    if not isinstance(promise, LiftPromise) or not isinstance(promise.bound, Bound):
        raise TypeError("Algorithm 1 needs one bound on log-lift")
    mass, prior, bound = promise.mass[rows], promise.prior, promise.bound
    found, expected = mass * prior.sum(), mass.sum(axis=-1, keepdims=True) * prior
    safe, excess = _risk(found, expected, bound)
    by_risk, least_risk = _in_order(-excess), _in_order(excess)
    plain = is_short(rows.size**2 * prior.size)
    block_of = kernels("merging._greedy_kernels", plain=plain).algorithm1(
        np.flatnonzero(~safe),
        by_risk[~safe[by_risk]],
        least_risk[safe[least_risk]] if absorb else least_risk[:0],
        Values(np.ascontiguousarray(mass), mass.sum(axis=1)),
        _rules(prior, bound),
    )
    return canonical(_number_the_rest(block_of))


def greedy_many(
    masses: FloatArray, found: FloatArray, expected: FloatArray, bound: Bound
) -> IntArray:
    """Run Algorithm 1 on many joints (d, n, m) in one call; shape (d, n), not canonical.

    `found` is n n(s,x) and `expected` is n(s) n(x) of the same joints.
    """
    loops = kernels("merging._greedy_kernels", plain=False)
    safe, excess = _risk(found, expected, bound)
    in_order = np.argsort(safe, axis=1, kind="stable")  # high-risk rows first, then low-risk
    by_risk = _in_order(np.where(safe, 0, -excess))  # an excess is positive: low-risk rows last
    sizes = (~safe).sum(axis=1)
    rules = _rules(np.zeros(masses.shape[2]), bound)
    return _number_the_rest(loops.algorithm1_many(masses, in_order, by_risk, sizes, rules))


def _in_order(keys: FloatArray) -> IntArray:
    """Return row numbers by key; keys within the tolerance of each other stay in row order."""
    order = np.argsort(keys, axis=-1, kind="stable")
    sorted_keys = np.take_along_axis(keys, order, axis=-1)
    before, after = sorted_keys[..., :-1], sorted_keys[..., 1:]
    with np.errstate(invalid="ignore"):  # the difference of equal infinite keys is not a number
        near = after - before <= TOLERANCE * np.minimum(np.abs(before), np.abs(after))
    rank = np.zeros_like(order)
    rank[..., 1:] = np.cumsum(~near & (after != before), axis=-1)
    return np.take_along_axis(order, np.argsort(rank * keys.shape[-1] + order, axis=-1), axis=-1)


def _risk(
    found: FloatArray, expected: FloatArray, bound: Bound
) -> tuple[NDArray[np.bool_], FloatArray]:
    """Return which values are low-risk, and the excess of each; arrays have shape (..., n, m).

    The arithmetic is that of the kernels, n(s,x) n against n(s) n(x): ties of counts are exact.
    """
    down, up = _sides(bound)
    worst: FloatArray = (up * (found / expected)).max(axis=-1)
    if down > 0:
        with np.errstate(divide="ignore"):
            worst = np.maximum(worst, (down * (expected / found)).max(axis=-1))
    return bound.is_safe(found, expected), worst


def _sides(bound: Bound) -> tuple[float, float]:
    """Return the weights (down, up) of the two sides of the excess; both 1 when lower = upper."""
    nearest = min(bound.lower, bound.upper)
    return math.exp(nearest - bound.lower), math.exp(nearest - bound.upper)


def _rules(prior: FloatArray, bound: Bound) -> Rules:
    down, up = _sides(bound)
    return Rules(prior, float(prior.sum()), bound.least, bound.most, down, up)


def _number_the_rest(block_of: IntArray) -> IntArray:
    """Give every row marked -1 a block number of its own, from the number of rows on."""
    n = block_of.shape[-1]
    return np.where(block_of < 0, np.arange(n) + n, block_of)
