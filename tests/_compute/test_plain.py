"""Loops as plain Python: the same results as compiled, and nothing compiled for a small table."""

import os
import subprocess
import sys

import numpy as np
import pytest

from loglift import merge
from loglift._compute import plain as _plain
from loglift._compute.plain import Allowance, plain
from loglift._compute.random import MODULUS, below, seeded, uniform
from loglift.merging import covering, pricing, search


@pytest.fixture
def allowed(monkeypatch):
    """Allow plain loops as much as there is, or nothing."""

    def allow(left):
        for module in (search, pricing, covering):
            monkeypatch.setattr(module, "_plainly", Allowance(left))
        monkeypatch.setattr(_plain, "_calls", Allowance(left))
        monkeypatch.setattr(Allowance, "covers", lambda self, _, steps=1: steps <= self.left)

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
    allowed(10**9)
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


def test_work_that_takes_longer_than_compiling_is_not_done_plainly(monkeypatch):
    """Twelve chunks of 24 values with 40 constraints would take a minute."""
    allowance = Allowance(15_000_000)
    monkeypatch.setattr(search, "_plainly", allowance)
    monkeypatch.setattr(Allowance, "covers", lambda self, _, steps=1: steps <= self.left)
    monkeypatch.setattr(pricing, "_plainly", Allowance(0))
    random = np.random.default_rng(1)
    merge(random.poisson(20, (24, 20)) + 1, 0.15)
    assert allowance.left == 15_000_000


def test_an_allowance_covers_no_more_than_is_left(monkeypatch):
    class Loop:
        signatures = ()

    monkeypatch.setattr(_plain, "_kept", lambda _: False)
    assert Allowance(5).covers(Loop(), 5)
    assert not Allowance(5).covers(Loop(), 6)
    assert not Allowance(0).covers(Loop())
    Loop.signatures = ("compiled",)
    assert not Allowance(5).covers(Loop())


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
