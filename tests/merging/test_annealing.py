"""Annealing: safe, never worse than its start, the same on any number of cores and compiled or not.

What a block holds is kept up to date step by step; here it is summed up anew.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from loglift import Bound, Joint, Target, Utility, merge
from loglift._compute import threads
from loglift._compute.kernels import kernels
from loglift.measures.partition import canonical
from loglift.merging import annealing as module
from loglift.merging.annealing import annealed, in_order_of, shards_along, sort_keys
from loglift.merging.problem import Problem
from loglift.merging.search import Options, search
from loglift.sparse import as_cells, block_sums

plain = kernels("merging._annealing_kernels", plain=True)


def a_joint(rows=500, seed=0):
    """Three columns; what is sensitive depends on two of them."""
    rng = np.random.default_rng(seed)
    a, b, c = (rng.integers(0, size, rows) for size in (5, 6, 4))
    table = pd.DataFrame({"a": a, "b": b, "c": c, "s": (a + b + rng.integers(0, 4, rows)) % 3})
    return Joint.from_table(table, sensitive="s", public=["a", "b", "c"])


def a_problem(eps=0.5, *, whole=True, least=0.0, rows=500, seed=0):
    """Targets are columns; with `whole` False also one whose masses are not whole numbers."""
    joint = a_joint(rows, seed)
    targets = []
    if not whole:
        given = np.random.default_rng(seed).dirichlet(np.full(4, 0.3), len(joint.public))
        targets = [Target.given("u", given)]
    goal = Utility.columns(targets=targets)
    return Problem.of(joint.scaled, Bound.symmetric(eps), worth=goal.worth(joint), least=least)


def start_of(problem):
    return search(problem.of_rows, Options(iterations=50))


def check_safe(problem, labels):
    blocks = problem.blocks(labels)
    assert blocks.promise.safe().all()
    assert blocks.worth.weight.min() >= problem.least * (1 - 1e-12)
    assert labels.tolist() == canonical(labels).tolist()


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("eps", [0.2, 0.5, 1.0])
def test_safe_and_better_than_the_start(eps, whole):
    problem = a_problem(eps, whole=whole)
    begin = start_of(problem)
    found = annealed(problem, begin, 40_000, 0)
    check_safe(problem, found)
    assert problem.utility_of(found) > problem.utility_of(begin)


@pytest.mark.parametrize("steps", [0, 1, 19, 20, 400])
@pytest.mark.parametrize("seed", range(3))
def test_never_worse_than_the_start(steps, seed):
    """A few hot steps lose; the start is returned then."""
    problem = a_problem(0.4, seed=seed)
    begin = annealed(problem, start_of(problem), 40_000, 0)
    found = annealed(problem, begin, steps, seed)
    assert problem.utility_of(found) >= problem.utility_of(begin)
    check_safe(problem, found)


def test_a_worse_result_is_dropped(monkeypatch):
    problem = a_problem()
    begin = start_of(problem)
    monkeypatch.setattr(module, "_annealed", lambda *_: np.zeros_like(begin))  # safe, worth nothing
    assert annealed(problem, begin, 1000, 0) is begin


def test_nothing_to_rearrange_is_returned_as_it_is():
    problem = a_problem()
    n = problem.size
    together = np.zeros(n, dtype=np.int64)
    assert annealed(problem, together, 1000, 0) is together
    apart = np.arange(n)
    assert annealed(problem.of_rows, apart, 1000, 0) is apart


@pytest.mark.parametrize("least", [3.0, 10.0, 60.0])
def test_blocks_keep_their_least_mass(least):
    problem = a_problem(1.0, least=least)
    begin = start_of(problem)
    found = annealed(problem, begin, 40_000, 0)
    check_safe(problem, found)
    assert block_sums(problem.worth.weight, found).min() >= least
    assert problem.utility_of(found) > problem.utility_of(begin)


@pytest.fixture
def small_shards(monkeypatch):
    """Small limits stand for many values."""
    monkeypatch.setattr(module, "MAX_SHARD_VALUES", 25)
    monkeypatch.setattr(module, "MIN_SHARD_BLOCKS", 3)


def shard_sizes(problem, labels):
    order, random = np.arange(labels.size), np.random.default_rng(0)
    return [rows.size for rows in shards_along(labels, order, problem.inequalities, random)]


@pytest.mark.usefixtures("small_shards")
def test_shards_are_whole_blocks_of_neighbours():
    problem = a_problem(1.0)
    labels, random = start_of(problem), np.random.default_rng(0)
    order = random.permutation(labels.size)
    place = np.argsort(order)
    shards = shards_along(labels, order, problem.inequalities, random)
    assert len(shards) > 2
    assert sorted(np.concatenate(shards).tolist()) == list(range(labels.size))
    of = np.empty_like(labels)
    for number, rows in enumerate(shards):
        of[rows] = number
    assert all(len(set(of[labels == b])) == 1 for b in range(labels.max() + 1))
    assert all((np.diff(place[rows]) > 0).all() for rows in shards)  # in that order
    middles = [np.median(place[rows]) for rows in shards]
    assert middles == sorted(middles)


@pytest.mark.usefixtures("small_shards")
def test_shard_by_shard_it_is_safe_and_better_too():
    problem = a_problem(1.0)
    begin = start_of(problem)
    assert len(shard_sizes(problem, begin)) > 2
    found = annealed(problem, begin, 40_000, 0)
    check_safe(problem, found)
    assert problem.utility_of(found) > problem.utility_of(begin)


@pytest.mark.parametrize("shards", ["one", "several"])
def test_the_result_is_that_of_any_number_of_cores(shards, monkeypatch):
    if shards == "several":
        monkeypatch.setattr(module, "MAX_SHARD_VALUES", 25)
        monkeypatch.setattr(module, "MIN_SHARD_BLOCKS", 3)
    problem = a_problem(1.0)
    begin = start_of(problem)
    assert (len(shard_sizes(problem, begin)) > 1) == (shards == "several")
    found = []
    for cores in (1, 2, 5):
        monkeypatch.setattr(threads, "cores", lambda cores=cores: cores)
        found.append(annealed(problem, begin, 20_000, 3).tolist())
    assert found[0] == found[1] == found[2]
    assert annealed(problem, begin, 20_000, 4).tolist() != found[0]


def test_merge_is_the_same_on_any_number_of_cores(monkeypatch):
    joint, found = a_joint(), []
    for cores in (1, 2, 5):
        monkeypatch.setattr(threads, "cores", lambda cores=cores: cores)
        found.append(merge(joint, 0.4, utility=Utility.columns(), iterations=200))
    assert found[0].safe
    for other in found[1:]:
        assert other.labels.tolist() == found[0].labels.tolist()
        assert other.upper_bound == found[0].upper_bound


def test_a_result_that_rounding_made_unsafe_is_dropped(monkeypatch):
    problem = a_problem()
    begin = start_of(problem)
    apart = np.arange(begin.size)  # worth most, and unsafe
    assert not problem.promise.safe().all()
    monkeypatch.setattr(module, "_annealed", lambda *_: apart)
    assert annealed(problem, begin, 1000, 0) is begin


def test_blocks_with_more_gains_than_fit_into_memory_stay_as_they_are(monkeypatch):
    problem = a_problem()
    begin = start_of(problem)
    monkeypatch.setattr(module, "MAX_DENSE_CELLS", problem.size * problem.inequalities - 1)
    assert annealed(problem, begin, 20_000, 0).tolist() == begin.tolist()
    table = (begin.max() + plain.MAX_NEW_BLOCKS) * problem.worth.cells.width
    assert table > problem.size * problem.inequalities
    monkeypatch.setattr(module, "MAX_DENSE_CELLS", table - 1)
    assert annealed(problem, begin, 20_000, 0).tolist() == begin.tolist()
    monkeypatch.setattr(module, "MAX_DENSE_CELLS", table)
    assert annealed(problem, begin, 20_000, 0).tolist() != begin.tolist()


def test_values_in_the_order_of_several_keys_are_those_of_lexsort():
    keys = list(np.random.default_rng(0).integers(0, [[3], [70_000], [2]], (3, 500)))
    assert in_order_of(keys).tolist() == np.lexsort(keys).tolist()


def test_values_are_sorted_by_their_likeliest_target_values_and_their_mass():
    joint = Joint([[1, 1], [8, 9], [2, 2]])
    first = Target.given("u", [[0.2, 0.8], [0.6, 0.4], [0.5, 0.5]])
    second = Target.given("v", np.eye(2)[[1, 0, 1]])
    keys = sort_keys(Utility.of([first, second]).worth(joint))
    assert keys[:, 0].tolist()[:2] == [1, 0]
    assert keys[:, 1].tolist() == [3, 2, 3]
    assert keys[:, 2].tolist() == [0, 3, 1]  # 2, 17 and 4 records: powers of two, from the least
    only_x = Utility.of([Target.given("x", np.eye(3))]).worth(joint)
    assert sort_keys(only_x).tolist() == [[0], [3], [1]]


# The kernel itself.


def values_of(problem, loops):
    """The values of a problem as the kernel takes them, as one shard."""
    worth, arrays, cells = problem.worth, problem.of_rows.arrays(), problem.worth.cells
    starts, columns, masses, _ = (getattr(cells, field.name) for field in fields(cells))
    whole = not (masses % 1).any()
    kind = np.int32 if whole else np.float64
    t = np.arange(1.0, 500.0 if whole else 1.0)
    return loops.Values(
        arrays.gain,
        arrays.need,
        worth.weight.astype(kind),
        starts,
        columns,
        masses.astype(kind),
        worth.cell_weights,
        worth.block_weight,
        np.append(0.0, t * np.log(t)) if whole else np.empty(0),
    )


def check_sums(blocks, values):
    """All that is kept up to date is what it is when summed up anew."""
    used = np.unique(blocks.of)
    held = np.zeros_like(blocks.held)
    for b in used:
        members = np.flatnonzero(blocks.of == b)
        listed, x = [], blocks.head[b]
        while x != plain.NOBODY:
            assert blocks.before[x] == (listed[-1] if listed else plain.NOBODY)
            listed.append(int(x))
            x = blocks.following[x]
        assert sorted(listed) == members.tolist()
        assert blocks.size[b] == members.size
        assert blocks.mass[b] == pytest.approx(values.mass[members].sum())
        scale = np.abs(values.gain).max()
        np.testing.assert_allclose(
            blocks.gain[b], values.gain[members].sum(axis=0), atol=1e-9 * scale
        )
        for x in members:
            for i in range(values.starts[x], values.starts[x + 1]):
                held[b, values.columns[i]] += values.cells[i]
    free = blocks.free[: blocks.unused[0]]
    assert sorted([*used.tolist(), *free.tolist()]) == list(range(blocks.size.size))
    assert (blocks.size[free] == 0).all()
    assert (blocks.mass[free] == 0).all()
    np.testing.assert_allclose(blocks.held, held, atol=1e-9)


def rearranged(problem, loops, steps, hot, *, seed=1):
    values = values_of(problem, loops)
    blocks = loops.linked(start_of(problem), values)
    work = loops.workspace(values, np.array([seed]))
    conditions = problem.promise.conditions().if_any
    loops.rearrange(
        blocks, values, conditions, steps, hot, 0.0, module.DISTANCES, module.LOGS, work
    )
    return blocks, values


def heat(problem):
    return 5 * float(problem.worth.weight.mean()) * problem.worth.block_weight


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("hot", [False, True])
def test_what_blocks_hold_is_kept_up_to_date(whole, hot):
    """Many moves, many target values."""
    joint = a_joint(120)
    n = len(joint.public)
    many = np.eye(n // 2)[np.arange(n) // 2 % (n // 2)]
    target = Target.given("u", many if whole else 0.7 * many + 0.3 * np.roll(many, 7, axis=1))
    problem = Problem.of(
        joint.scaled, Bound.symmetric(1.5), worth=Utility.of([target]).worth(joint)
    )
    hottest = heat(problem) if hot else 0.0
    blocks, values = rearranged(problem, plain, 10_000, hottest)
    check_sums(blocks, values)
    compiled = kernels("merging._annealing_kernels", plain=False)
    assert rearranged(problem, compiled, 10_000, hottest)[0].of.tolist() == blocks.of.tolist()
    check_safe(problem, canonical(blocks.of))


def test_only_target_values_that_several_rows_have_are_held():
    dense = np.array([[1, 0, 2, 0], [0, 3, 4, 0], [5, 6, 0, 0], [0, 0, 7, 8]])
    cells, gain = as_cells(dense), np.arange(8.0).reshape(4, 2)
    names = np.arange(4.0)  # a nat is worth its number: which target value is which
    whole = plain.Values(
        gain,
        np.zeros(2),
        np.array([3, 7, 11, 15]),
        cells.starts,
        cells.columns,
        cells.values,
        names,
        1.0,
        np.empty(0),
    )
    for rows, kept in (([0, 1, 2, 3], [0, 1, 2]), ([3, 1, 0], [2]), ([0, 2], [0]), ([2, 3], [])):
        found = plain.gathered(whole, np.array(rows), gain[rows])
        assert sorted(found.nats.tolist()) == kept
        assert found.mass.tolist() == whole.mass[rows].tolist()
        assert found.gain.tolist() == gain[rows].tolist()
        held = np.zeros((len(rows), 4), dtype=np.int64)
        for r in range(len(rows)):
            for i in range(found.starts[r], found.starts[r + 1]):
                held[r, int(found.nats[found.columns[i]])] = found.cells[i]
        expected = np.where(np.isin(np.arange(4), kept), dense[rows], 0)
        assert held.tolist() == expected.tolist()


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("least", [0.0, 5.0])
def test_plain_and_compiled_loops_do_the_same(whole, least):
    problem = a_problem(0.7, whole=whole, rows=200, least=least)
    compiled = kernels("merging._annealing_kernels", plain=False)
    for hot in (0.0, heat(problem)):
        one, _ = rearranged(problem, plain, 3000, hot)
        other, values = rearranged(problem, compiled, 3000, hot)
        assert one.of.tolist() == other.of.tolist()
        assert canonical(one.of).tolist() != start_of(problem).tolist()
        check_sums(other, values)


@pytest.mark.parametrize("whole", [True, False])
def test_what_a_move_gains_is_the_difference_of_utilities(whole):
    problem, moved = a_problem(rows=120, whole=whole), 0
    values, labels = values_of(problem, plain), start_of(problem)
    rng = np.random.default_rng(0)
    blocks, begun = plain.linked(labels, values), plain.linked(labels, values)
    work = plain.workspace(values, np.array([1]))
    for _ in range(200):
        x, y = rng.integers(0, labels.size, 2)
        a, b = labels[x], labels[y]
        swap = rng.random() < 0.5
        after = labels.copy()
        after[x] = b
        if swap:
            after[y] = a
        if a == b:
            continue
        gain = plain.take_out(blocks, x, a, values, work.saved)
        if swap:
            gain += plain.take_out(blocks, y, b, values, work.saved_partner)
            gain += plain.gained(blocks, y, a, values)
        gain += plain.gained(blocks, x, b, values)
        if swap:
            plain.put_back(blocks, y, b, values, work.saved_partner)
        plain.put_back(blocks, x, a, values, work.saved)
        assert blocks.held.tolist() == begun.held.tolist()  # no trace, to the last digit
        assert blocks.mass.tolist() == begun.mass.tolist()
        change = problem.utility_of(canonical(after)) - problem.utility_of(labels)
        assert gain / problem.total == pytest.approx(change, abs=1e-12)
        moved += 1
    assert moved > 100


def test_a_partner_is_safe_or_nobody():
    problem = a_problem(0.5, rows=300)
    values, labels, state = values_of(problem, plain), start_of(problem), np.array([1])
    blocks, found = plain.linked(labels, values), {True: 0, False: 0}
    for x in range(labels.size):
        for near in range(labels.size):
            a, b = labels[x], labels[near]
            if a == b or blocks.size[b] == 1:
                continue
            y = plain.partner(blocks, x, a, b, near, values, None, state)
            found[y != plain.NOBODY] += 1
            if y != plain.NOBODY:
                after = labels.copy()
                after[x], after[y] = b, a
                assert y != near
                assert labels[y] == b
                assert problem.promise.blocks(after).safe().all()
    assert min(found.values()) > 50


def test_masses_of_more_than_32_bits_are_added_up_too():
    few = a_joint(200)
    joint = Joint(few.scaled.astype(np.int64) * 10**8, public=few.public)
    problem = Problem.of(
        joint.scaled,
        Bound.symmetric(0.5),
        worth=Utility.of([Target.given("u", np.eye(5)[[row[0] for row in few.tuples]])]).worth(
            joint
        ),
    )
    assert problem.worth.weight.sum() > 2**31
    begin = start_of(problem)
    found = annealed(problem, begin, 20_000, 0)
    check_safe(problem, found)
    assert problem.utility_of(found) > problem.utility_of(begin)


def test_sums_below_zero_are_rounding():
    """Masses that are not whole numbers: what is left of a sum may be a little less than zero."""
    nothing, some = np.empty(0), np.array([0.0, 0.0, 2 * np.log(2)])
    for known in (nothing, some):
        assert plain.xlogx(-1e-18, known) == 0
        assert plain.xlogx(0.0, known) == 0
        assert plain.xlogx(2.0, known) == pytest.approx(2 * np.log(2))
        assert plain.xlogx(3.0, known) == pytest.approx(3 * np.log(3))


def test_a_target_that_is_x_itself_is_annealed_too():
    """No target but X: nothing is sorted by, and nothing is held but masses."""
    joint = a_joint()
    goal = Utility.of([Target.given("x", np.eye(len(joint.public)))])
    problem = Problem.of(joint.scaled, Bound.symmetric(0.4), worth=goal.worth(joint))
    begin = start_of(problem)
    found = annealed(problem, begin, 20_000, 0)
    check_safe(problem, found)
    assert problem.utility_of(found) >= problem.utility_of(begin)


@pytest.mark.few_values
def test_a_small_problem_is_rearranged_in_plain_python():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, 300), rng.integers(0, 4, 300)
    table = pd.DataFrame({"a": a, "b": b, "s": (a + b + rng.integers(0, 4, 300)) % 3})
    joint = Joint.from_table(table, sensitive="s", public=["a", "b"])
    problem = Problem.of(joint.scaled, Bound.symmetric(0.5), worth=Utility.columns().worth(joint))
    assert problem.size == 20
    begin = start_of(problem)
    found = annealed(problem, begin, 4000, 0)
    check_safe(problem, found)
    assert problem.utility_of(found) >= problem.utility_of(begin)
