"""Channels of many values, part by part: safe, in whole numbers, between merging and the best."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from loglift import Bound, Joint, Mechanism, MechanismError, Target, Utility, merge, randomize
from loglift.merging.problem import Problem
from loglift.merging.search import search
from loglift.promise.integers import DENOMINATOR, exactly_safe
from loglift.promise.lift import LiftPromise
from loglift.randomizing import parts
from loglift.randomizing.optimum import Options
from loglift.randomizing.parts import joined, most_of_all, parts_of, solved_in_parts
from loglift.release.protect import protect
from loglift.sparse import Cells


@pytest.fixture
def small(monkeypatch):
    """Parts of few values, so that a small joint has several, and a sparse channel."""
    monkeypatch.setattr("loglift.sparse.MAX_ALWAYS_DENSE_CELLS", 500)
    monkeypatch.setattr("loglift.randomizing.task.MAX_WHOLE_VALUES", 10)
    monkeypatch.setattr(parts, "PART_VALUES", 12)
    monkeypatch.setattr(parts, "MAX_PART_VALUES", 40)


def table(seed, values=60, records=4000):
    rng = np.random.default_rng(seed)
    code, s = rng.integers(values, size=records), rng.random(records)
    shift = rng.random(values)
    return pl.DataFrame({"code": [f"v{c}" for c in code], "s": (s + shift[code] > 1).astype(int)})


def counted(seed, **options):
    return Joint.from_table(table(seed, **options), sensitive="s", public="code")


@pytest.mark.usefixtures("small")
def test_parts_hold_whole_blocks_and_every_value_once():
    rng = np.random.default_rng(0)
    for _ in range(50):
        blocks = int(rng.integers(1, 30))
        labels = np.append(np.arange(blocks), rng.integers(blocks, size=120))
        if rng.random() < 0.5:
            labels = np.append(labels, np.full(60, blocks - 1))
        found = parts_of(labels)
        assert sorted(np.concatenate(found).tolist()) == list(range(labels.size))
        of_part = [set(labels[rows].tolist()) for rows in found]
        assert sum(map(len, of_part)) == blocks
        for rows, inside in zip(found, of_part, strict=True):
            assert rows.size <= 52 or len(inside) == 1
        assert sum(rows.size < 12 for rows in found) <= 1 + sum(rows.size > 40 for rows in found)


@pytest.mark.parametrize("bound", [Bound.symmetric(0.3), Bound(lower=np.inf, upper=0.2)])
@pytest.mark.usefixtures("small")
def test_released_values_of_parts_are_safe_in_the_whole_table_and_rows_add_up(bound):
    for seed in range(4):
        mass = np.random.default_rng(seed).random((50, 4))
        problem = Problem.of(mass, bound)
        labels = search(problem)
        found = solved_in_parts(problem, labels, Options(), lambda _, channel: channel)
        channel = joined(found, 50)
        assert len(found) > 1
        np.testing.assert_allclose(channel.sum(axis=1), 1, atol=1e-9)
        assert LiftPromise.of(mass, bound).safe_drawn(channel[:]).all()


@pytest.mark.usefixtures("small")
def test_it_tells_how_many_of_all_parts_are_done():
    mass, told = np.random.default_rng(0).random((50, 4)), []
    problem = Problem.of(mass, Bound.symmetric(0.3))
    found = solved_in_parts(problem, search(problem), Options(), lambda _, c: c, told.append)
    assert len(found) > 1
    assert [step.done for step in told] == list(range(len(found) + 1))
    assert {(step.stage, step.total) for step in told} == {
        ("improving parts of the channel", len(found))
    }


@pytest.mark.usefixtures("small")
def test_parts_that_have_not_begun_when_time_is_over_keep_their_blocks(monkeypatch):
    mass = np.random.default_rng(0).random((50, 4))
    problem = Problem.of(mass, Bound.symmetric(0.3))
    labels, solved = search(problem), []
    hurried = joined(solved_in_parts(problem, labels, Options(time_limit=0), lambda _, c: c), 50)
    released = hurried[:].argmax(axis=1)
    assert hurried[:].max(axis=1).tolist() == [1] * 50
    assert len({*zip(labels, released, strict=True)}) == labels.max() + 1 == released.max() + 1

    def first_only(_, values):
        solved.append(values)
        return 100.0 if len(solved) == 1 else 0.0

    monkeypatch.setattr(parts.SharedSeconds, "share", first_only)
    some = joined(solved_in_parts(problem, labels, Options(), lambda _, c: c), 50)
    drawn = (some[:].max(axis=1) < 1).sum()
    assert 0 < drawn <= max(rows.size for rows in parts_of(labels))
    assert sum(solved) == 50


@pytest.mark.usefixtures("small")
def test_blocks_are_kept_in_parts_that_are_too_large_to_be_solved(monkeypatch):
    """A part can be larger than a block may be, by the blocks that were begun before the last."""
    mass = np.random.default_rng(0).random((50, 4))
    problem = Problem.of(mass, Bound.symmetric(0.3))
    labels = search(problem)
    monkeypatch.setattr(parts, "MAX_PART_VALUES", 11)
    sizes = np.bincount(labels)
    assert sizes.max() <= 11 < min(rows.size for rows in parts_of(labels)[:-1])
    found = joined(solved_in_parts(problem, labels, Options(), lambda _, channel: channel), 50)
    assert sorted(found[:].sum(axis=0).tolist()) == sorted(sizes.tolist())


@pytest.mark.parametrize("goal", ["joint", "targets"])
@pytest.mark.usefixtures("small")
def test_it_keeps_more_than_merging_and_no_more_than_is_proven(monkeypatch, goal):
    for seed in range(3):
        mass = np.random.default_rng(seed).random((48, 4))
        joint = Joint(mass / mass.sum())
        half = np.arange(48) % 2 == 0
        target = Target.given("half", np.where(half[:, None], [[1, 0]], [[0, 1]]))
        utility = None if goal == "joint" else Utility.of([target])
        found = randomize(joint, 0.2, utility=utility)
        merged = merge(joint, 0.2, utility=utility)
        monkeypatch.setattr("loglift.randomizing.task.MAX_WHOLE_VALUES", 100)
        best = randomize(joint, 0.2, utility=utility)
        monkeypatch.setattr("loglift.randomizing.task.MAX_WHOLE_VALUES", 10)
        assert isinstance(found.probabilities, Cells)
        assert found.safe
        assert merged.utility - 1e-9 <= found.utility <= best.upper_bound + 1e-9
        assert found.upper_bound >= best.utility - 1e-9
        if goal == "joint":
            assert found.utility > merged.utility + 0.05


def test_the_bound_of_many_values_is_above_the_best_channel(monkeypatch):
    """With linear programs for some values only, as for many."""
    monkeypatch.setattr("loglift.randomizing.proving._MAX_PROGRAMMED_VALUES", 0)
    monkeypatch.setattr("loglift.randomizing.proving._PROGRAMMED_SAMPLE", 5)
    for seed in range(4):
        mass = np.random.default_rng(seed).random((30, 3))
        mass /= mass.sum()
        best = randomize(mass, 0.2)
        most = most_of_all(Problem.of(mass, Bound.symmetric(0.2)))
        assert best.utility <= most + 1e-9 < best.utility * 1.6


@pytest.mark.usefixtures("small")
def test_a_table_is_drawn_in_whole_numbers_that_are_exactly_safe():
    for seed in range(3):
        joint = counted(seed)
        found = randomize(joint, 0.1, min_count=20)
        assert all(sum(n for _, n in row) == DENOMINATOR for row in found.exact_channel.rows)
        numerators = found.exact_channel.numerators().astype(object)
        released = numerators.T @ np.asarray(joint.mass).astype(object)
        assert exactly_safe(released, found.bound).all()
        assert (released.sum(axis=1) >= 20 * DENOMINATOR).all()
        assert found.safe
        assert found.size > 1
        np.testing.assert_array_equal(found.channel, numerators.astype(float) / DENOMINATOR)


@pytest.mark.usefixtures("small")
def test_a_single_part_has_its_rows_in_the_order_of_the_table():
    """A part has its rows in the order of blocks, which is another one."""
    unordered = 0
    for seed in range(6):
        mass = np.random.default_rng(seed).random((16, 3))
        problem = Problem.of(mass, Bound.symmetric(0.3))
        found = solved_in_parts(problem, search(problem), Options(), lambda _, channel: channel)
        unordered += bool((np.diff(found[0].rows) < 0).any())
        assert len(found) == 1
        assert randomize(mass / mass.sum(), 0.3).safe
    assert unordered > 0


@pytest.mark.usefixtures("small")
def test_intact_groups_of_many_values_go_in_parts():
    """Some groups are solved in parts, and some are not: no released value is of two groups."""
    joint = counted(7, values=80, records=9000)
    groups = np.where(np.arange(80) < 8, 0, 1 + np.arange(80) % 2)
    found = randomize(joint, 0.3, intact=groups.tolist())
    cells = found.exact_channel.cells()
    pairs = set(zip(cells.columns.tolist(), groups[cells.rows].tolist(), strict=True))
    assert len(pairs) == found.size > 3
    released = found.exact_channel.numerators().astype(object).T @ joint.mass.astype(object)
    assert exactly_safe(released, found.bound).all()
    assert merge(joint, 0.3, intact=groups.tolist()).utility <= found.utility <= found.upper_bound


@pytest.mark.usefixtures("small")
def test_a_release_in_parts_is_certified_saved_and_read_back(tmp_path):
    release = protect(table(5), sensitive="s", public="code", eps=0.2, method="randomized")
    assert release.certificate.holds
    made = release.mechanism
    made.save(tmp_path / "mechanism.json")
    read = Mechanism.load(tmp_path / "mechanism.json")
    assert read.exact_channel.rows == made.exact_channel.rows
    assert read.to_json() == made.to_json()
    again = read.measured(counted(5))
    assert again.utility == pytest.approx(made.utility, abs=1e-12)
    assert again.leakage == pytest.approx(made.leakage, abs=1e-12)


@pytest.mark.usefixtures("small")
def test_a_block_larger_than_parts_may_be_is_released_as_one():
    """One value has all of a sensitive value, so that every block needs it: there is one block."""
    mass = np.ones((60, 2))
    mass[1:, 1] = 0
    found = randomize(mass / mass.sum(), 0.5)
    assert found.safe
    assert found.size == 1


@pytest.mark.usefixtures("small")
def test_what_takes_all_values_at_once_is_refused_where_they_are_too_many(monkeypatch):
    monkeypatch.setattr("loglift.randomizing.task.MAX_CHANNEL_CELLS", 1000)
    mass = np.random.default_rng(0).random((40, 3))
    with pytest.raises(MechanismError, match=r"40 public values are too many .* merge"):
        randomize(mass / mass.sum(), 0.0)
    monkeypatch.setattr("loglift.mechanism.channel.MAX_CHANNEL_CELLS", 1000)
    found = randomize(mass / mass.sum(), 0.3)
    with pytest.raises(MechanismError, match="too many to hold"):
        found.channel  # noqa: B018, it raises
    assert found.probabilities.shape[0] == 40
    drawn = randomize(counted(3, values=40), 0.3).exact_channel
    for array in (drawn.numerators, drawn.posterior, drawn.probabilities):
        with pytest.raises(MechanismError, match="too many to hold"):
            array()
