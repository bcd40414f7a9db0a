"""How much utility any safe partition could keep at most.

Merging loses H(X) - H(Y) = sum over x of p(x) log p(B(x))/p(x), with B(x) the block of x. A price
for every value, such that no safe block has more utility than its members' prices, is a proof: no
partition has more utility than all prices together. Prices come from what each value must lose.

*By mass.* A value that lacks something of a constraint (gains must add up to needs, see
`_build_kernels`) shares its block with values that have it, and those weigh at least m(x)
(`_ceiling_kernels`): it loses at least p(x) log(1 + m(x)/p(x)).

*By mass, takers and givers.* For a single constraint the values that lack it and those that have
it are different ones, and the latter lose too. In a block with takers of mass l and givers of mass
M they lose at least p(x) log((l+M)/p(x)) each, and M log((l+M)/M) in all; per unit of l the latter
and log(l+M) together grow with l and with M. So a block loses at least, for each taker in it,
p(x) log(1 + m(x)/p(x)) + m(x) log(1 + p(x)/m(x)).

*By number.* With a finite lower bound every block holds every sensitive value, so there are at
most as many blocks as public values that have the rarest one, and H(Y) is at most the logarithm.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from loglift._compute.plain import fitting
from loglift.joint import FloatArray
from loglift.measures.entropy import plogp
from loglift.merging.problem import constraint_columns
from loglift.promise.bound import TOLERANCE, Bound, safe_rows
from loglift.sparse import Mass, holders


def ceiling(mass: Mass, bound: Bound) -> float:
    """Return an upper bound on H(Y) over all safe partitions of a trusted mass (n, m).

    O(m n log n).
    """
    return max(0.0, min(float(prices(mass, bound).sum()), _by_number(mass, bound)))


def prices(mass: Mass, bound: Bound) -> FloatArray:
    """Prices (n,) that no safe block of a trusted mass exceeds: the best of those above, by sum."""
    p = mass.sum(axis=1) / mass.sum()
    unsafe = ~safe_rows(mass, bound)
    company = np.zeros_like(p)
    if p.size > 1:
        company[unsafe] = p.min()  # it cannot stay alone
    charges = p * 0
    for gain in constraint_columns(mass, bound):
        takers = unsafe & (gain < 0)
        if takers.any():
            needed = _least_company(gain, p, takers)
            company[takers] = np.maximum(company[takers], needed)
            charge = np.zeros_like(p)
            charge[takers] = p[takers] * np.log1p(needed / p[takers])
            charge[takers] += needed * np.log1p(p[takers] / needed)
            charges = max(charges, charge, key=np.sum)
    charges = max(charges, p * np.log1p(company / p), key=np.sum)
    found: FloatArray = -plogp(p) - charges
    return found


def _least_company(gain: FloatArray, p: FloatArray, takers: NDArray[np.bool_]) -> FloatArray:
    """The least mass of others in the block of each taker, by one constraint."""
    from loglift.merging import _ceiling_kernels as kernels  # noqa: PLC0415, numba loads when used

    lacking = -gain[takers] * (1 - TOLERANCE)
    givers = np.flatnonzero(gain > 0)
    givers = givers[np.argsort(-gain[givers] / p[givers], kind="stable")]
    company = fitting(kernels.least_company, p.size)(
        lacking, np.argsort(lacking), gain[givers], p[givers], np.argsort(gain[givers])
    )
    # All givers suffice, whatever rounding says.
    return np.asarray(np.minimum(company, p[givers].sum()))


def _by_number(mass: Mass, bound: Bound) -> float:
    if math.isinf(bound.lower):
        return math.inf
    return math.log(holders(mass).min())
