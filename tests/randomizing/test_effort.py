"""The effort that is left."""

from __future__ import annotations

import time

from loglift.randomizing.effort import Effort


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
