"""Mondrian: boxes of public values, cut in two along one column while both sides are safe.

A baseline: LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity" (2006), with the
lift bound in place of k. Nothing here imports loglift.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from readers import FloatArray, IntArray


def boxes(members: IntArray, counts: IntArray, ordered: Sequence[bool], eps: float) -> IntArray:
    """Return the box of each public value.

    `members` has the codes of each public value, `counts` its records by sensitive value. Every box
    is cut where that adds most to I(X;Y), until no cut leaves two safe sides.
    """
    prior = counts.sum(axis=0) / counts.sum()
    labels = np.zeros(len(members), dtype=np.int64)
    waiting, used = [np.arange(len(members))], 0
    while waiting:
        box = waiting.pop()
        left = best_cut(members[box], counts[box], ordered, prior, eps)
        if left is None:
            labels[box], used = used, used + 1
        else:
            waiting += [box[left], box[~left]]
    return labels


def best_cut(
    members: IntArray, counts: IntArray, ordered: Sequence[bool], prior: FloatArray, eps: float
) -> NDArray[np.bool_] | None:
    """Return which public values of a box go to one side of its best safe cut; None without one.

    A cut that sends the share q of the records to one side adds p(box) h(q) to I(X;Y), so the best
    is the most even one.
    """
    best, found = 0.0, None
    for column, has_order in zip(members.T, ordered, strict=True):
        values, codes = np.unique(column, return_inverse=True)
        by_value = np.zeros((values.size, prior.size), dtype=np.int64)
        np.add.at(by_value, codes, counts)
        for order in _orders(by_value, has_order=has_order):
            left = np.cumsum(by_value[order], axis=0)[:-1]
            right = counts.sum(axis=0) - left
            safe = _safe(left, prior, eps) & _safe(right, prior, eps)
            even = np.minimum(left.sum(axis=1), right.sum(axis=1)) * safe
            if even.size and even.max() > best:
                best = float(even.max())
                found = np.isin(codes, order[: int(even.argmax()) + 1])
    return found


def _orders(by_value: IntArray, *, has_order: bool) -> Iterator[IntArray]:
    """Return the orders in which values are cut: their own, or else by mass and by association.

    The association is the share of the most frequent sensitive value.
    """
    if has_order:
        yield np.arange(len(by_value))
    else:
        mass = by_value.sum(axis=1)
        yield np.argsort(-mass, kind="stable")
        yield np.argsort(by_value[:, by_value.sum(axis=0).argmax()] / mass, kind="stable")


def _safe(rows: IntArray, prior: FloatArray, eps: float) -> NDArray[np.bool_]:
    """Return which rows of counts have every lift within e^-eps to e^eps; zeros count."""
    lift = rows / (rows.sum(axis=1, keepdims=True) * prior)
    return np.asarray(((lift >= math.exp(-eps)) & (lift <= math.exp(eps))).all(axis=1))
