"""The interface of what solvers maximise: what they ask, I(X;Y) and targets answer."""

from __future__ import annotations

import inspect
from functools import cache

import numpy as np
import pytest

from loglift import Utility
from loglift._compute.kernels import kernels
from loglift.utility.information import Information
from loglift.utility.weighted import WeightedTargets
from loglift.utility.worth import Worth
from random_joints import random_goal, random_joint_of_table

ASKED = [name for name in vars(Worth) if not name.startswith("_")]
METHODS = [name for name in ASKED if inspect.isfunction(getattr(Worth, name))]


def some_worths(rng):
    """I(X;Y) and targets, on the same joint."""
    joint = random_joint_of_table(rng)
    return [Utility.joint().worth(joint), random_goal(rng, joint)[0].worth(joint)]


@pytest.mark.parametrize("kind", [Information, WeightedTargets])
def test_both_kinds_answer_what_is_asked(kind):
    assert len(METHODS) >= 7
    for name in METHODS:
        asked, given = (inspect.signature(getattr(each, name)) for each in (Worth, kind))
        assert list(given.parameters) == list(asked.parameters)
    worths = some_worths(np.random.default_rng(1))
    made = next(worth for worth in worths if isinstance(worth, kind))
    assert [name for name in ASKED if not hasattr(made, name)] == []


@pytest.mark.parametrize("seed", range(10))
def test_merging_two_blocks_never_gains(seed):
    rng, lost = np.random.default_rng(seed), 0
    for _ in range(10):
        for worth in some_worths(rng):
            n = worth.weight.size
            labels = np.unique(rng.integers(0, n, n), return_inverse=True)[1]
            before = worth.blocks(labels).values()
            if before.size > 1:
                after = worth.blocks(labels).blocks(np.append([0], np.arange(before.size - 1)))
                assert before[:2].sum() >= after.values()[0] - 1e-12
                np.testing.assert_allclose(after.values()[1:], before[2:], atol=1e-12)
                lost += before[:2].sum() > after.values()[0] + 1e-6
    assert lost > 5


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_the_sums_and_the_kernels_give_the_same_values(seed, plain):
    """Compiled parts have no wrapper for Python, so a compiled loop that calls them is asked."""
    rng = np.random.default_rng(seed)
    worths = some_worths(rng)
    assert len(worths) == 2
    for worth in worths:
        n = worth.weight.size
        rows = rng.permutation(n)[: int(rng.integers(1, n + 1))]
        sums, coefficients = worth.sums(rows)
        assert coefficients[0] < 0
        np.testing.assert_allclose(sums[:, 0], worth.weight[rows] / worth.total)
        logs = np.log(sums, out=np.zeros_like(sums), where=sums > 0)
        values = worth.values()[rows]
        np.testing.assert_allclose((sums * logs) @ coefficients, values, atol=1e-12)
        assert values_of_kernels(sums, coefficients, plain=plain) == pytest.approx(
            values, abs=1e-12
        )
        np.testing.assert_allclose(worth.only(rows).values(), values, atol=1e-12)


def values_of_kernels(sums, coefficients, *, plain):
    """The value of each row, through the utility of a partition that the search works on."""
    if plain:
        value = kernels("utility._utility_kernels", plain=True).value
        return [value(row, coefficients) for row in sums]
    return compiled_values()(sums, coefficients)


@cache
def compiled_values():
    import numba  # noqa: PLC0415, compiled only here

    value = kernels("utility._utility_kernels", plain=False).value

    @numba.njit
    def all_of(sums, coefficients):
        return np.array([value(sums[i], coefficients) for i in range(len(sums))])

    return all_of


@pytest.mark.parametrize("seed", range(5))
def test_no_release_with_this_much_information_is_worth_more(seed):
    rng, close = np.random.default_rng(seed), 0
    for _ in range(20):
        for worth in some_worths(rng):
            n = worth.weight.size
            channel = rng.dirichlet(np.full(4, 0.3), n)
            information = Information(worth.weight, worth.total).of_channel(channel)
            kept = worth.of_channel(channel)
            assert kept <= worth.most(information) + 1e-12
            assert kept <= worth.values().sum() + 1e-12
            close += kept > 0.8 * worth.most(information)
    assert close > 5


@pytest.mark.parametrize("seed", range(5))
def test_what_groups_are_worth_alone_adds_up(seed):
    """No released value is of two groups: the groups as blocks, plus p(g) of each group."""
    rng, gained = np.random.default_rng(seed), 0
    for _ in range(10):
        for worth in some_worths(rng):
            n = worth.weight.size
            groups = np.unique(rng.integers(0, 3, n), return_inverse=True)[1]
            channel, added = np.zeros((n, 3 * (groups.max() + 1))), 0.0
            for group in range(groups.max() + 1):
                rows = np.flatnonzero(groups == group)
                drawn = rng.dirichlet(np.full(3, 0.3), rows.size)
                channel[rows, 3 * group : 3 * group + 3] = drawn
                alone = worth.alone(rows)
                assert alone.total == pytest.approx(worth.weight[rows].sum())
                added += alone.total / worth.total * alone.of_channel(drawn)
            apart = worth.blocks(groups).values().sum()
            assert worth.of_channel(channel) == pytest.approx(apart + added, abs=1e-10)
            gained += added > 0.01
    assert gained > 5
