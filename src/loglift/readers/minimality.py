"""The minimality attack: what the published files tell about p(s|x) of single public values.

Known to the attacker: p(x), p(s), the mechanism, and that every released value is within the bound;
p(s|y) too where the sensitive columns are released. What follows is a range of p(s|x) for every x
and s, computed for each s against all others: what the limits of the others leave for s. With one
bound for all values, scaling the others alike meets their limits, so nothing is lost by that. With
bounds of single values a range of a randomized release may be wider than what follows, never
narrower. What follows from a bound that is also kept to readers who know more is not computed.

Merged, with r = p(x)/p(B) the share of x in its block B:

    p(s|x) is in [1 - (1 - low)/r, high/r], cut at 0 and 1,

where low and high limit p(s|B): by the bound, and because all blocks together have p(s). Reached
where the other members have all of the rest.

Randomized: lifts l(x) = p(s|x)/p(s) with 0 <= l <= 1/p(s), mean 1 under p(x), and a mean under each
posterior p(x|y) that is within the bound; the least and the largest l(x) are linear programs. Where
the channel is sparse, values that share no released value are looked at apart, and the mean under
p(x) is left out: ranges may be wider than what follows, never narrower.

More follows if the attacker takes the mechanism for optimal:

- merged: no value could have been left out of its block, so that it, or the rest of its block, is
  outside the bound. Where the rest cannot be, the value is.
- randomized: posteriors are vertices, so most lie on the bound. Here the attacker is also told
  which ones do, and on which side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.promise.bound import Bound
from loglift.promise.limits import Limits
from loglift.readers.ranges import (
    drawn_ranges,
    events_of,
    merged_ranges,
    must_be_outside,
    on_the_bound,
    stands_for_several,
    surely_outside,
)
from loglift.sparse import Mass

MAX_PROGRAMS = 3000  # linear programs, over all public values and both ends of their ranges
CALLED_SHARE = 8  # a merged value with at most one in so many of its block's records is called
EXACTLY = 0.001  # a range that is not wider tells p(s|x)
_TOLD = 1e-6  # programs are solved to this


@dataclass(frozen=True)
class RangeReading:
    """What ranges of p(s|x) tell; shares are of the records that were looked at.

    Attributes
    ----------
    not_prior
        Records of public values for which some p(s|x) cannot be p(s).
    ruled_out
        Records of public values for which some p(s|x) must be 0.
    outside
        Records of public values that must be outside the bound.
    worked_out
        Records of public values for which every p(s|x) is known to 0.001.
    narrowest, mean_width, widest
        The width of the widest range of a public value: the least, the mean over records, and the
        largest.

    """

    not_prior: float
    ruled_out: float
    outside: float
    worked_out: float
    narrowest: float
    mean_width: float
    widest: float


@dataclass(frozen=True)
class Calls:
    """An attack on a merged release that calls values high-risk: how often it is right.

    Called are merged values with at most an eighth of their block's records: they are there because
    they need the others. Shares are of called values that are outside the bound. `guessing` is the
    share of merged values that are, `fewest` that of as many merged values with the fewest records,
    for which no mechanism is needed.
    """

    merged: int
    called: int
    right: float
    guessing: float
    fewest: float


@dataclass(frozen=True)
class MinimalityReading:
    """What the published files tell about single public values, for one sensitive variable.

    Attributes
    ----------
    records
        The share of the records whose public values were looked at; below 1 where there are too
        many programs to solve.
    published
        What follows from the published files.
    optimal
        What follows if the mechanism is also taken for optimal; for a randomized release, told
        which released values are on the bound.
    optimal_true
        The share of the merged records for which that is true; of the released values of a
        randomized release, the share that is on the bound.
    calls
        For a merged release with merged values: the attack that calls values high-risk.

    """

    records: float
    published: RangeReading
    optimal: RangeReading
    optimal_true: float
    calls: Calls | None


def merged_reading(
    mass: FloatArray, labels: IntArray, bound: Bound | Limits, *, published: bool
) -> MinimalityReading:
    """Measure the attack on a partition; `mass` is n(x,s), rows without records are left out.

    `published` tells whether the sensitive column is released. O(n m) for n public and m sensitive
    values.
    """
    there = mass.sum(axis=1) > 0
    mass, labels = mass[there], np.unique(labels[there], return_inverse=True)[1]
    low, high = merged_ranges(mass, labels, bound, published=published)
    surely = surely_outside(mass, labels, bound, published=published)
    weight, prior = mass.sum(axis=1), mass.sum(axis=0) / mass.sum()
    merged = np.bincount(labels)[labels] > 1
    first = _reading(low, high, weight, prior, bound)
    outside = surely | must_be_outside(low, high, prior, bound)
    return MinimalityReading(
        records=1.0,
        published=first,
        optimal=_reading(low, high, weight, prior, bound, outside=outside),
        optimal_true=_share(_cannot_leave(mass, labels, bound), weight * merged),
        calls=_calls(mass, labels, bound) if merged.any() else None,
    )


def drawn_reading(
    mass: FloatArray, posterior: Mass, bound: Bound | Limits, *, published: bool
) -> MinimalityReading:
    """Measure the attack on a channel; `mass` is n(x,s), `posterior` p(x|y) with one row per y.

    Where the sensitive column is released (`published`), p(s|y) is taken as known exactly; an
    attacker estimates it from the records of one draw.
    The public values with the most records are looked at first, as far as `MAX_PROGRAMS` go.
    """
    weight, prior = mass.sum(axis=1), mass.sum(axis=0) / mass.sum()
    room = max(1, MAX_PROGRAMS // (4 * events_of(prior).size))
    chosen = np.argsort(-weight, kind="stable")[:room]
    chosen = chosen[weight[chosen] > 0]
    readings = []
    for optimal in (False, True):
        low, high = drawn_ranges(
            mass, posterior, bound, chosen, published=published, optimal=optimal
        )
        readings.append(_reading(low, high, weight[chosen], prior, bound))
    several = stands_for_several(posterior)
    tight = np.asarray(on_the_bound(mass, posterior, bound).any(axis=(0, 2)))
    return MinimalityReading(
        records=float(weight[chosen].sum() / weight.sum()),
        published=readings[0],
        optimal=readings[1],
        optimal_true=float(tight[several].mean()) if several.any() else 1.0,
        calls=None,
    )


def _cannot_leave(mass: FloatArray, labels: IntArray, bound: Bound | Limits) -> NDArray[np.bool_]:
    """Return which values are outside the bound, or would leave a block that is."""
    blocks = np.zeros((int(labels.max()) + 1, mass.shape[1]))
    np.add.at(blocks, labels, mass)
    rest = np.maximum(blocks[labels] - mass, 0.0)
    return ~(_inside(mass, mass, bound) & _inside(rest, mass, bound))


def _inside(rows: FloatArray, mass: FloatArray, bound: Bound | Limits) -> NDArray[np.bool_]:
    prior = mass.sum(axis=0) / mass.sum()
    return bound.is_safe(rows, rows.sum(axis=1)[:, np.newaxis] * prior)


def _calls(mass: FloatArray, labels: IntArray, bound: Bound | Limits) -> Calls:
    weight = mass.sum(axis=1)
    merged = np.bincount(labels)[labels] > 1
    high_risk = ~_inside(mass, mass, bound)
    called = merged & (CALLED_SHARE * weight <= np.bincount(labels, weight)[labels])
    lightest = [x for x in np.argsort(weight, kind="stable") if merged[x]]
    fewest = lightest[: int(called.sum())]
    return Calls(
        merged=int(merged.sum()),
        called=int(called.sum()),
        right=float(high_risk[called].mean()) if called.any() else 0.0,
        guessing=float(high_risk[merged].mean()),
        fewest=float(high_risk[fewest].mean()) if fewest else 0.0,
    )


def _reading(
    low: FloatArray,
    high: FloatArray,
    weight: FloatArray,
    prior: FloatArray,
    bound: Bound | Limits,
    *,
    outside: NDArray[np.bool_] | None = None,
) -> RangeReading:
    width = np.maximum(high - low, 0.0).max(axis=1)
    other = np.asarray(((low > prior + _TOLD) | (high < prior - _TOLD)).any(axis=1))
    must = must_be_outside(low, high, prior, bound) if outside is None else outside
    return RangeReading(
        not_prior=_share(other | must, weight),
        ruled_out=_share(np.asarray((high <= _TOLD).any(axis=1)), weight),
        outside=_share(must, weight),
        worked_out=_share(width <= EXACTLY, weight),
        narrowest=float(width.min()),
        mean_width=float(np.average(width, weights=weight)),
        widest=float(width.max()),
    )


def _share(chosen: NDArray[np.bool_], weight: FloatArray) -> float:
    """Return the share of the weight that is chosen; 1 where there is no weight."""
    total = weight.sum()
    return min(1.0, float(weight[chosen].sum() / total)) if total else 1.0
