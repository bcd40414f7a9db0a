"""Small joints, and the slow ranges of p(s|x) of the minimality attack."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import linprog

from loglift import Bound


def joint_of(seed, n=6, m=3, zeros=0.0):
    random = np.random.default_rng(seed)
    mass = random.integers(1, 40, (n, m)).astype(np.float64)
    mass[random.random((n, m)) < zeros] = 0
    mass[:, 0] += mass.sum(axis=1) == 0
    mass[0] += mass.sum(axis=0) == 0
    return mass


def slow_range(mass, channel, bound, x, s, known=None):
    """Return the least and the largest p(s|x) over all joints that fit what is published.

    The unknown is the whole p(s,x): p(x) and p(s) are given, every p(s|y) is within the bound, and
    equal to `known` where that is given.
    """
    n, m = mass.shape
    p, prior = mass.sum(axis=1) / mass.sum(), mass.sum(axis=0) / mass.sum()
    equal, right, above, most = [], [], [], []
    for i in range(n):
        row = np.zeros((n, m))
        row[i] = 1
        equal.append(row.ravel())
        right.append(p[i])
    for j in range(m):
        row = np.zeros((n, m))
        row[:, j] = 1
        equal.append(row.ravel())
        right.append(prior[j])
    for y in range(channel.shape[1]):
        weight = channel[:, y] @ p
        if not weight:
            continue
        for j in range(m):
            row = np.zeros((n, m))
            row[:, j] = channel[:, y]
            if known is not None:
                equal.append(row.ravel())
                right.append(known[y, j] * weight)
                continue
            for sign, limit in ((1, math.exp(bound.upper)), (-1, math.exp(-bound.lower))):
                if math.isfinite(limit):
                    above.append(sign * row.ravel())
                    most.append(sign * limit * prior[j] * weight)
    ends = []
    for sign in (1, -1):
        cost = np.zeros((n, m))
        cost[x, s] = sign / p[x]
        done = linprog(
            cost.ravel(),
            A_ub=np.array(above) if above else None,
            b_ub=most or None,
            A_eq=np.array(equal),
            b_eq=right,
        )
        assert done.status == 0
        ends.append(sign * done.fun)
    return ends


def per_value(m):
    """Return a bound with limits for each of m sensitive values, in a mapping as well."""
    given = {0: (1.5, 0.2), 1: None}
    sides = {0: (1.5, 0.2), 1: (math.inf, math.inf)} | dict.fromkeys(range(2, m), (0.5, 0.5))
    return Bound.symmetric(0.5).with_values(given), sides


def slow_range_by_value(mass, channel, sides, x, s):
    """Return the range of p(s|x) over all joints within limits of each sensitive value."""
    n, m = mass.shape
    p, prior = mass.sum(axis=1) / mass.sum(), mass.sum(axis=0) / mass.sum()
    equal = [np.eye(n)[i][:, np.newaxis] * np.ones(m) for i in range(n)]
    equal += [np.ones((n, 1)) * np.eye(m)[j] for j in range(m)]
    above, most = [], []
    for y in range(channel.shape[1]):
        weight = channel[:, y] @ p
        for j, (lower, upper) in sides.items():
            row = channel[:, y][:, np.newaxis] * np.eye(m)[j]
            if math.isfinite(upper):
                above.append(row.ravel())
                most.append(math.exp(upper) * prior[j] * weight)
            if math.isfinite(lower):
                above.append(-row.ravel())
                most.append(-math.exp(-lower) * prior[j] * weight)
    ends = []
    for sign in (1, -1):
        cost = np.zeros((n, m))
        cost[x, s] = sign / p[x]
        equals = np.array([row.ravel() for row in equal])
        done = linprog(cost.ravel(), np.array(above), most, equals, np.append(p, prior))
        assert done.status == 0
        ends.append(sign * done.fun)
    return ends
