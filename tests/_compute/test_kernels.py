"""Loops as plain Python: the same results as compiled, chosen by the size of the problem only."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from loglift import merge
from loglift._compute import kernels as module
from loglift._compute.kernels import is_short, is_small, kernels, many_problems
from loglift._compute.threads import spread

SIZES = {"search": [(13, 2), (24, 2), (24, 3)], "exact": [(16, 3), (24, 2)], "greedy": [(24, 3)]}


def table(size):
    """Counts, as tables have them, with ties."""
    random = np.random.default_rng(size)
    return random.poisson(random.gamma(1, 20, (size[0], 1)), size) + 1


@pytest.mark.parametrize("eps", [0.25, 0.5, 1.0])
@pytest.mark.parametrize(
    ("method", "size"), [(method, size) for method, sizes in SIZES.items() for size in sizes]
)
def test_plain_loops_find_what_compiled_ones_do(monkeypatch, method, size, eps):
    plain = merge(table(size), eps, method=method)
    monkeypatch.setattr(module, "MAX_PLAIN_VALUES", 0)
    compiled = merge(table(size), eps, method=method)
    assert np.array_equal(plain.labels, compiled.labels)
    assert plain.upper_bound == pytest.approx(compiled.upper_bound, rel=1e-9)


@pytest.mark.parametrize("size", [(100, 3), (60, 13), (200, 4)])
@pytest.mark.parametrize("eps", [0.1, 0.5])
def test_short_loops_find_what_compiled_ones_do(monkeypatch, size, eps):
    joint = table(size)
    plain = [merge(joint, eps, iterations=200), merge(joint, eps, method="greedy")]
    monkeypatch.setattr(module, "MAX_PLAIN_STEPS", 0)
    compiled = [merge(joint, eps, iterations=200), merge(joint, eps, method="greedy")]
    for one, other in zip(plain, compiled, strict=True):
        assert np.array_equal(one.labels, other.labels)
        assert one.upper_bound == other.upper_bound


CODE = """
import sys, numpy, loglift
joint = numpy.random.default_rng(1).poisson(20, ({rows}, 3)) + 1
for _ in range({times}):
    found = loglift.merge(joint, 0.3)
print(repr(found.utility), repr(found.upper_bound), found.labels.tolist(), "numba" in sys.modules)
"""


def run(cache, **values):
    command = [sys.executable, "-W", "error", "-c", CODE.format(**values)]
    fresh = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(command, env=fresh, check=True, capture_output=True, text=True).stdout


def test_a_small_table_compiles_nothing(tmp_path):
    """Twenty values on a machine that has compiled nothing yet: numba is not even imported."""
    assert run(tmp_path, rows=20, times=1).endswith("False\n")
    assert not list(tmp_path.rglob("*.nbi"))


def test_a_hundred_values_compile_one_loop(tmp_path):
    """Blocks are built in plain Python, and improved by the one loop that is worth compiling."""
    run(tmp_path, rows=100, times=1)
    assert [path.name.partition("-")[0] for path in tmp_path.rglob("*.nbi")] == [
        "_regroup_kernels.improve"
    ]


def test_the_history_of_a_process_changes_nothing(tmp_path):
    """The first merge of a process and the thirtieth find the same, to the last digit."""
    assert run(tmp_path, rows=20, times=1) == run(tmp_path, rows=20, times=30)


def test_only_small_problems_are_plain():
    assert is_small(24, 7)
    assert not is_small(25, 7)
    assert not is_small(24, 8)


def test_only_short_loops_are_plain():
    assert is_short(100_000)
    assert not is_short(100_001)
    with many_problems():
        assert is_short(0)
        assert not is_short(1)
    with many_problems(plain_steps=100):
        assert is_short(100)
        assert not is_short(101)


def test_a_plain_module_is_another_copy_of_the_same_functions():
    plain, compiled = (kernels("merging._regroup_kernels", plain=p) for p in (True, False))
    assert plain is kernels("merging._regroup_kernels", plain=True)
    assert plain.improve is not compiled.improve
    assert plain.improve.__code__.co_code == compiled.improve.py_func.__code__.co_code
    assert not hasattr(plain.below, "py_func")  # imported from another kernel module


def test_an_unknown_module_is_an_error():
    with pytest.raises(ModuleNotFoundError, match="_no_kernels"):
        kernels("merging._no_kernels", plain=True)


def test_one_of_many_problems_is_solved_by_compiled_loops_whatever_its_size():
    assert is_small(5, 4)
    with many_problems():
        assert not is_small(5, 4)
        assert spread(lambda size: is_small(size, 4), [5, 6, 7]) == [False] * 3
    assert is_small(5, 4)
    with pytest.raises(ValueError, match="over"), many_problems():
        raise ValueError("over")
    assert is_small(5, 4)


@pytest.mark.parametrize("delay", [0, 0.1, 0.25])
def test_numba_is_loaded_beside_the_first_loop(delay):
    """In a new process: threads that load numba and its loops wait for each other, not for ever."""
    code = (
        "import time; from loglift._compute.kernels import kernels, load_compiler; "
        "from loglift._compute.threads import Begun; loading = Begun(load_compiler); "
        f"time.sleep({delay}); import numpy as np; "
        "rows = np.zeros(2, np.int64); kernels('tables._pile_kernels', plain=False)"
        ".count(np.array([1, 1, 0], np.uint16), rows); loading.result(); print(rows)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "[1 2]\n", done.stderr
