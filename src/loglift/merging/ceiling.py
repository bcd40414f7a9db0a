"""How much utility any safe partition could keep at most."""

from __future__ import annotations

import numpy as np

from loglift.bound import Bound, safe_rows
from loglift.joint import FloatArray
from loglift.measures.entropy import entropy


def ceiling(mass: FloatArray, bound: Bound) -> float:
    """Return an upper bound on H(Y) over all safe partitions of a trusted mass (n, m). O(n m).

    H(X) - H(Y) = sum over x of p(x) log p(B(x))/p(x), with B(x) the block of x. A high-risk value
    cannot stay alone, so its block weighs at least p(x) plus the least other value.
    """
    weight = mass.sum(axis=1)
    high_risk = np.flatnonzero(~safe_rows(mass, bound))
    p = weight / weight.sum()
    if high_risk.size == 0 or p.size == 1:
        return entropy(p)
    least, second = np.partition(p, 1)[:2]
    alone = p[high_risk]
    partner = np.where((alone == least) & (np.count_nonzero(p == least) == 1), second, least)
    return max(0.0, float(entropy(p) - (alone * np.log1p(partner / alone)).sum()))
