"""Algorithm 1 of the paper: a greedy refinement of the high-risk values.

Start a block at the riskiest value left, fuse it with the value that makes omega least until the
block is safe, and repeat; if the last block stays unsafe, fuse it with whole blocks in the same
way. Only high-risk values are merged. Ties go to the first value in row order; `argmin over
1<i<p` is read as 1<=i<p. O(h^2 m) at worst for h high-risk and m sensitive values.

Departures from the paper: whether a block is safe is decided on the linear inequalities; an
asymmetric bound replaces omega by the excess max(i - upper, -i - lower), which orders blocks as
omega does when lower = upper; and `absorb` gives an answer where the paper has none, when the
high-risk values together are still unsafe.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from loglift.bound import Bound
from loglift.joint import FloatArray, IntArray
from loglift.measures.partition import canonical

if TYPE_CHECKING:
    from loglift.merging._kernels import Rules


def greedy(mass: FloatArray, bound: Bound, *, absorb: bool = False) -> IntArray:
    """Block number of each row of a trusted mass (n, m), canonical.

    The result may be unsafe unless `absorb`: then low-risk values are added to the unsafe block,
    least omega first, until it is safe, at the latest as the whole alphabet.
    """
    from loglift.merging import _kernels  # noqa: PLC0415, numba loads only when used

    values = _kernels.Values(np.ascontiguousarray(mass), mass.sum(axis=1))
    block_of = _kernels.algorithm1(values, _rules(mass.sum(axis=0), bound), absorb)
    return canonical(_number_the_rest(block_of))


def greedy_many(masses: FloatArray, bound: Bound) -> IntArray:
    """`greedy` for many joints (d, n, m) in one call; shape (d, n), numbers not canonical."""
    from loglift.merging import _kernels  # noqa: PLC0415, numba loads only when used

    rules = _rules(np.zeros(masses.shape[2]), bound)
    return _number_the_rest(_kernels.algorithm1_many(masses, rules))


def _rules(prior: FloatArray, bound: Bound) -> Rules:
    from loglift.merging import _kernels  # noqa: PLC0415, numba loads only when used

    nearest = min(bound.lower, bound.upper)  # so that lower = upper weighs by exactly 1
    return _kernels.Rules(
        prior=prior,
        total=float(prior.sum()),
        least=bound.least,
        most=bound.most,
        down=math.exp(nearest - bound.lower),
        up=math.exp(nearest - bound.upper),
    )


def _number_the_rest(block_of: IntArray) -> IntArray:
    """Give every row marked -1 a block number of its own, from the number of rows on."""
    n = block_of.shape[-1]
    return np.where(block_of < 0, np.arange(n) + n, block_of)
