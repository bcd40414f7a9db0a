"""Ranges of p(s|x) that fit what is published; the mathematics is in `minimality`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.promise.bound import Bound
from loglift.promise.limits import Limits
from loglift.sparse import Cells, Mass, apart, as_cells, between

MIN_PART_RELEASED = 200  # of a sparse release: smaller parts are looked at together
_ROUNDING = 1e-9
_ON_THE_BOUND = 1e-7  # relative: a lift this near to its limit is on it


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


def drawn_ranges(
    mass: FloatArray,
    posterior: Mass,
    bound: Bound | Limits,
    chosen: IntArray,
    *,
    published: bool,
    optimal: bool,
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest p(s|x) of the chosen public values, shape (chosen, s).

    `optimal` tells the attacker which released values are on the bound. For more than two sensitive
    values ranges may then be wider than what follows: each s is looked at on its own. So may those
    of a sparse posterior: public values that share no released value are looked at apart, without
    p.l = 1, which all of them meet together.
    """
    weight, prior = mass.sum(axis=1), mass.sum(axis=0) / mass.sum()
    shown, limits = _lifts(mass, posterior), _lift_limits(prior, bound)
    near = np.logical_and(on_the_bound(mass, posterior, bound), optimal)
    low, high = np.zeros((chosen.size, prior.size)), np.ones((chosen.size, prior.size))
    parts = _parts(posterior, weight / weight.sum(), chosen)
    for s in events_of(prior):
        rows = _row_limits(limits[:, s], near[:, :, s])
        if published:
            rows = shown[:, s] * (1 - _ON_THE_BOUND), shown[:, s] * (1 + _ON_THE_BOUND)
        for part in parts:
            ends = rows[0][part.released], rows[1][part.released]
            found = lift_ranges(part.posterior, part.p, 1 / prior[s], ends, part.chosen)
            low[part.places, s], high[part.places, s] = (prior[s] * end for end in found)
    if events_of(prior).size < prior.size:
        low[:, 1], high[:, 1] = 1 - high[:, 0], 1 - low[:, 0]
    return low, high


@dataclass(frozen=True, eq=False)
class _Part:
    """Public values that share no released value with others, and p(x|y) of these released values.

    `p` is p(x), None where there are other public values. `chosen` are the numbers, within the
    part, of those to look at, and `places` their places among all that are looked at.
    """

    posterior: FloatArray
    released: IntArray
    p: FloatArray | None
    chosen: IntArray
    places: IntArray


def _parts(posterior: Mass, p: FloatArray, chosen: IntArray) -> list[_Part]:
    """Return the parts that chosen values are in; a dense posterior is one part."""
    size, n = posterior.shape
    if not isinstance(posterior, Cells):
        return [_Part(posterior, np.arange(size), p, chosen, np.arange(chosen.size))]
    parts, found = apart(posterior, MIN_PART_RELEASED), []
    for released, public in parts:
        places = np.flatnonzero(np.isin(chosen, public))
        if places.size:
            inside = between(posterior, released, public)
            of_part = p if len(parts) == 1 and public.size == n else None
            own = np.searchsorted(public, chosen[places])
            found.append(_Part(inside, released, of_part, own, places))
    return found


def events_of(prior: FloatArray) -> IntArray:
    """Return the sensitive values to look at: of two, p(s|x) of one tells that of the other."""
    return np.arange(1 if prior.size == 2 else prior.size)  # noqa: PLR2004, two values


def _lifts(mass: FloatArray, posterior: Mass) -> FloatArray:
    """Return p(s|y)/p(s) of each released value, shape (y, s)."""
    weight = mass.sum(axis=1, keepdims=True)
    shares = np.divide(mass, weight, out=np.zeros_like(mass), where=weight > 0)
    return np.asarray(posterior @ shares / (mass.sum(axis=0) / mass.sum()))


def _lift_limits(prior: FloatArray, bound: Bound | Limits) -> FloatArray:
    """Return the least and the largest lift of each s within the bound, shape (2, s)."""
    return np.stack([end / prior for end in _beliefs(prior, bound)])


def on_the_bound(mass: FloatArray, posterior: Mass, bound: Bound | Limits) -> NDArray[np.bool_]:
    """Return which lifts of released values are at the least and at the largest, shape (2, y, s).

    A released value that stands for one public value need not be on the bound to be a vertex.
    """
    shown = _lifts(mass, posterior)
    limits = _lift_limits(mass.sum(axis=0) / mass.sum(), bound)[:, np.newaxis]
    near = (np.abs(shown - limits) <= _ON_THE_BOUND * limits) & (limits > 0)
    return np.asarray(near & stands_for_several(posterior)[:, np.newaxis])


def stands_for_several(posterior: Mass) -> NDArray[np.bool_]:
    """Return which released values stand for more than one public value, shape (y,)."""
    return np.asarray(np.diff(as_cells(posterior).starts) > 1)


def lift_ranges(
    posterior: FloatArray,
    p: FloatArray | None,
    largest: float,
    limits: tuple[FloatArray, FloatArray],
    chosen: IntArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest l(x) of the chosen x.

    0 <= l <= largest, the limits hold for posterior @ l, and p.l = 1 where p is given. Two linear
    programs each.
    """
    import highspy  # noqa: PLC0415, loads when used

    program = highspy.Highs()  # type: ignore[no-untyped-call]
    program.setOptionValue("output_flag", False)
    program.setOptionValue("primal_feasibility_tolerance", 1e-9)
    n = posterior.shape[1]
    program.addVars(n, np.zeros(n), np.full(n, largest))
    mean = [] if p is None else [(p, 1.0, 1.0)]
    for row, low, high in [*zip(posterior, *limits, strict=True), *mean]:
        used = np.flatnonzero(row)
        program.addRow(low, high, used.size, used.astype(np.int32), row[used])
    ends = (highspy.ObjSense.kMinimize, 0.0), (highspy.ObjSense.kMaximize, largest)
    found = np.empty((2, chosen.size))
    for place, x in enumerate(chosen.tolist()):
        program.changeColCost(x, 1.0)
        for end, (sense, otherwise) in enumerate(ends):
            program.changeObjectiveSense(sense)
            program.run()
            solved = program.getModelStatus() == highspy.HighsModelStatus.kOptimal
            value = program.getInfo().objective_function_value if solved else otherwise
            found[end, place] = min(largest, max(0.0, value))
        program.changeColCost(x, 0.0)
    return found[0], found[1]


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


def must_be_outside(
    low: FloatArray, high: FloatArray, prior: FloatArray, bound: Bound | Limits
) -> NDArray[np.bool_]:
    """Return for which values some range of p(s|x) is wholly outside the bound."""
    least, most = _beliefs(prior, bound)
    return np.asarray(((low > most + _ROUNDING) | (high < least - _ROUNDING)).any(axis=1))
