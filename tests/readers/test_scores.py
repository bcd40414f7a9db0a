"""Scores are those of scikit-learn, ties and rare classes included."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss, r2_score, roc_auc_score

from loglift.readers.scores import area_under_curve, largest_factor, log_loss_gain, r_squared


def scores(seed, classes=3, size=500):
    random = np.random.default_rng(seed)
    found = random.dirichlet(np.ones(classes), size).round(2) + 0.01  # with ties
    found /= found.sum(axis=1, keepdims=True)
    truth = np.array([random.choice(classes, p=p) for p in found])
    return truth, found


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_scikit_learn(seed):
    truth, found = scores(seed)
    area = roc_auc_score(truth, found, multi_class="ovr", average="weighted")
    assert area_under_curve(truth, found) == pytest.approx(area)
    prior = np.bincount(truth) / truth.size
    gain = log_loss(truth, np.tile(prior, (truth.size, 1))) - log_loss(truth, found)
    assert log_loss_gain(truth, found, prior) == pytest.approx(gain)
    numbers, told = found[:, 0], found[:, 1]
    assert r_squared(numbers, told) == pytest.approx(r2_score(numbers, told))


def test_a_class_that_no_tested_record_has_changes_no_area():
    truth, found = scores(0, classes=2)
    more = np.concatenate([found, np.full((truth.size, 1), 0.1)], axis=1)
    assert area_under_curve(truth, more) == pytest.approx(area_under_curve(truth, found))
    assert area_under_curve(np.zeros(4, dtype=int), found[:4]) == 0.5


def test_the_largest_factor_is_up_or_down():
    prior = np.array([0.5, 0.5])
    assert largest_factor(np.array([[0.5, 0.5], [0.9, 0.1]]), prior) == pytest.approx(5)
    assert largest_factor(np.array([[0.8, 0.2]]), np.array([0.1, 0.9])) == pytest.approx(8)
