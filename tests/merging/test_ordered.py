from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

import loglift
from loglift import Bound, Joint, TableError, entropy, merge
from loglift.promise.bipartition import safe_rows
from loglift.sparse import block_sums
from naive import best_of_all, leakage
from random_joints import random_bound, random_problem
from strategies import bounds, joints


def best_runs(mass, bound):
    """Try all cuts between rows; the whole alphabet is always safe."""
    n, best = len(mass), 0.0
    for cuts in range(2 ** (n - 1)):
        labels = np.cumsum([0] + [cuts >> i & 1 for i in range(n - 1)])
        blocks = block_sums(mass, labels)
        if safe_rows(blocks, bound).all():
            best = max(best, entropy(blocks.sum(axis=1)))
    return best


@settings(max_examples=300)
@given(joints(), bounds())
def test_equals_trying_all_cuts(joint, bound):
    mass = Joint(joint).scaled
    found = merge(joint, bound=bound, method="ordered")
    assert found.safe
    assert found.optimal
    assert (np.diff(found.labels) >= 0).all()
    assert found.utility == pytest.approx(best_runs(mass, bound), abs=1e-9)
    assert found.utility <= merge(joint, bound=bound, iterations=300).utility + 1e-6


@pytest.mark.parametrize("few", [False, pytest.param(True, marks=pytest.mark.few_values)])
@pytest.mark.parametrize("seed", range(4))
def test_no_runs_keep_more_of_targets(seed, few):
    rng, solved = np.random.default_rng([seed, few]), 0
    for _ in range(10):
        (joint, goal, kept), bound = random_problem(rng), random_bound(rng)
        least = float(joint.total * rng.choice([0, 0.2]))
        found = merge(joint, bound=bound, method="ordered", utility=goal, min_count=least or None)
        mass, counted = joint.mass.astype(float), least * len(joint.variables)
        best = best_of_all(mass, bound.lower, bound.upper, kept, counted, runs=True)
        assert found.safe
        assert found.utility == pytest.approx(best, abs=1e-12)
        assert found.upper_bound == found.utility
        solved += found.size > 1
    assert solved > 0


@pytest.mark.parametrize("eps", [20, 30, 50, 231, 700, 1e308])
@pytest.mark.parametrize("size", [30, 300])
def test_a_wide_bound_still_rules_zeros_out(eps, size):
    """A run without a sensitive value lacks very little of a lift of e^-30."""
    rng = np.random.default_rng(size)
    counts = rng.integers(0, 50, (size, 3)) * (rng.random((size, 3)) < 0.4)
    counts[:, 0] += counts.sum(axis=1) == 0
    found = merge(counts, eps, "ordered")
    assert found.safe
    wide = Bound.symmetric(15)  # rules out zeros and nothing else here, by more than rounding
    assert found.utility == pytest.approx(
        merge(counts, bound=wide, method="ordered").utility, rel=1e-12
    )


@given(joints())
def test_min_count_is_honoured(joint):
    least = 0.3 * joint.sum()
    found = merge(joint, bound=Bound.symmetric(1), method="ordered", min_count=least)
    assert block_sums(joint.sum(axis=1), found.labels).min() >= least * (1 - 1e-9)


def test_an_ordered_column_is_released_as_ranges():
    rng = np.random.default_rng(1)
    age = rng.integers(20, 60, 2000)
    ill = np.where(rng.random(2000) < age / 80, "yes", "no")
    frame = pl.DataFrame({"age": [None, *age[1:].tolist()], "ill": ill})
    result = loglift.protect(
        frame, sensitive="ill", public="age", eps=0.5, method="ordered", keep_order=True
    )
    shown = result.table["age"].to_list()
    assert leakage(zip(shown, ill.tolist(), strict=True)) <= 0.5
    for before, after in zip(age[1:].tolist(), shown[1:], strict=True):
        ends = after.removeprefix("NULL | ").split("-")
        assert int(ends[0]) <= before <= int(ends[-1])
    assert len(set(shown)) > 1
    assert shown[0].startswith("NULL | ")


def test_runs_are_of_one_column():
    frame = pl.DataFrame({"a": [1, 2], "b": [1, 2], "s": [0, 1]})
    with pytest.raises(TableError, match="one ordered column"):
        loglift.protect(frame, sensitive="s", public=["a", "b"], eps=1, method="ordered")
