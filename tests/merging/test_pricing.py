"""Pricing against a list of all blocks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from loglift import Bound
from loglift.merging import pricing as module
from loglift.merging.items import items_of
from loglift.merging.pricing import Pricing
from loglift.merging.problem import Problem
from random_joints import random_bound


def test_pricing_lists_every_block_above_a_threshold():
    rng = np.random.default_rng(3)
    for trial in range(20):
        counts = rng.integers(0, 4, (7, 3)) + 1
        counts[rng.integers(7, size=2)] = counts[0]  # identical rows
        items = items_of(Problem.of(counts.astype(float), Bound.symmetric(0.4)))
        duals = rng.random(items.p.size) * 0.4
        threshold = -0.2 if trial % 2 else 0.0
        listed = {tuple(block) for block in Pricing(items).every(duals, threshold)}
        expected = set()
        for block in np.ndindex(*(items.copies + 1)):
            numbers = np.array(block)
            safe = numbers.any() and (numbers @ items.gain >= items.need).all()
            if safe and items.value(numbers) - numbers @ duals > threshold:
                expected.add(block)
        assert listed == expected


@pytest.mark.parametrize("patience", [1, 2, 5, 10_000])
def test_a_walk_bounds_what_it_has_not_seen(patience):
    rng, done = np.random.default_rng(patience), 0
    for _ in range(40):
        counts = rng.integers(0, 5, (8, 3)) + np.eye(8, 3, dtype=np.int64)
        counts[:, 2] += counts.sum(axis=1) == 0
        items = items_of(Problem.of(counts.astype(float), random_bound(rng)))
        duals = rng.random(items.p.size) * 0.3
        pricing = Pricing(items)
        best = dict.fromkeys(range(items.p.size), -math.inf)
        for block in np.ndindex(*(items.copies + 1)):
            numbers = np.array(block)
            if numbers.any() and (numbers @ items.gain >= items.need).all():
                leader = next(int(item) for item in pricing.order if numbers[item])
                worth = items.value(numbers) - numbers @ duals
                best[leader] = max(best[leader], worth)
        for leader in pricing.leaders:
            walked = pricing.best(leader, duals, patience)
            most = best[pricing.item(leader)]
            assert walked.most >= most - 1e-12
            if walked.done and most > 1e-9:
                done += 1
                assert walked.most == pytest.approx(most, abs=1e-12)
                assert items.value(walked.block) - walked.block @ duals == pytest.approx(most)
    assert done > 0


@pytest.mark.few_values
def test_walks_that_begin_plain_go_on_compiled_with_the_same_blocks(monkeypatch):
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 9, (16, 3))
    items = items_of(Problem.of(counts.astype(float), Bound.symmetric(0.2)))
    duals = rng.random(items.p.size) * 0.1
    listed = []
    for weights in (10**9, 1000, 0):
        monkeypatch.setattr(module, "MAX_PLAIN_WEIGHTS", weights)
        listed.append({tuple(block) for block in Pricing(items).every(duals, -0.05)})
    assert len(listed[0]) > 10
    assert listed[0] == listed[1] == listed[2]


def test_listing_ends_with_the_work_that_is_allowed():
    counts = np.random.default_rng(0).integers(1, 9, (12, 3)).astype(float)
    items = items_of(Problem.of(counts, Bound.symmetric(0.3)))
    duals = np.zeros(items.p.size)
    assert len(Pricing(items).every(duals, -1.0)) > 12
    with pytest.raises(module.TooMany):
        Pricing(items, work=100.0).every(duals, -1.0)
