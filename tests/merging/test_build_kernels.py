"""Building a partition from single values, in plain Python."""

from __future__ import annotations

import numpy as np

from loglift import Bound
from loglift._compute.kernels import kernels
from loglift.merging.problem import Problem

loops = kernels("merging._build_kernels", plain=True)
seeded = kernels("_compute._random_kernels", plain=True).seeded


def problem_of(seed, eps=0.4, n=30):
    counts = np.random.default_rng(seed).integers(1, 9, (n, 3)).astype(float)
    return Problem.of(counts, Bound.symmetric(eps)).arrays()


def shortfall_of(problem, gains):
    """The definition, with arrays."""
    return float(np.maximum(problem.need - gains, 0) @ problem.scale)


def test_the_shortfall_is_what_a_block_lacks():
    problem = problem_of(0)
    for x in range(10):
        found = loops.shortfall(problem.gain[x], problem.gain[x + 10], problem)
        expected = shortfall_of(problem, problem.gain[x] + problem.gain[x + 10])
        assert abs(found - expected) < 1e-12


def test_blocks_grow_until_they_are_safe_or_no_donor_is_left():
    safe = 0
    for seed in range(5):
        problem = problem_of(seed)
        short = np.array([shortfall_of(problem, gains) for gains in problem.gain])
        seeds = np.argsort(-short)[: np.count_nonzero(short)]
        labels = loops.grow(seeds, short, 1.0, problem, seeded(0))
        assert (labels[seeds] >= 0).all()
        for block in range(labels.max() + 1):
            members = np.flatnonzero(labels == block)
            assert short[members].any()
            safe += shortfall_of(problem, problem.gain[members].sum(axis=0)) == 0
    assert safe > 10


def test_repair_ends_with_safe_blocks_or_one():
    for seed in range(5):
        problem = problem_of(seed)
        gain, sums = problem.gain.copy(), problem.sums.copy()
        order = np.argsort(-problem.sums[:, 0], kind="stable")
        into = loops.repair(gain, sums, order, problem, seeded(0))
        while (into[into] != into).any():
            into = into[into]
        blocks = np.unique(into)
        totals = np.array([problem.gain[into == b].sum(axis=0) for b in blocks])
        assert len(blocks) == 1 or (totals >= -1e-9).all()
        np.testing.assert_allclose(
            sums[blocks], [problem.sums[into == b].sum(axis=0) for b in blocks]
        )
