"""How much utility any safe partition could keep at most.

Two bounds on H(Y), each valid on its own; the smaller one counts.

*By mass.* H(X) - H(Y) = sum over x of p(x) log p(B(x))/p(x), with B(x) the block of x, so a lower
bound on every p(B(x)) is an upper bound on H(Y). A value that lacks something of a constraint (see
`_build_kernels`: gains must add up to needs) shares its block with values that have it, and the
least mass that can hold that much of it is what the values richest in it, taken in order and the
last one in part, weigh together: a fractional knapsack.

*By number.* With a finite lower bound every block holds every sensitive value, so there are at
most as many blocks as public values that have the rarest one, and H(Y) is at most the logarithm.
"""

from __future__ import annotations

import math

import numpy as np

from loglift.bound import TOLERANCE, Bound, safe_rows
from loglift.joint import FloatArray
from loglift.measures.entropy import entropy
from loglift.merging.search import constraints


def ceiling(mass: FloatArray, bound: Bound) -> float:
    """Return an upper bound on H(Y) over all safe partitions of a trusted mass (n, m).

    O(m n log n).
    """
    p = mass.sum(axis=1) / mass.sum()
    least_block = p + _least_company(mass, bound, p)
    by_mass = float(-(p * np.log(np.minimum(least_block, 1))).sum())
    return max(0.0, min(entropy(p), by_mass, _by_number(mass, bound)))


def _least_company(mass: FloatArray, bound: Bound, p: FloatArray) -> FloatArray:
    """The least mass of other values in the block of each value."""
    company = np.zeros_like(p)
    unsafe = ~safe_rows(mass, bound)
    if p.size > 1:
        company[unsafe] = p.min()  # it cannot stay alone
    gain = constraints(mass, bound)[0]
    for column in gain.T:
        rich = column > 0
        order = np.argsort(-column[rich] / p[rich], kind="stable")
        supply = np.concatenate([[0.0], np.cumsum(column[rich][order])])
        weight = np.concatenate([[0.0], np.cumsum(p[rich][order])])
        lacking = np.where(unsafe & (column < 0), -column, 0.0)
        needed = np.interp(lacking * (1 - TOLERANCE), supply, weight)
        company = np.maximum(company, needed)
    return company


def _by_number(mass: FloatArray, bound: Bound) -> float:
    if math.isinf(bound.lower):
        return math.inf
    return math.log(np.count_nonzero(mass, axis=0).min())
