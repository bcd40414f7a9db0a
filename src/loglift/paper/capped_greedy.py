"""Algorithm 1 with at most K values in a block: the paper's question of subset size."""

from __future__ import annotations

import numpy as np

from loglift.joint import FloatArray
from loglift.promise.limits import TOLERANCE


def capped_algorithm1(mass: FloatArray, eps: float, max_block: int) -> list[list[int]]:
    """Return the subsets of high-risk values that Algorithm 1 merges, as row numbers.

    A block grows until it is safe or has `max_block` values. If the last block is unsafe, it is
    merged with whole blocks, of those with which it has at most `max_block` values. So blocks may
    stay unsafe; with `max_block` = |X| this is Algorithm 1. `mass` is p(x,s), shape (n, m).
    O(h^2 m) at worst for h high-risk values.

    Parameters
    ----------
    mass
        p(x,s), one row per public value.
    eps
        The bound on |log-lift|, in nats.
    max_block
        The most values of a block.

    Returns
    -------
    list of list of int
        The blocks of high-risk values, as row numbers.

    Examples
    --------
    >>> from loglift import paper
    >>> mass = paper.draw_joints(1, seed=0, public=5, sensitive=3)[0]
    >>> paper.capped_algorithm1(mass, 0.3, max_block=2)
    [[1, 4], [2, 3]]
    """
    prior = mass.sum(axis=0)
    left = np.flatnonzero(_omega(mass, prior) > eps + TOLERANCE).tolist()
    blocks: list[list[int]] = []
    while left:
        block = [left.pop(int(_omega(mass[left], prior).argmax()))]
        while left and len(block) < max_block and not _safe(mass, block, eps):
            block.append(
                left.pop(int(_omega(mass[block].sum(axis=0) + mass[left], prior).argmin()))
            )
        blocks.append(block)
    while blocks and not _safe(mass, blocks[-1], eps):
        last = blocks[-1]
        fitting = [k for k, b in enumerate(blocks[:-1]) if len(b) + len(last) <= max_block]
        if not fitting:
            break
        merged = np.array([mass[last + blocks[k]].sum(axis=0) for k in fitting])
        last += blocks.pop(fitting[int(_omega(merged, prior).argmin())])
    return blocks


def _safe(mass: FloatArray, block: list[int], eps: float) -> bool:
    together = mass[block].sum(axis=0, keepdims=True)
    return bool(_omega(together, mass.sum(axis=0))[0] <= eps + TOLERANCE)


def _omega(masses: FloatArray, prior: FloatArray) -> FloatArray:
    """Return omega of rows of masses (k, m) against p(s), which adds up to one; nats."""
    with np.errstate(divide="ignore"):  # the logarithm of zero: omega is infinite
        log_lifts = np.log(masses / (masses.sum(axis=1, keepdims=True) * prior))
    return np.asarray(np.abs(log_lifts).max(axis=1))
