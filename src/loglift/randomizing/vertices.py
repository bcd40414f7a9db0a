"""All vertices of Q, where they are few.

At a vertex with support K, q on K is determined by its sum and by |K| - 1 lifts of sensitive values
at one of their limits. Lifts average to one under p(s), so at most m - 1 of the m are independent.
Solving every such system finds every vertex, degenerate ones more than once. With two sensitive
values the supports are single public values and pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, islice, product

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.randomizing.columns import MIN_ENTRY, Column
from loglift.randomizing.polytope import Posteriors

MAX_ENTRIES = 16_000_000  # of the systems to solve: about two seconds
_MAX_BATCH = 1 << 18  # supports at a time
_MAX_ERROR = 1e-11  # how far outside a limit rounding may put a solution, relative to the lifts


@dataclass(frozen=True, eq=False)
class Vertices:
    """Vertices with supports of one size: supports (r, size), values (r, size)."""

    supports: IntArray
    values: FloatArray

    def column(self, i: int) -> Column:
        """Return one of them."""
        used = self.values[i] > 0
        return Column(self.supports[i][used], self.values[i][used])


def all_vertices(posteriors: Posteriors) -> list[Vertices] | None:
    """Return the vertices of Q by size of support, or None where the systems are too many.

    Also None where rounding hides all vertices, and where Q has rows beside the limits of lifts.
    """
    if len(posteriors.rows.exact):
        return None
    lifts, limits = _independent(posteriors)
    n, sides = posteriors.p.size, limits.shape[0]
    sizes = range(1, min(posteriors.dimension + 1, n) + 1)
    work = sum(
        math.comb(len(lifts), size - 1) * sides ** (size - 1) * math.comb(n, size) * size**2
        for size in sizes
    )
    if work > MAX_ENTRIES:
        return None
    found = [_with_support(lifts, limits, size) for size in sizes]
    return found if any(len(group.values) for group in found) else None


def _independent(posteriors: Posteriors) -> tuple[FloatArray, FloatArray]:
    """Return lifts (m, n) and their limits, shape (sides, m): one side where both are equal.

    Of two sensitive values the rarer one is enough, with the limits of both.
    """
    lifts, prior = posteriors.lifts, posteriors.prior
    limits = np.array(posteriors.limits)
    least, most = limits
    same = bool((least == most).all())
    if len(lifts) == 1:
        return lifts[:0], limits[:, :0]
    if len(lifts) == 2:  # noqa: PLR2004, two sensitive values
        rare = int(prior.argmin())
        p, other = prior[rare], prior[1 - rare]
        below, above = ((1 - other * limit[1 - rare]) / p for limit in (most, least))
        limits = np.array([[max(least[rare], below)], [min(most[rare], above)]])
        lifts = lifts[rare : rare + 1]
    return lifts, limits[:1] if same else limits


def _with_support(lifts: FloatArray, limits: FloatArray, size: int) -> Vertices:
    """Solve all systems with supports of one size, and keep the solutions in Q."""
    found = [
        _solved(lifts, limits, supports, events, sides)
        for supports in _subsets(lifts.shape[1], size)
        for events in combinations(range(len(lifts)), size - 1)
        for sides in product(range(len(limits)), repeat=size - 1)
    ]
    supports = np.concatenate([supports for supports, _ in found])
    return Vertices(supports, np.concatenate([values for _, values in found]))


def _solved(
    lifts: FloatArray,
    limits: FloatArray,
    supports: IntArray,
    events: tuple[int, ...],
    sides: tuple[int, ...],
) -> tuple[IntArray, FloatArray]:
    """Solve for q on each support with some lifts at their limits; return the solutions in Q."""
    r, size = supports.shape
    systems = np.ones((r, size, size))
    systems[:, 1:] = lifts[list(events)][:, supports].transpose(1, 0, 2)
    right = np.ones((r, size))
    right[:, 1:] = [limits[side, s] for side, s in zip(sides, events, strict=True)]
    scale = np.abs(systems).max(axis=2)
    scale[scale == 0] = 1
    systems, right = systems / scale[..., np.newaxis], right / scale
    with np.errstate(all="ignore"):  # almost singular, or an infinite limit
        regular = np.linalg.det(systems) != 0
        supports = supports[regular]
        values = np.linalg.solve(systems[regular], right[regular][..., np.newaxis])[..., 0]
        positive = (values >= -MIN_ENTRY).all(axis=1) & (
            np.abs(values.sum(axis=1) - 1) < _MAX_ERROR
        )
    supports, values = supports[positive], np.where(values > MIN_ENTRY, values, 0.0)[positive]
    values /= values.sum(axis=1, keepdims=True)
    shown = np.einsum("mri,ri->rm", lifts[:, supports], values)
    close = _MAX_ERROR * np.maximum(lifts[:, supports].max(axis=2).T, 1)
    inside = ((shown >= limits[0] - close) & (shown <= limits[-1] + close)).all(axis=1)
    return supports[inside], values[inside]


def _subsets(n: int, size: int) -> Iterator[IntArray]:
    """Yield all sets of `size` of n values, in batches (r, size)."""
    sets = combinations(range(n), size)
    while True:
        batch = np.fromiter(chain.from_iterable(islice(sets, _MAX_BATCH)), dtype=np.int64)
        if batch.size == 0:
            return
        yield batch.reshape(-1, size)
