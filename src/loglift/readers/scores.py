"""How good guesses are: formulas on arrays of true values and of what is guessed."""

from __future__ import annotations

import numpy as np

from loglift.joint import FloatArray, IntArray


def log_loss_gain(truth: IntArray, found: FloatArray, prior: FloatArray) -> float:
    """Return the mean of log found(u)/prior(u) over records with the class u, nats."""
    return float(np.log(found[np.arange(truth.size), truth] / prior[truth]).mean())


def area_under_curve(truth: IntArray, found: FloatArray) -> float:
    """Return the area under the ROC curve, weighted over classes by their records.

    That of a class is the probability that a record of the class gets a larger score than a record
    of another one, equal scores counted half. 0.5 where all records have the same class.
    """
    areas, weights = [], []
    for number in range(found.shape[1]):
        of_class = truth == number
        inside = int(of_class.sum())
        outside = truth.size - inside
        if not inside or not outside:
            continue
        _, place, times = np.unique(found[:, number], return_inverse=True, return_counts=True)
        middle = np.cumsum(times) - (times - 1) / 2  # the mean rank of equal scores, from 1 on
        above = middle[place][of_class].sum() - inside * (inside + 1) / 2
        areas.append(above / (inside * outside))
        weights.append(inside)
    return float(np.average(areas, weights=weights)) if areas else 0.5


def r_squared(truth: FloatArray, found: FloatArray) -> float:
    """Return 1 - squared error / variance."""
    return float(1 - ((truth - found) ** 2).mean() / truth.var())


def largest_factor(found: FloatArray, prior: FloatArray) -> float:
    """Return the largest of found/prior and prior/found."""
    return float(np.exp(np.abs(np.log(found / prior)).max()))
