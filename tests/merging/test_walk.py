"""The arrays of a walk."""

from __future__ import annotations

from loglift._compute.kernels import kernels
from loglift.merging._walk import Walk, parts_for


def test_there_is_a_place_for_every_depth():
    parts = parts_for(depths=4, inequalities=6, sums=3, size=9)
    assert all(len(field) == 4 for field in parts)
    assert parts.total.shape == (4, 6 + 3)
    assert parts.multiplier.shape == (4, 7)
    assert parts.weight.shape == (4, 9)
    assert parts.suffix.shape == (4, 10)


def test_compiled_and_plain_walks_share_the_types():
    for plain in (True, False):
        assert kernels("merging._pricing_kernels", plain=plain).Walk is Walk
