"""Posteriors as sparse columns: a vertex has at most as many entries as sensitive values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loglift.joint import FloatArray, IntArray

MIN_ENTRY = 1e-13  # of a posterior; smaller entries are rounding errors


@dataclass(frozen=True, eq=False)
class Column:
    """A posterior q: its support, its values there, and the basis of its vertex if it is one.

    `basis` (k,) and `at_hi` (k,) are what the kernels start from.
    """

    support: IntArray
    values: FloatArray
    basis: IntArray | None = None
    at_hi: IntArray | None = None

    @property
    def entropy(self) -> float:
        """H(q), nats."""
        return float(-(self.values * np.log(self.values)).sum())

    @property
    def key(self) -> bytes:
        """Equal for posteriors that differ by rounding only."""
        return self.support.tobytes() + np.round(self.values, 10).tobytes()


def column_of(
    q: FloatArray, basis: IntArray | None = None, at_hi: IntArray | None = None
) -> Column:
    """Return a posterior (n,) as a column that sums to one."""
    support = np.flatnonzero(q > MIN_ENTRY)
    values = q[support]
    return Column(support, values / values.sum(), basis, at_hi)
