"""The solvers of many values are tested on few: there an oracle can look at all partitions."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_short_cut_for_a_few_values(request, monkeypatch):
    if "few_values" not in request.keywords:
        monkeypatch.setattr("loglift.merging.subsets.MOST", 0)
