"""The arrays of a walk over blocks; kernels, compiled or plain, and `pricing` share these types."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loglift.joint import FloatArray, IntArray

BEGIN, DONE, TIRED, FULL = 0, 1, 2, 3  # states of a walk


class Company(NamedTuple):
    """All values, heaviest first.

    `column` (k+t, m) has the gains by inequality, then p(x) and the other sums; `need` (k,) is that
    of a block. `twin` marks a value that is interchangeable with the one before it. `apart` (m, m)
    marks pairs that must not meet; it is empty when every pair may. `coefficients` (t,) are those
    of the sums, `joint_weight` what one nat of I(X;Y) is worth, and `alone` (m,) the rest of what
    each value is worth as a block of its own: its targets.
    """

    column: FloatArray
    need: FloatArray
    twin: IntArray
    apart: IntArray
    coefficients: FloatArray
    joint_weight: float
    alone: FloatArray


class Parts(NamedTuple):
    """The parts of a block on the way, one for each depth.

    `member` is the last member, `after` the next to try; `total` (k+t,) the gains and sums, `dual`
    the sum of the duals; `multiplier` (k+1,) with the slope last, `base` the bound without company;
    `weight` (m,) the weights of the company and `suffix` (m+1,) the sums of the positive ones from
    each place on.
    """

    member: IntArray
    after: IntArray
    total: FloatArray
    dual: FloatArray
    multiplier: FloatArray
    base: FloatArray
    weight: FloatArray
    suffix: FloatArray


class Walk(NamedTuple):
    """The state of a walk: depth, number of blocks found, worth that others must beat, a bound.

    `looked` is the number of parts of blocks that the last call looked at.
    """

    state: int
    depth: int
    blocks: int
    threshold: float
    bound: float
    looked: int


class Found(NamedTuple):
    """Blocks that were found: their members one after the other, and where each block ends."""

    members: IntArray
    ends: IntArray


def parts_for(depths: int, inequalities: int, sums: int, size: int) -> Parts:
    """Return arrays for the parts of blocks with up to `depths` members."""
    return Parts(
        np.zeros(depths, dtype=np.int64),
        np.zeros(depths, dtype=np.int64),
        np.zeros((depths, inequalities + sums)),
        np.zeros(depths),
        np.zeros((depths, inequalities + 1)),
        np.zeros(depths),
        np.zeros((depths, size)),
        np.zeros((depths, size + 1)),
    )
