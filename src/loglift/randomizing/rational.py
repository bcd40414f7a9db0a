"""Channels in whole numbers that are safe in exact arithmetic.

p(y|x) = numerator(x,y) / 2^52: rows add up to one exactly, and with integer counts the
released p(s,y) are integers over a common denominator, so that exact arithmetic decides. A channel
that rounding puts outside the bound is pulled inside by the least share that does it, or made
independent of S where that keeps more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.errors import UnsafeError
from loglift.joint import FloatArray, IntArray
from loglift.mechanism.channel import Channel
from loglift.promise.bound import Bound
from loglift.promise.integers import BITS, DENOMINATOR, exactly_safe
from loglift.promise.knowledge import Knowledge, Released
from loglift.promise.limits import Limits
from loglift.randomizing.independence import independent
from loglift.randomizing.pulling import pulled
from loglift.utility.information import Information
from loglift.utility.worth import Worth

_LIMB = 26  # half of the bits: products with counts stay below 2^63
_MAX_FREE_PULL = 1e-6  # a share that costs almost nothing
_HALVINGS = 20  # of the share to pull, once one is found: to a millionth of it


@dataclass(frozen=True, eq=False)
class RationalChannel:
    """p(y|x) = numerators / 2^52.

    Attributes
    ----------
    numerators
        Shape (public values, released values), int64; each row adds up to 2^52.
        Columns that are rounded to zero everywhere are left out.
    pull
        The share of the constant channel that was mixed in; zero when rounding was enough.

    """

    numerators: IntArray
    pull: float


def rational_channel(
    channel: FloatArray,
    counts: NDArray[np.int64],
    bound: Bound | Limits,
    worth: Worth | None = None,
    knowledge: Sequence[Knowledge] = (),
    prior: NDArray[np.int64] | None = None,
) -> RationalChannel:
    """Round a channel p(y|x) so that it is exactly safe for counts, one row per public value.

    The counts of several sensitive variables stand side by side, as in a `Joint`. A share t of the
    constant channel moves all lifts towards one. The least t that passes is found by doubling and
    halving; the constant channel always passes, so this ends. Where t is large, as at bounds finer
    than whole numbers can express, columns are made independent of S if that is worth more (by
    default, if it keeps more of I(X;Y)): such a channel is safe at any bound.

    `knowledge` is that of readers who know more, to whom the channel is to be safe as well. `prior`
    is n(s) of the whole table where the counts are those of an intact group. Raises `UnsafeError`
    where earlier releases, or the group as one released value, are outside the bound.
    """

    def passes(numerators: IntArray) -> bool:
        return _exactly_safe(numerators, counts, bound, knowledge, prior)

    p = (counts.sum(axis=1) / counts.sum()).astype(np.float64)
    value = (worth or Information(p, 1.0)).of_channel
    share, failed = 0.0, 0.0
    found = Channel.rounded(channel)
    while not passes(found):
        if share == 1:
            unsafe = "the earlier releases are" if prior is None else "an intact group is"
            raise UnsafeError(
                f"no safe release: {unsafe} outside the bound by a rounding error. What would "
                "help: a slightly wider bound"
            )
        failed, share = share, min(1.0, max(2 * share, 2.0**-BITS))
        found = Channel.rounded(pulled(channel, p, share))
        if share == 1:
            found[:] = found[0]
    for _ in range(_HALVINGS if share > 0 else 0):
        middle = (failed + share) / 2
        trial = Channel.rounded(pulled(channel, p, middle))
        if passes(trial):
            share, found = middle, trial
        else:
            failed = middle
    if share > _MAX_FREE_PULL and not knowledge and prior is None:
        other = independent(channel / channel.sum(axis=1, keepdims=True), counts, 2**BITS)
        if value(other / DENOMINATOR) > value(found / DENOMINATOR):
            share, found = 0.0, other
    released = np.ascontiguousarray(found[:, found.any(axis=0)])
    return RationalChannel(released, share)


def _exactly_safe(
    numerators: IntArray,
    counts: NDArray[np.int64],
    bound: Bound | Limits,
    knowledge: Sequence[Knowledge],
    prior: NDArray[np.int64] | None,
) -> bool:
    """Return whether every released value is safe for all readers, decided in integers."""
    kept = numerators[:, numerators.any(axis=0)]
    if not exactly_safe(released_counts(kept, counts), bound, prior).all():
        return False
    released = Released.of_channel(kept)
    return all(each.safe(released, bound).all() for each in knowledge)


def released_counts(numerators: IntArray, counts: NDArray[np.int64]) -> NDArray[Any]:
    """Return the counts 2^52 n(s,y), as Python integers, shape (y, s)."""
    if counts.sum() >= 2 ** (63 - _LIMB):
        return np.asarray(numerators.T.astype(object) @ counts.astype(object))
    high, low = numerators >> _LIMB, numerators & (2**_LIMB - 1)
    whole: NDArray[Any] = (high.T @ counts).astype(object) * 2**_LIMB + (low.T @ counts)
    return whole
