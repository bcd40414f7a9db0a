"""Tasks one after the other: progress, and the time that they share."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

from loglift import Joint, merge, protect, randomize
from loglift.randomizing import parts, solving
from loglift.randomizing.optimum import Round
from loglift.sparse import Cells

MANY = {"s": [0, 1, 1, 0, 1] * 200, "code": [f"v{i % 60}" for i in range(1000)]}


@pytest.fixture
def small(monkeypatch):
    """Few values are solved in parts."""
    monkeypatch.setattr("loglift.randomizing.task.MAX_WHOLE_VALUES", 20)
    monkeypatch.setattr(parts, "PART_VALUES", 12)


def stages(told):
    return [stage for stage, _ in itertools.groupby(step.stage for step in told)]


@pytest.mark.usefixtures("small")
def test_many_values_tell_their_stages():
    mass, told = np.random.default_rng(0).random((50, 4)), []
    randomize(mass, 0.3, on_progress=told.append)
    assert stages(told) == [
        "merging",
        "improving parts of the channel",
        "proving what can be kept at most",
    ]
    assert told[-2].done == told[-2].total > 1


@pytest.mark.usefixtures("small")
def test_intact_groups_tell_how_many_of_them_are_done():
    """One of them is solved in parts, one as a whole, and one is a single value."""
    mass, told = np.random.default_rng(0).random((50, 4)), []
    mass[49] = mass[:49].mean(axis=0)
    groups = [0] * 40 + [1] * 9 + [2]
    randomize(mass, 0.4, intact=groups, on_progress=told.append)
    whole = [step for step in told if step.stage == "randomizing intact groups"]
    assert [(step.done, step.total) for step in whole] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert "intact group 1 of 3: improving parts of the channel" in stages(told)
    rounds = [step for step in told if isinstance(step, Round)]
    assert rounds
    assert {step.stage for step in rounds} == {"intact group 2 of 3: improving the channel"}


@pytest.mark.usefixtures("small")
def test_protect_passes_on_what_is_told():
    told = []
    options = {"sensitive": "s", "public": "code", "eps": 0.3, "method": "randomized"}
    protect(pl.DataFrame(MANY), **options, on_progress=told.append)
    found = stages(told)
    begun = found.index("randomizing")
    assert found[begun + 1 : begun + 3] == ["merging", "improving parts of the channel"]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.usefixtures("small")
def test_without_time_many_values_are_released_in_the_blocks_of_a_partition(whole):
    counts = np.random.default_rng(0).integers(1, 40, (50, 4))
    joint = Joint(counts)
    if whole:
        rows = [(x, s) for x, s in np.argwhere(counts) for _ in range(counts[x, s])]
        table = pl.DataFrame(rows, schema=["code", "s"], orient="row")
        joint = Joint.from_table(table, sensitive="s", public="code")
    found = randomize(joint, 0.3, time_limit=0)
    merged = merge(joint, 0.3)
    assert found.safe
    assert found.utility == pytest.approx(merged.utility, abs=1e-9)
    assert found.channel.max(axis=1).tolist() == [1] * 50
    assert (found.exact_channel is not None) == whole
    assert randomize(joint, 0.3).utility > found.utility + 0.01


@pytest.mark.usefixtures("small")
def test_what_merging_took_of_the_time_is_not_there_for_parts(monkeypatch):
    limits, clock = [], [0.0]
    monkeypatch.setattr("loglift.randomizing.effort.time.monotonic", lambda: clock[0])

    def slow(*_, **__):
        clock[0] += 7
        return solving.canonical(np.arange(50) // 25)

    def watched(_, __, options, *___):
        limits.append(options.time_limit)
        return [parts.Part(np.arange(50), np.ones((50, 1)))]

    monkeypatch.setattr(solving, "search", slow)
    monkeypatch.setattr(solving, "solved_in_parts", watched)
    mass = np.random.default_rng(0).random((50, 4))
    randomize(mass, 0.3, time_limit=10)
    randomize(mass, 0.3, time_limit=5)
    randomize(mass, 0.3)
    assert limits == [3, 0, None]


def test_whole_numbers_are_divided_where_they_are_sparse_too():
    numerators = np.array([[2**51, 2**51, 0], [0, 2**50, 3 * 2**50]])
    sparse = Cells.of(*np.nonzero(numerators), numerators[numerators > 0], (2, 3))
    expected = [[0.5, 0.5, 0], [0, 0.25, 0.75]]
    assert solving.over_denominator(numerators).tolist() == expected
    assert solving.over_denominator(sparse)[:].tolist() == expected
