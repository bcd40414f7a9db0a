"""The solvers of many values are tested on few values, where an oracle can try all partitions."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _solve_few_values_like_many(request, monkeypatch):
    """No dynamic program over all subsets, and compiled loops, unless a test is marked."""
    if "few_values" not in request.keywords:
        monkeypatch.setattr("loglift.merging.subsets.MAX_VALUES", 0)
        monkeypatch.setattr("loglift._compute.kernels.MAX_PLAIN_VALUES", 0)
        monkeypatch.setattr("loglift._compute.kernels.MAX_PLAIN_STEPS", 0)
