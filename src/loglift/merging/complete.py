"""Complete merging: every high-risk value in one block (the original watchdog)."""

from __future__ import annotations

import numpy as np

from loglift.joint import IntArray
from loglift.measures.partition import labels_of
from loglift.merging.problem import Problem


def complete(problem: Problem) -> IntArray:
    """Return the block number of each value to partition, canonical. O(n k).

    The block of all high-risk values may itself be unsafe; the paper has no answer there.
    """
    safe = problem.promise.safe()[problem.chosen]
    high_risk = np.flatnonzero(~safe)
    return labels_of([high_risk] if high_risk.size else [], safe.size)
