"""Covering against all choices of blocks."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from loglift import Bound
from loglift.merging import covering
from loglift.merging.covering import best_cover
from loglift.merging.items import items_of
from loglift.merging.problem import Problem


@pytest.mark.parametrize("steps", [2_000_000, 2])
def test_the_best_choice_of_blocks(steps, monkeypatch):
    """With two steps only, an integer program takes over."""
    monkeypatch.setattr(covering, "MAX_SEARCHED_COPIES", 0)
    monkeypatch.setattr(covering, "MAX_STEPS", steps)
    rng, found_any = np.random.default_rng(1), 0
    for _ in range(15):
        items = items_of(Problem.of(rng.random((6, 3)), Bound.symmetric(9)))
        blocks = [b for b in (rng.random((12, 6)) < 0.4).astype(np.int64) if b.any()]
        best = -math.inf
        for size in range(1, 7):
            for chosen in combinations(blocks, size):
                if (np.sum(chosen, axis=0) == 1).all():
                    best = max(best, sum(items.value(block) for block in chosen))
        duals = np.full(6, 1.0)
        cover, proven = best_cover(items, blocks, duals, 100.0, np.argsort(-items.p), 1e18)
        assert proven
        assert bool(cover) == (best > -math.inf)
        if cover:
            found_any += 1
            assert sum(items.value(block) for block in cover) == pytest.approx(best)
    assert found_any > 3
