"""The effort that is left."""

from __future__ import annotations

import time

import pytest

from loglift.randomizing.effort import Effort, SharedSeconds


def test_without_a_deadline_programs_are_counted():
    effort = Effort(100)
    assert effort.affordable == 100
    effort.spend(60, 1.0)
    assert effort.affordable == 40
    assert not effort.over
    effort.spend(60, 1.0)
    assert effort.over
    assert effort.affordable == 1


def test_with_a_deadline_the_time_that_is_left_counts():
    effort = Effort(100, time.monotonic() + 1000)
    first = effort.affordable
    effort.spend(10_000, 1.0)
    assert not effort.over
    assert effort.affordable > 1_000_000 > first
    assert Effort(100, time.monotonic() - 1).over


def test_tasks_share_the_seconds_that_are_left_by_their_values(monkeypatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    one, two = SharedSeconds(60, 300), SharedSeconds(60, 300, workers=2)
    assert one.share(100) == pytest.approx(20)
    assert two.share(100) == pytest.approx(40)
    now = 110.0  # ten seconds of twenty were needed
    assert one.share(100) == pytest.approx(25)
    assert two.share(100) == pytest.approx(50)  # no more than all that are left
    now = 160.0
    assert one.share(100) == two.share(100) == 0
    assert SharedSeconds(None, 300).share(100) is None
