"""Loops as plain Python: the same results as compiled, and nothing compiled for a small table."""

import os
import subprocess
import sys

import numpy as np
import pytest

from loglift import merge
from loglift.merging import _plain, pricing, search
from loglift.merging._plain import Allowance, plain
from loglift.merging._random_kernels import MODULUS, below, seeded, uniform


@pytest.fixture
def allowed(monkeypatch):
    """Allow plain loops as much as there is, or nothing."""

    def allow(left):
        for module in (search, pricing):
            monkeypatch.setattr(module, "_plainly", Allowance(left))
        monkeypatch.setattr(Allowance, "covers", lambda self, _: self.left > 0)
        monkeypatch.setattr(_plain, "FEW", 64 if left else 0)

    return allow


SIZES = {"search": [(13, 2), (24, 2), (40, 3)], "exact": [(16, 3), (24, 2)], "greedy": [(60, 3)]}


@pytest.mark.parametrize("eps", [0.25, 0.5, 1.0])
@pytest.mark.parametrize(
    ("method", "size"), [(method, size) for method, sizes in SIZES.items() for size in sizes]
)
def test_plain_loops_find_what_compiled_ones_do(allowed, method, size, eps):
    """Counts, as tables have them, with ties."""
    random = np.random.default_rng(size)
    joint = random.poisson(random.gamma(1, 20, (size[0], 1)), size) + 1
    allowed(0)
    compiled = merge(joint, eps, method=method)
    allowed(10_000)
    alike = merge(joint, eps, method=method)
    assert np.array_equal(alike.labels, compiled.labels)
    assert alike.upper_bound == pytest.approx(compiled.upper_bound, rel=1e-9)


def test_a_small_table_compiles_nothing(tmp_path):
    """Twenty values on a machine that has compiled nothing yet."""
    code = (
        "import numpy, loglift\n"
        "joint = numpy.random.default_rng(1).poisson(20, (20, 3)) + 1\n"
        "print(loglift.merge(joint, 0.3).utility)"
    )
    run = [sys.executable, "-W", "error", "-c", code]
    fresh = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    printed = subprocess.run(run, env=fresh, check=True, capture_output=True, text=True).stdout
    joint = np.random.default_rng(1).poisson(20, (20, 3)) + 1
    assert float(printed) == merge(joint, 0.3).utility
    assert not list(tmp_path.rglob("*.nbi"))


def test_an_allowance_is_used_up_by_time(monkeypatch):
    """Seconds are counted where a loop is plain, and only for few values."""
    allowance = Allowance(1e-9)
    monkeypatch.setattr(Allowance, "covers", lambda self, _: self.left > 0)
    with allowance.timed(below, few=False) as loop:
        assert loop is below
    assert allowance.left > 0
    with allowance.timed(below, few=True) as loop:
        assert loop is plain(below)
    assert allowance.left < 0
    with allowance.timed(below, few=True) as loop:
        assert loop is below


def test_random_numbers_are_spread_evenly_and_belong_to_their_state():
    """Ten thousand draws of each kind; neighbouring seeds have little in common."""
    state, again = seeded(7), seeded(7)
    numbers = [plain(uniform)(state) for _ in range(10_000)]
    assert np.bincount((np.array(numbers) * 10).astype(int)).min() > 900
    assert numbers == [plain(uniform)(again) for _ in range(10_000)]
    places = [plain(below)(state, 7) for _ in range(10_000)]
    assert np.bincount(places, minlength=7).min() > 1300
    assert max(places) == 6
    assert 0 < state[0] < MODULUS
    first = [plain(uniform)(seeded(seed)) for seed in range(1000)]
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 0.1
