"""Subset random response: the watchdog that draws within its subsets instead of merging them.

After Zarrabian, Ding, Sadeghi, "On the Lift, Related Privacy Measures, and Applications to
Privacy-Utility Trade-Offs", Entropy 25(4), 679 (2023): the best random response is found for one
subset at a time, because it is hard to find for all public values at once. Here the subsets are the
blocks of Algorithm 1, low-risk values stay as they are (but for those that high-risk ones need to
be safe at all), and the channel of each subset is the best there is within the subset. So the
result keeps at least what Algorithm 1 keeps, and at most what `randomize` keeps. It is a baseline
for research.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from loglift.joint import Joint, as_joint
from loglift.mechanism.channel import refuse_dense
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.merge import merge
from loglift.promise.bound import Bound, bound_from
from loglift.randomizing.optimum import optimum
from loglift.randomizing.within_group import group_problem
from loglift.sparse import dense


def subset_response(
    joint: Joint | ArrayLike, eps: float | None = None, *, bound: Bound | None = None
) -> Mechanism:
    """Return the best channel that draws within the blocks of Algorithm 1.

    Parameters
    ----------
    joint, eps, bound
        As in `merge`; the bound is one for all sensitive values.

    Returns
    -------
    Mechanism
        The channel, with what it keeps and gives away.

    Raises
    ------
    JointError
        When the mass is not a joint.
    BoundError
        When the bound is missing, given twice, or not a bound.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> round(1 - loglift.subset_response(joint, 0.5).nmil, 2)
    0.79
    """
    given, limit = as_joint(joint), bound_from(eps, bound)
    blocks = merge(given, bound=limit, method="greedy", over="all").labels
    if blocks is None:
        raise TypeError("Algorithm 1 has block numbers")
    refuse_dense(blocks.size, blocks.size)
    mass, parts = dense(given.scaled), []
    for block in range(int(blocks.max()) + 1):
        rows = np.flatnonzero(blocks == block)
        drawn = np.ones((1, 1))
        if rows.size > 1:
            drawn = optimum(group_problem(mass, rows, limit)).channel
        part = np.zeros((blocks.size, drawn.shape[1]))
        part[rows] = drawn
        parts.append(part)
    return Mechanism.from_channel(given, np.hstack(parts), bound=limit)
