"""Counts of released values, their log-lifts and information, without the solvers' code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loglift.joint import IntArray
from loglift.measures.entropy import drawn_information, entropy
from loglift.mechanism.channel import Channel
from loglift.mechanism.mechanism import Mechanism
from loglift.sparse import Cells, Mass, dense, in_parts, take_rows


def largest_log_lifts(counts: Mass, among: IntArray | None) -> tuple[IntArray, NDArray[np.float64]]:
    """Return the column of each row's largest |log-lift|, and that log-lift.

    `among` are the columns to look at; None for all. This does not use the solvers' code.
    """
    prior = counts.sum(axis=0).astype(np.float64)
    places, sizes = [], []
    for _, rows in in_parts(counts):
        found = rows.astype(np.float64)
        weights = found.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            logs = np.log(found * prior.sum() / (weights * prior))
        if among is not None:
            logs[:, np.setdiff1d(np.arange(logs.shape[1]), among)] = 0
        places.append(np.abs(logs).argmax(axis=1))
        sizes.append(logs[np.arange(len(logs)), places[-1]])
    return np.concatenate(places), np.concatenate(sizes)


def released_counts(mechanism: Mechanism, counts: Mass, rows: IntArray) -> Mass:
    """Return n(s,y), for a channel times its denominator, one row per released value."""
    if mechanism.exact_channel is None:
        return _block_counts(counts, rows, mechanism.size)
    return _channel_counts(dense(counts), rows, mechanism.exact_channel)


def _channel_counts(
    counts: NDArray[np.int64], rows: IntArray, channel: Channel
) -> NDArray[np.object_]:
    """Add up numerator(y|x) n(s,x) in Python's integers, without the solvers' code."""
    sums = np.zeros((channel.size, counts.shape[1]), dtype=object)
    for row, cells in zip(rows.tolist(), counts.astype(object), strict=True):
        for y, numerator in channel.rows[row]:
            sums[y] += numerator * cells
    return sums


def kept_information(mechanism: Mechanism, weight: NDArray[np.int64], rows: IntArray) -> float:
    """Return I(X;Y); for a partition H(Y)."""
    if mechanism.exact_channel is None:
        return entropy(_block_counts(weight[:, np.newaxis], rows, mechanism.size).sum(axis=1))
    return drawn_information(weight / weight.sum(), take_rows(mechanism.probabilities, rows))


def _block_counts(counts: Mass, rows: IntArray, size: int) -> Mass:
    """Add up rows by block without the solvers' code; a block without rows stays zero."""
    if isinstance(counts, Cells):
        return counts.grouped(rows, size)
    sums = np.zeros((size, counts.shape[1]), dtype=counts.dtype)
    np.add.at(sums, rows, counts)
    return sums
