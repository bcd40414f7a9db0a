"""Small problems with readers who know more, and everything that such a reader compares."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from loglift import Bound, merge, randomize
from loglift.mechanism.given import Given
from loglift.promise.known import Known


@dataclass
class Case:
    """A joint, a bound and promises; `compared` has n(x,s) of each context, and n(s) before."""

    joint: np.ndarray
    bound: Bound
    lower: np.ndarray
    upper: np.ndarray
    promises: list = field(default_factory=list)
    compared: list = field(default_factory=list)
    kinds: set = field(default_factory=set)

    @property
    def p(self):
        return self.joint.sum(axis=1) / self.joint.sum()

    def rows(self):
        """Every inequality as a row of coefficients of p(x|y): met where it is not negative."""
        found = []
        for counts, before in self.compared:
            prior, sizes = before / before.sum(), counts.sum(axis=1)
            for s in np.flatnonzero(prior):
                if math.isfinite(self.lower[s]):
                    found.append(counts[:, s] - math.exp(-self.lower[s]) * prior[s] * sizes)
                if math.isfinite(self.upper[s]):
                    found.append(math.exp(self.upper[s]) * prior[s] * sizes - counts[:, s])
        return np.array(found) / self.joint.sum(axis=1)

    def outside(self, channel):
        """By how many nats the worst reader of a channel is outside the bound; negative inside."""
        worst = -math.inf
        for counts, before in self.compared:
            for shown in channel.T @ counts:
                for s in np.flatnonzero(before if shown.sum() > 0 else ()):
                    lift = shown[s] / shown.sum() / (before[s] / before.sum())
                    if math.isfinite(self.lower[s]):
                        below = math.inf if lift == 0 else -self.lower[s] - math.log(lift)
                        worst = max(worst, below)
                    if math.isfinite(self.upper[s]) and lift > 0:
                        worst = max(worst, math.log(lift) - self.upper[s])
        return worst


def small_case(seed, *, earlier_share=None):
    """Up to four public values; a known variable, an earlier release, a value without a bound.

    `earlier_share` is the eps of the earlier release as a share of eps; at most 0.7 by default.
    """
    rng = np.random.default_rng(seed)
    n, k, m = int(rng.integers(2, 5)), int(rng.integers(1, 3)), int(rng.integers(2, 4))
    counts = rng.integers(0, 9, (n, k, m))
    counts[:, 0] += 1
    joint, eps = counts.sum(axis=1), float(rng.choice([0.2, 0.5, 1.0]))
    prior = joint.sum(axis=0)
    case = Case(joint, Bound.symmetric(eps), np.full(m, eps), np.full(m, eps))
    case.compared.append((joint, prior))
    if rng.random() < 0.4:
        rare = int(prior.argmin())
        case.bound = case.bound.with_values({rare: None})
        case.lower[rare] = case.upper[rare] = math.inf
        case.kinds.add("unbounded value")
    if rng.random() < 0.6:
        case.promises.append(Known(counts))
        case.compared += [(counts[:, i], counts[:, i].sum(axis=0)) for i in range(k)]
        case.kinds.add("known")
    share = float(rng.choice([0.3, 0.7])) if earlier_share is None else earlier_share
    kind = int(rng.integers(3)) if earlier_share is None else 1 + int(rng.integers(2))
    if kind:
        earlier = (merge, randomize)[kind - 1](joint, share * eps)
        case.promises.append(Given(earlier))
        case.compared += [(joint * y[:, np.newaxis], prior) for y in earlier.channel.T]
        case.kinds.add(("given a partition", "given a channel")[kind - 1])
    return case
