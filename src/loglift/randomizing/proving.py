"""Lower bounds on the loss of any channel within the bound, and posteriors that help.

For any prices, the loss is at least price.p + min over Q of (c(q) - price.q). The minimum is
bounded by branch and bound: on the largest entries for c(q) = H(q) (`branching`), on
intervals of all entries and images for targets, and for few values (`_bound_kernels`). Many values
are first proven with a tolerance, which takes a small part of the time of a full proof.
"""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.randomizing.branching import branch
from loglift.randomizing.cost import Cost
from loglift.randomizing.effort import Effort
from loglift.randomizing.polytope import Posteriors
from loglift.sparse import CELLS_PER_PART

if TYPE_CHECKING:
    from loglift.randomizing._simplex_kernels import Space

MAX_PROOF_GAP = 1e-10  # of the proof of the least loss, as a share of c(p) = H(X)
MAX_FULL_PROOF_VALUES = 64  # public values that are proven without a tolerance at once
TOLERANCES = (0.015, 0.004, 0.001, 0.0)  # of proofs of more values, as shares of c(p)
MANY_PROOFS = 5  # as long as the longest so far: with time for as many, proofs may end sooner
MIN_SOON_GAIN = 1e-7  # as a share of c(p): what a point must gain for a proof to end sooner
_MAX_UNUSED = 0.25  # of a tolerance: the next one is due when no posterior helps by more
_MAX_BOXED_VALUES = 40  # public values for which splitting boxes is faster
_MAX_PROGRAMMED_VALUES = 2000  # whose largest entries are bounded by a linear program each
_MAX_SAMPLED_VALUES = 20_000  # of which some entries are; it takes the square of their number
_PROGRAMMED_SAMPLE = 1000  # entries of these
_MAX_IMAGE_VALUES = 500
_MAX_BOXES, _MAX_BOX_OPERATIONS, _MAX_BOX_CELLS = 200_000, 1_200_000_000, 5_000_000
_MAX_IMAGE_CELLS = 2_000_000  # of the tableaux of branch and bound with targets
_TIGHT_PRICE = 100.0  # nats: the price of slack where a release has none


