"""Shuffling rows: an order that cannot be reconstructed.

Where rows carry more than their released values (passthrough columns, draws by a key), their order
in the input may reveal S: tables are often sorted by it. So every row gets a random key of its own
from the operating system's cryptographic generator, and rows are sorted by it. A seed of 64 bits,
or a hash of the row number that is not cryptographic, would make a shuffle that can be undone.

Every engine shuffles last: a join may bring rows into the order of its keys.
"""

from __future__ import annotations

import secrets

import numpy as np

from loglift.joint import IntArray


def random_order(size: int) -> IntArray:
    """Return a uniformly random permutation of 0, ..., size - 1, in O(n log n).

    Rows are sorted by 64 random bits each; two are equal with probability below n^2 / 2^65.
    """
    return np.argsort(np.frombuffer(secrets.token_bytes(8 * size), dtype=np.uint64))
