"""Complete merging: every high-risk value in one block (the original watchdog)."""

from __future__ import annotations

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.partition import labels_of
from loglift.promise.bound import Bound, safe_rows


def complete(mass: FloatArray, bound: Bound, *, rows: IntArray | None = None) -> IntArray:
    """Block number of each row of a trusted mass (n, m), or of the given ones, canonical. O(n m).

    The block of all high-risk values may itself be unsafe; the paper has no answer there.
    """
    safe = safe_rows(mass, bound) if rows is None else safe_rows(mass, bound)[rows]
    high_risk = np.flatnonzero(~safe)
    return labels_of([high_risk] if high_risk.size else [], safe.size)
