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
posterior p(x|y) that is within the bound; the least and the largest l(x) are linear programs.

More follows if the attacker takes the mechanism for optimal:

- merged: no value could have been left out of its block, so that it, or the rest of its block, is
  outside the bound. Where the rest cannot be, the value is.
- randomized: posteriors are vertices, so most lie on the bound. Here the attacker is also told
  which ones do, and on which side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.promise.bound import Bound, Limits

MAX_PROGRAMS = 3000  # linear programs, over all public values and both ends of their ranges
CALLED_SHARE = 8  # a merged value with at most one in so many of its block's records is called
EXACTLY = 0.001  # a range that is not wider tells p(s|x)
_ROUNDING = 1e-9
_TOLD = 1e-6  # programs are solved to this
_ON_THE_BOUND = 1e-7  # relative: a lift this near to its limit is on it


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
    outside = surely | _must_be_outside(low, high, prior, bound)
    return MinimalityReading(
        records=1.0,
        published=first,
        optimal=_reading(low, high, weight, prior, bound, outside=outside),
        optimal_true=_share(_cannot_leave(mass, labels, bound), weight * merged),
        calls=_calls(mass, labels, bound) if merged.any() else None,
    )


def merged_ranges(
    mass: FloatArray, labels: IntArray, bound: Bound | Limits, *, published: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest p(s|x) of each public value, shape (x, s)."""
    low, high = _block_limits(mass, labels, bound, published=published)
    weight = mass.sum(axis=1)
    r = (weight / np.bincount(labels, weight)[labels])[:, np.newaxis]
    return np.maximum(0.0, 1 - (1 - low[labels]) / r), np.minimum(1.0, high[labels] / r)


def surely_outside(
    mass: FloatArray, labels: IntArray, bound: Bound | Limits, *, published: bool
) -> NDArray[np.bool_]:
    """Return which merged values are outside the bound if no value could have left its block.

    The rest of the block would have to be outside the bound while x is inside. It cannot be where
    the limits of p(s|B) and of p(s|x) keep it inside:

        (p(s|B) - r p(s|x)) / (1 - r) within the bound for all s.
    """
    low, high = _block_limits(mass, labels, bound, published=published)
    least, most = _beliefs(mass.sum(axis=0) / mass.sum(), bound)
    weight = mass.sum(axis=1)
    r = (weight / np.bincount(labels, weight)[labels])[:, np.newaxis]
    rest = np.maximum(1 - r, np.finfo(float).tiny)
    highest, lowest = (high[labels] - r * least) / rest, (low[labels] - r * most) / rest
    inside = (highest <= most + _ROUNDING) & (lowest >= least - _ROUNDING)
    found: NDArray[np.bool_] = inside.all(axis=1) & (np.bincount(labels)[labels] > 1)
    return found


def drawn_reading(
    mass: FloatArray, posterior: FloatArray, bound: Bound | Limits, *, published: bool
) -> MinimalityReading:
    """Measure the attack on a channel; `mass` is n(x,s), `posterior` p(x|y) with one row per y.

    Where the sensitive column is released (`published`), p(s|y) is taken as known exactly; an
    attacker estimates it from the records of one draw.
    The public values with the most records are looked at first, as far as `MAX_PROGRAMS` go.
    """
    weight, prior = mass.sum(axis=1), mass.sum(axis=0) / mass.sum()
    room = max(1, MAX_PROGRAMS // (4 * _events(prior).size))
    chosen = np.argsort(-weight, kind="stable")[:room]
    chosen = chosen[weight[chosen] > 0]
    readings = []
    for optimal in (False, True):
        low, high = drawn_ranges(
            mass, posterior, bound, chosen, published=published, optimal=optimal
        )
        readings.append(_reading(low, high, weight[chosen], prior, bound))
    several = (posterior > 0).sum(axis=1) > 1
    tight = np.asarray(_on_the_bound(mass, posterior, bound).any(axis=(0, 2)))
    return MinimalityReading(
        records=float(weight[chosen].sum() / weight.sum()),
        published=readings[0],
        optimal=readings[1],
        optimal_true=float(tight[several].mean()) if several.any() else 1.0,
        calls=None,
    )


def drawn_ranges(
    mass: FloatArray,
    posterior: FloatArray,
    bound: Bound | Limits,
    chosen: IntArray,
    *,
    published: bool,
    optimal: bool,
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest p(s|x) of the chosen public values, shape (chosen, s).

    `optimal` tells the attacker which released values are on the bound. For more than two sensitive
    values ranges may then be wider than what follows: each s is looked at on its own.
    """
    weight, prior = mass.sum(axis=1), mass.sum(axis=0) / mass.sum()
    shown, limits = _lifts(mass, posterior), _lift_limits(prior, bound)
    near = np.logical_and(_on_the_bound(mass, posterior, bound), optimal)
    low, high = np.zeros((chosen.size, prior.size)), np.ones((chosen.size, prior.size))
    for s in _events(prior):
        rows = _row_limits(limits[:, s], near[:, :, s])
        if published:
            rows = shown[:, s] * (1 - _ON_THE_BOUND), shown[:, s] * (1 + _ON_THE_BOUND)
        ends = lift_ranges(posterior, weight / weight.sum(), 1 / prior[s], rows, chosen)
        low[:, s], high[:, s] = (prior[s] * end for end in ends)
    if _events(prior).size < prior.size:
        low[:, 1], high[:, 1] = 1 - high[:, 0], 1 - low[:, 0]
    return low, high


def _events(prior: FloatArray) -> IntArray:
    """Return the sensitive values to look at: of two, p(s|x) of one tells that of the other."""
    return np.arange(1 if prior.size == 2 else prior.size)  # noqa: PLR2004, two values


def _lifts(mass: FloatArray, posterior: FloatArray) -> FloatArray:
    """Return p(s|y)/p(s) of each released value, shape (y, s)."""
    weight = mass.sum(axis=1, keepdims=True)
    shares = np.divide(mass, weight, out=np.zeros_like(mass), where=weight > 0)
    return np.asarray(posterior @ shares / (mass.sum(axis=0) / mass.sum()))


def _lift_limits(prior: FloatArray, bound: Bound | Limits) -> FloatArray:
    """Return the least and the largest lift of each s within the bound, shape (2, s)."""
    return np.stack([end / prior for end in _beliefs(prior, bound)])


def _on_the_bound(
    mass: FloatArray, posterior: FloatArray, bound: Bound | Limits
) -> NDArray[np.bool_]:
    """Return which lifts of released values are at the least and at the largest, shape (2, y, s).

    A released value that stands for one public value need not be on the bound to be a vertex.
    """
    shown = _lifts(mass, posterior)
    limits = _lift_limits(mass.sum(axis=0) / mass.sum(), bound)[:, np.newaxis]
    near = (np.abs(shown - limits) <= _ON_THE_BOUND * limits) & (limits > 0)
    several = (posterior > 0).sum(axis=1) > 1
    return np.asarray(near & several[:, np.newaxis])


def lift_ranges(
    posterior: FloatArray,
    p: FloatArray,
    largest: float,
    limits: tuple[FloatArray, FloatArray],
    chosen: IntArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest l(x) of the chosen x.

    0 <= l <= largest, p.l = 1, and the limits hold for posterior @ l.
    """
    ends = list(_programs(posterior, p, largest, limits, chosen))
    return np.array([low for low, _ in ends]), np.array([high for _, high in ends])


def _programs(
    posterior: FloatArray,
    p: FloatArray,
    largest: float,
    limits: tuple[FloatArray, FloatArray],
    chosen: IntArray,
) -> Iterator[tuple[float, float]]:
    import highspy  # noqa: PLC0415, loads when used

    program = highspy.Highs()  # type: ignore[no-untyped-call]
    program.setOptionValue("output_flag", False)
    program.setOptionValue("primal_feasibility_tolerance", 1e-9)
    n = p.size
    program.addVars(n, np.zeros(n), np.full(n, largest))
    for row, low, high in [*zip(posterior, *limits, strict=True), (p, 1.0, 1.0)]:
        used = np.flatnonzero(row)
        program.addRow(low, high, used.size, used.astype(np.int32), row[used])
    for x in chosen.tolist():
        program.changeColCost(x, 1.0)
        found = []
        for sense, otherwise in (
            (highspy.ObjSense.kMinimize, 0.0),
            (highspy.ObjSense.kMaximize, largest),
        ):
            program.changeObjectiveSense(sense)
            program.run()
            solved = program.getModelStatus() == highspy.HighsModelStatus.kOptimal
            value = program.getInfo().objective_function_value if solved else otherwise
            found.append(min(largest, max(0.0, value)))
        program.changeColCost(x, 0.0)
        yield found[0], found[1]


def _row_limits(limits: FloatArray, near: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """Return the limits of each released value's lift; those told to be on a limit are held there.

    `near` has one row for the lower limit and one for the upper.
    """
    low, high = np.full(near.shape[1], limits[0]), np.full(near.shape[1], limits[1])
    high[near[0]] = limits[0] * (1 + _ON_THE_BOUND)
    low[near[1]] = limits[1] * (1 - _ON_THE_BOUND)
    return low, high


def _block_limits(
    mass: FloatArray, labels: IntArray, bound: Bound | Limits, *, published: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest p(s|B) of each block, shape (blocks, s).

    Known where the sensitive column is released. Else the lifts of a block and those of the rest of
    the table, which average to one, are both within the bound.
    """
    blocks = np.zeros((int(labels.max()) + 1, mass.shape[1]))
    np.add.at(blocks, labels, mass)
    weight, total = blocks.sum(axis=1), mass.sum()
    if published:
        shares = blocks / weight[:, np.newaxis]
        return shares, shares
    p, prior = (weight / total)[:, np.newaxis], mass.sum(axis=0) / total
    with np.errstate(invalid="ignore"):  # 0 * inf: a block that is the whole table has lifts of one
        least = np.where(p < 1, np.maximum(bound.least, (1 - (1 - p) * bound.most) / p), 1.0)
        most = np.where(p < 1, np.minimum(bound.most, (1 - (1 - p) * bound.least) / p), 1.0)
    return _limits(prior, least, most)


def _beliefs(prior: FloatArray, bound: Bound | Limits) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest p(s|y) within the bound, for each s."""
    return _limits(prior, np.asarray(bound.least), np.asarray(bound.most))


def _limits(
    prior: FloatArray, least: FloatArray, most: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest share of each s, if lifts are between `least` and `most`.

    These have one limit for each s, or one for all in their last axis. The limits of all other
    values limit what is left for s; see `Bound.belief_range`.
    """
    low, high = prior * least, prior * most
    return (
        np.maximum(np.maximum(low, 1 - _of_others(high)), 0.0),
        np.minimum(np.minimum(high, 1 - _of_others(low)), 1.0),
    )


def _of_others(shares: FloatArray) -> FloatArray:
    """Return the sum along the last axis without each of its values, which may be infinite."""
    infinite = np.isinf(shares)
    finite = np.where(infinite, 0.0, shares)
    found = finite.sum(axis=-1, keepdims=True) - finite
    others = infinite.sum(axis=-1, keepdims=True) - infinite
    return np.asarray(np.where(others > 0, np.inf, found))


def _cannot_leave(mass: FloatArray, labels: IntArray, bound: Bound | Limits) -> NDArray[np.bool_]:
    """Return which values are outside the bound, or would leave a block that is."""
    blocks = np.zeros((int(labels.max()) + 1, mass.shape[1]))
    np.add.at(blocks, labels, mass)
    rest = np.maximum(blocks[labels] - mass, 0.0)
    return ~(_inside(mass, mass, bound) & _inside(rest, mass, bound))


def _inside(rows: FloatArray, mass: FloatArray, bound: Bound | Limits) -> NDArray[np.bool_]:
    prior = mass.sum(axis=0) / mass.sum()
    return bound.is_safe(rows, rows.sum(axis=1)[:, np.newaxis] * prior)


def _must_be_outside(
    low: FloatArray, high: FloatArray, prior: FloatArray, bound: Bound | Limits
) -> NDArray[np.bool_]:
    """Return for which values some range of p(s|x) is wholly outside the bound."""
    least, most = _beliefs(prior, bound)
    return np.asarray(((low > most + _ROUNDING) | (high < least - _ROUNDING)).any(axis=1))


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
    must = _must_be_outside(low, high, prior, bound) if outside is None else outside
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
