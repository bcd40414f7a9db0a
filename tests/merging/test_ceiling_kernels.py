"""The least company, against all sets of values."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from loglift._compute.kernels import kernels

loops = kernels("merging._ceiling_kernels", plain=True)


def test_no_set_of_values_that_supplies_a_lack_is_lighter():
    rng, tight = np.random.default_rng(0), 0
    for _ in range(20):
        gain, p = rng.random(7), rng.random(7)
        order = np.argsort(-gain / p)
        gain, p = gain[order], p[order]
        lacking = rng.random(4) * 2
        found = loops.least_company(lacking, np.argsort(lacking), gain, p, np.argsort(gain))
        for lack, least in zip(lacking, found, strict=True):
            masses = [
                p[list(chosen)].sum()
                for size in range(1, 8)
                for chosen in combinations(range(7), size)
                if gain[list(chosen)].sum() >= lack
            ]
            if masses:
                assert least <= min(masses) + 1e-12
                tight += least >= min(masses) - 1e-12
            else:
                assert least == np.inf or lack > gain.sum()
    assert tight > 5
