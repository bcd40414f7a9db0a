"""Bands of numbers, against numpy's search."""

from __future__ import annotations

import numpy as np
import pytest

from loglift.tables._band_kernels import write_bands

LARGEST = {np.int64: np.iinfo(np.int64).max, np.float64: np.inf}


def bands_of(values, edges, in_step):
    """Return the bands of values, with 7 for the first."""
    padded = np.full(2 ** len(edges).bit_length() - 1, LARGEST[values.dtype.type], values.dtype)
    padded[: len(edges)] = edges
    numbers, places = np.zeros(values.size, np.uint16), np.empty(in_step, np.int32)
    write_bands(values, padded, len(edges), places, 7, numbers)
    return numbers


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 7, 8, 100])
@pytest.mark.parametrize("in_step", [1, 10, 5000])
def test_a_band_is_how_many_edges_are_at_most_a_value(kind, count, in_step):
    rng = np.random.default_rng(count)
    edges = np.unique(rng.integers(-200, 200, count)).astype(kind)
    values = np.concatenate([rng.integers(-210, 210, 999), edges]).astype(kind)
    least = np.iinfo(np.int64).min if kind is np.int64 else -np.inf
    values = np.concatenate([values, np.array([LARGEST[kind], least], kind)])
    expected = np.searchsorted(edges, values, side="right") + 7
    np.testing.assert_array_equal(bands_of(values, edges, in_step), expected)


def test_nan_is_in_the_first_band():
    assert bands_of(np.array([np.nan, 2.0]), np.array([1.0, 3.0]), 4).tolist() == [7, 8]
