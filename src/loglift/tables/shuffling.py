"""Shuffling rows: an order that cannot be found again.

Where rows carry more than their released values (passed columns, draws by a key), their order in
the input may give S away: tables are often sorted by it. So the order is drawn from the operating
system's cryptographic generator, a key of its own for every row. A seed of 64 bits, or a hash of
the row number that is no cryptographic one, would make a shuffle that can be undone.

Every engine shuffles last: a join may bring rows into the order of its keys.
"""

from __future__ import annotations

import secrets

import numpy as np

from loglift.joint import IntArray


def random_order(size: int) -> IntArray:
    """Return a uniformly random permutation of 0, ..., size - 1, in O(n log n).

    Rows are sorted by 64 random bits each; two have the same with probability below n^2 / 2^65.
    """
    return np.argsort(np.frombuffer(secrets.token_bytes(8 * size), dtype=np.uint64))
