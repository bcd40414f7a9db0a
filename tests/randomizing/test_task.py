"""What is to be randomized: shares of the mass, and bounds of intact groups."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import Bound, Joint, TCloseness
from loglift.randomizing import task as module
from loglift.randomizing.task import Task

COUNTS = np.array([[30, 10], [10, 30], [20, 20], [5, 5]])


def task(joint, bound=None, **options):
    return Task(Joint(joint), bound or Bound.symmetric(0.5), None, (), **options)


def test_the_least_probability_is_one_record_more_for_whole_numbers():
    asked = task(COUNTS, min_count=13)
    assert asked.least == pytest.approx(13 / 130)
    assert asked.more_than_least == pytest.approx(14 / 130)
    assert asked.problem(asked.least).least == pytest.approx(13 / 130 * asked.problem(0).total)
    assert task(COUNTS).least == task(COUNTS).more_than_least == 0


def test_a_group_asks_for_no_more_records_than_it_has():
    group = task(COUNTS, min_count=10).only(np.array([3]))
    assert group.more_than_least == pytest.approx(10 / 130)
    assert group.chosen.tolist() == [3]


def test_only_a_bound_on_all_log_lifts_goes_in_parts(monkeypatch):
    monkeypatch.setattr(module, "MAX_WHOLE_VALUES", 3)
    assert task(COUNTS).goes_in_parts
    assert not task(COUNTS).only(np.arange(3)).goes_in_parts
    assert not task(COUNTS, Bound.symmetric(0)).goes_in_parts
    assert not task(COUNTS, Bound.symmetric(0.5).requiring(TCloseness(0.1))).goes_in_parts


def test_the_utility_of_groups_is_that_between_and_within_them():
    """I(X;Y) = H(G) + sum of p(g) I(X;Y|g)."""
    whole = task(COUNTS)
    groups = module.Groups.of(np.array([0, 0, 1, 1]))
    p = COUNTS.sum(axis=1) / COUNTS.sum()
    between = -(p[:2].sum() * np.log(p[:2].sum()) + p[2:].sum() * np.log(p[2:].sum()))
    most = whole.most(groups, [0.2, 0.3])
    assert most == pytest.approx(between + p[:2].sum() * 0.2 + p[2:].sum() * 0.3)
    assert whole.most(None, [0.4]) == 0.4
