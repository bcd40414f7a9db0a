"""Progress: a stage, and how much of it is done where that is known."""

from __future__ import annotations

from loglift._compute.progress import Progress, compiling_watched, silent, tell_compiling


def test_a_stage_may_not_know_its_end():
    stage = Progress("counting")
    assert (stage.stage, stage.done, stage.total) == ("counting", 0, None)
    assert Progress("sweeping", 2, 5).total == 5


def test_the_default_callback_does_nothing():
    assert silent(Progress("counting")) is None


def test_compiling_is_told_while_it_is_watched():
    told = []
    tell_compiling(1)
    with compiling_watched(told.append):
        tell_compiling(1)
        tell_compiling(-1)
    tell_compiling(1)
    assert told == [1, -1]