class Prover:
    """Proofs for one Q and one cost; `floor` is the largest lower bound so far."""

    def __init__(self, posteriors: Posteriors, cost: Cost, effort: Effort) -> None:
        self._posteriors, self._cost, self._effort = posteriors, cost, effort
        self._most = cost.most(posteriors.p)
        many = posteriors.p.size > MAX_FULL_PROOF_VALUES and not cost.has_targets
        self._tolerances = [share * self._most for share in (TOLERANCES if many else (0.0,))]
        self._proven: FloatArray | None = None  # the prices of the last proof
        self._floor = -np.inf
        self._longest = 0  # the programs of the longest proof

    @property
    def floor(self) -> float:
        """The largest lower bound on the loss that is proven so far, nats."""
        return max(self._floor, self._by_largest)

    def is_proven(self, price: FloatArray) -> bool:
        """Return whether the last proof was for these prices, and did not end sooner."""
        return self._proven is price

    def points(
        self, price: FloatArray, tolerance: float = 0.0, *, sooner: bool = False
    ) -> FloatArray:
        """Prove a bound with these prices; return points of Q (r, n) that may help.

        None are returned where no posterior helps by more than the tolerance, a share of c(p), or
        where time is over. With `sooner`, and time for many proofs, a proof ends when a point helps
        so much that another one will be due anyway; it proves little then.
        """
        found = np.zeros((0, price.size))
        while len(found) == 0 and not self._effort.over:
            found, again = self._pass(price, tolerance * self._most, sooner=sooner)
            if not again:
                break
        return found

    def _pass(self, price: FloatArray, least: float, *, sooner: bool) -> tuple[FloatArray, bool]:
        """Make one proof; return points that may help, and whether another proof is due.

        That is a finer one, or the same with more programs, where these were too few.
        """
        self._proven = price
        if self._cost.has_targets or price.size <= _MAX_BOXED_VALUES:
            return self._in_boxes(price), False
        tolerance, begun = max(self._tolerances[0], least), time.perf_counter()
        prices, slack = price - self._of_slack, MAX_PROOF_GAP * self._most
        weight, programs = self._cost.terms.joint_weight, self._effort.affordable
        due = max(_MAX_UNUSED * tolerance, MIN_SOON_GAIN * self._most)
        ends_sooner = sooner and 0 < MANY_PROOFS * self._longest < programs
        proof = branch(
            self._posteriors.exact,
            self.largest,
            prices,
            weight,
            -max(tolerance, slack),
            programs,
            welcome=-due if ends_sooner else -np.inf,
        )
        self._longest = max(self._longest, proof.programs)
        self._effort.spend(proof.programs, time.perf_counter() - begun)
        self._floor = max(self._floor, float(prices @ self._posteriors.p) + proof.least)
        met = proof.least >= -max(tolerance, slack)
        if ends_sooner and not met:
            self._proven = None
        finer = met and proof.met >= -_MAX_UNUSED * tolerance and len(self._tolerances) > 1
        finer = finer and tolerance > least
        if finer:
            many = MANY_PROOFS * proof.programs < self._effort.affordable
            self._tolerances = self._tolerances[-1 if many else 1 :]
        return proof.points, finer or proof.programs >= programs

    def _in_boxes(self, price: FloatArray) -> FloatArray:
        """Make a proof by splitting boxes; return the best point that was met, if any."""
        from loglift.randomizing._bound_kernels import bound_below  # noqa: PLC0415, numba

        space, slack = self._first_box, MAX_PROOF_GAP * self._most
        weights = self._cost.weights[: price.size + len(self._images)]
        own = self._cost.terms.alone if len(self._images) else 0.0
        prices = price - self._of_slack
        boxes = min(self._boxes, self._effort.affordable)
        begun = time.perf_counter()
        proof = bound_below(space, rows_of(space), weights, prices + own, slack, boxes)
        self._effort.spend(proof.boxes, time.perf_counter() - begun)
        self._floor = max(self._floor, float(prices @ self._posteriors.p) + proof.least)
        return proof.point[np.newaxis] if proof.point.any() else np.zeros((0, price.size))

    @cached_property
    def _of_slack(self) -> FloatArray:
        """What the slack of a posterior costs where p(x) has next to none; shape (n,).

        Any prices prove a bound. These keep branch and bound to posteriors that a release can
        have, and cost the bound no more than the slack of p(x).
        """
        rows = self._posteriors.rows.exact[self._posteriors.tight]
        cost: FloatArray = _TIGHT_PRICE * rows.sum(axis=0)
        return cost

    @cached_property
    def largest(self) -> FloatArray:
        """An upper bound u(x) on q(x) over Q: by a linear program each, or by those of some."""
        from loglift.randomizing._program_kernels import (  # noqa: PLC0415, numba
            entry_duals,
            largest_entries,
        )

        largest, space = self._posteriors.largest, self._posteriors.exact
        if largest.size <= _MAX_PROGRAMMED_VALUES:
            found = largest_entries(space, rows_of(space))
        elif largest.size > _MAX_SAMPLED_VALUES:
            found = largest
        else:
            some = np.linspace(0, largest.size - 1, _PROGRAMMED_SAMPLE).astype(np.int64)
            found = largest_by_duals(space, entry_duals(space, rows_of(space), some))
        largest = np.minimum(largest, found)
        return np.minimum(np.maximum(largest, self._posteriors.p), 1.0)

    @cached_property
    def _images(self) -> FloatArray:
        """The rows p(u|x) of the targets; none where branch and bound with them takes too long.

        The bound without them is true as well: H(U|q) is at least sum of q(x) H(U|x).
        """
        (k, n), t = self._posteriors.exact.rows.shape, self._cost.terms.weights.size
        return self._cost.image if (k + t) * n <= _MAX_IMAGE_CELLS else np.zeros((0, n))

    @cached_property
    def _image_limits(self) -> FloatArray:
        """Bounds below and above on p(u|q) over Q, shape (2, images)."""
        from loglift.randomizing._program_kernels import extents  # noqa: PLC0415, numba

        images = self._images
        least, most = images.min(axis=1), images.max(axis=1)
        if max(images.shape) <= _MAX_IMAGE_VALUES:
            space = self._posteriors.exact
            below, above = extents(space, rows_of(space), images)
            least, most = np.maximum(least, below), np.minimum(most, above)
        of_p = images @ self._posteriors.p
        return np.array([np.minimum(least, of_p), np.maximum(most, of_p)])

    @cached_property
    def _first_box(self) -> Space:
        """Q with the images as its first rows, and with limits of all entries and images."""
        from loglift.randomizing._simplex_kernels import Space  # noqa: PLC0415, numba

        space, (least, most) = self._posteriors.exact, self._image_limits
        n = space.rows.shape[1]
        return Space(
            np.vstack([self._images, space.rows]),
            np.concatenate([space.lo[:n], least, space.lo[n:]]),
            np.concatenate([self.largest, most, space.hi[n:]]),
        )

    @property
    def _boxes(self) -> int:
        """How many boxes branch and bound may take."""
        k, n = self._first_box.rows.shape
        cells = _MAX_BOX_CELLS // (n + len(self._images))
        return int(max(1, min(_MAX_BOXES, _MAX_BOX_OPERATIONS // (k * k * n), cells)))

    @cached_property
    def _by_largest(self) -> float:
        """A lower bound on the loss, from bounds on single entries and images.

        -q(x) log q(x) is at least -q(x) log u(x), with u(x) = max of q(x) over Q, and so for images
        p(u|q); each of these is also at least sum of -q(x) p(u|x) log p(u|x).
        """
        p, images, terms = self._posteriors.p, self._images, self._cost.terms
        found = terms.joint_weight * float(-(p * np.log(self.largest)).sum())
        if len(images):
            more = plogp(images) @ p - (images @ p) * np.log(self._image_limits[1])
            found += float(terms.weights @ np.maximum(more, 0))
        return found


def largest_by_duals(space: Space, duals: FloatArray) -> FloatArray:
    """Return an upper bound on every q(x) over Q from any duals (r, k), those of other values, too.

    With v(x) = -sum of d(i) row(i,x) over all rows but the last, the sum of q, and v their least,

        sum over x of q(x) (v(x) - v)  <=  C = sum of max(-d(i) lo(i), -d(i) hi(i)) - v,

    where all terms are at least zero: so q(x) <= C / (v(x) - v). O(r k n), in parts of r.
    """
    n = space.rows.shape[1]
    rows, lo, hi = space.rows[:-1], space.lo[n:-1], space.hi[n:-1]
    largest, step = np.full(n, np.inf), max(1, CELLS_PER_PART // n)
    for start in range(0, len(duals), step):
        some = -duals[start : start + step, :-1]
        above = some @ rows
        least = above.min(axis=1)
        most = np.maximum(some * lo, some * hi).sum(axis=1) - least
        above -= least[:, np.newaxis]
        bounds = np.divide(
            most[:, np.newaxis] + MAX_PROOF_GAP,
            above,
            out=np.full(above.shape, np.inf),
            where=above > MAX_PROOF_GAP,
        )
        largest = np.minimum(largest, bounds.min(axis=0))
    return largest


def rows_of(space: Space) -> IntArray:
    """Return the rows as a basis: the dual simplex method can start from any."""
    k, n = space.rows.shape
    return np.arange(n, n + k)
