"""The channels of an intact group, against the inequalities of the whole table."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, Joint, TCloseness, merge
from loglift.measures import mutual_information
from loglift.promise.bipartition import safe_rows
from loglift.randomizing.optimum import optimum
from loglift.randomizing.within_group import group_problem
from naive import best_channel_within
from strategies import positive_joints, sides


@settings(max_examples=30)
@given(positive_joints(max_public=6, max_sensitive=3), sides.filter(bool))
def test_the_channel_of_a_block_is_the_best_within_it(joint, eps):
    """The oracle has the lifts of the whole table as inequalities on the posteriors of a block."""
    bound = Bound.symmetric(min(eps, 2.0))
    labels = merge(joint, bound=bound, method="greedy", over="all").labels
    rows = np.flatnonzero(labels == np.bincount(labels).argmax())
    p, lifts = joint.sum(axis=1), joint / np.outer(joint.sum(axis=1), joint.sum(axis=0))
    part, given_x = p[rows] / p[rows].sum(), lifts[rows].T * joint.sum()
    limits = np.vstack([given_x - math.exp(-bound.lower), math.exp(bound.upper) - given_x])
    found = mutual_information(part, optimum(group_problem(joint, rows, bound)).channel)
    assert found == pytest.approx(best_channel_within(part, limits), abs=1e-6)


@pytest.mark.parametrize("required", [(), (TCloseness(0.3),)])
def test_a_value_that_the_group_lacks_limits_nothing_that_is_drawn(required):
    """Its lift is zero whatever is drawn; requirements count it as they do in the whole table."""
    counts = np.array([[9, 1, 0], [1, 9, 0], [4, 4, 0], [3, 3, 9]])
    bound = Bound(math.inf, math.log(1.9), requirements=required)
    limits, rows = bound.on(Joint(counts)), np.arange(3)
    problem = group_problem(counts.astype(float), rows, limits)
    channel = optimum(problem).channel
    drawn = channel.T @ counts[rows]
    assert safe_rows(np.vstack([drawn, counts[3:]]), limits)[:-1].all()
    assert mutual_information(counts[rows].sum(axis=1), channel) > 0.1
    assert problem.promise.safe_drawn(channel).all()
