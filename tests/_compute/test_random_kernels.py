"""Random numbers that are the same compiled and plain."""

from __future__ import annotations

import numpy as np
import pytest

from loglift._compute.kernels import kernels

random = kernels("_compute._random_kernels", plain=True)


def test_numbers_are_spread_evenly_and_belong_to_their_state():
    """Ten thousand draws of each kind; neighbouring seeds have little in common."""
    state, again = random.seeded(7), random.seeded(7)
    numbers = [random.uniform(state) for _ in range(10_000)]
    assert np.bincount((np.array(numbers) * 10).astype(int)).min() > 900
    assert numbers == [random.uniform(again) for _ in range(10_000)]
    places = [random.below(state, 7) for _ in range(10_000)]
    assert np.bincount(places, minlength=7).min() > 1300
    assert max(places) == 6
    assert 0 < state[0] < random.MODULUS
    first = [random.uniform(random.seeded(seed)) for seed in range(1000)]
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 0.1


def test_shifts_give_the_remainders_and_quotients_of_the_modulus():
    modulus, rng = random.MODULUS, np.random.default_rng(0)
    states = [1, 2, modulus - 2, modulus - 1, *rng.integers(1, modulus, 500).tolist()]
    for state in states:
        drawn = state * random.MULTIPLIER % modulus
        assert random.uniform(np.array([state])) == drawn / modulus
        for size in (1, 2, 3, 1000, modulus - 1, modulus):
            assert random.below(np.array([state]), size) == drawn * size // modulus


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_compiled_numbers_are_the_same(seed):
    from loglift._compute._random_kernels import below  # noqa: PLC0415
    from loglift._compute.compiling import compiled  # noqa: PLC0415

    def draws(state, times):
        total = 0
        for _ in range(times):
            total += below(state, 1000)
        return total

    plain = sum(random.below(state, 1000) for state in [random.seeded(seed)] for _ in range(50))
    assert compiled(draws)(random.seeded(seed), 50) == plain
