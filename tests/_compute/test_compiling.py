"""The decorators: compiled loops and parts of them, with a cache or without."""

from __future__ import annotations

import numpy as np
import pytest

from loglift._compute import compiling
from loglift._compute.compiling import (
    compiled,
    compiled_lean,
    compiled_lean_part,
    compiled_part,
    compiled_sum,
)
from loglift._compute.progress import compiling_watched


@compiled_part
def squared(x):
    return x * x


@compiled_sum
def total(values):
    added = 0.0
    for x in values:
        added += x
    return added


@compiled
def sum_of_squares(values):
    result = np.empty(values.size)
    for i in range(values.size):
        result[i] = squared(values[i])
    return total(result)


def test_a_loop_calls_its_parts():
    values = np.arange(100.0)
    assert sum_of_squares(values) == pytest.approx((values**2).sum(), rel=1e-12)
    assert sum_of_squares.signatures


@compiled_lean_part
def add_square(values, i, sums):
    sums[0] += values[i] * values[i]


def add_squares(values, sums):
    for i in range(values.size):
        add_square(values, i, sums)


@pytest.fixture
def no_cache(monkeypatch):
    made = compiling._made  # noqa: SLF001, to make the cache fail

    def uncached(function, **options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return made(function, **options)

    monkeypatch.setattr(compiling, "_made", uncached)


@pytest.mark.usefixtures("no_cache")
def test_a_lean_loop_counts_no_users_of_arrays():
    values, sums = np.arange(100.0), np.zeros(1)
    lean = compiled_lean(add_squares)
    lean(values, sums)
    assert sums[0] == pytest.approx((values**2).sum(), rel=1e-12)
    (code,) = lean.inspect_llvm().values()
    assert "NRT_incref" not in code


@pytest.mark.usefixtures("no_cache")
def test_without_a_cache_the_loop_is_compiled_in_memory():
    doubled = compiled(lambda x: 2 * x)
    assert doubled(4) == 8


@pytest.mark.usefixtures("no_cache")
def test_compiling_is_told_once_for_each_loop():
    halved, told = compiled(lambda x: x / 2), []
    with compiling_watched(told.append):
        assert halved(4.0) == 2.0
        assert told == [1, -1]
        assert halved(6.0) == 3.0
    assert told == [1, -1]
