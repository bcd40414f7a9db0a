"""Channels pulled inside the bound."""

from __future__ import annotations

import math

import numpy as np
import pytest

from loglift import Bound, Joint
from loglift.promise.known import Known
from loglift.promise.lift import LiftPromise
from loglift.promise.together import Together
from loglift.randomizing.pulling import pulled_inside


@pytest.mark.parametrize("bound", [Bound.symmetric(0.5), Bound(math.inf, 0.2), Bound(30, 9)])
def test_a_channel_outside_is_pulled_no_further_than_inside(bound):
    mass = np.array([[4.0, 1.0], [1.0, 4.0], [5.0, 0.0]])
    found = pulled_inside(np.eye(3), LiftPromise.of(mass, bound))
    np.testing.assert_allclose(found.sum(axis=1), 1)
    shown = found.T @ mass
    lifts = shown * mass.sum() / np.outer(shown.sum(axis=1), mass.sum(axis=0))
    slack = min(math.exp(bound.upper) - lifts.max(), lifts.min() - math.exp(-bound.lower))
    assert -1e-9 < slack < 1e-9


def test_a_channel_is_pulled_inside_for_every_reader():
    counts = np.array([[[9, 1], [1, 9]], [[1, 9], [9, 1]], [[5, 5], [5, 5]]])
    joint, bound = counts.sum(axis=1), Bound.symmetric(0.5)
    knowing = Known(counts).on(Joint(joint)).promise(3, bound)
    promise = Together(LiftPromise.of(joint.astype(float), bound), (knowing,))
    found = pulled_inside(np.eye(3), promise)
    logs = []
    for table in (counts[:, 0], counts[:, 1]):
        shown = found.T @ table
        logs.append(np.log(shown / shown.sum(axis=1, keepdims=True) * 2))
    assert np.abs(logs).max() == pytest.approx(0.5, abs=1e-9)
