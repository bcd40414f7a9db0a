"""Centred prices: near the center, and those of the master once it is right."""

from __future__ import annotations

import numpy as np
import pytest

from loglift.randomizing.centring import WIDTH, Centred
from loglift.randomizing.columns import column_of
from loglift.randomizing.cost import Cost
from loglift.randomizing.master import Master


def test_from_the_prices_of_the_master_nothing_is_missed_and_the_loss_is_the_same():
    rng = np.random.default_rng(2)
    p, cost = rng.dirichlet(np.ones(8)), Cost.joint(8)
    columns = [column_of(p), *map(column_of, rng.dirichlet(np.full(8, 0.4), 80))]
    master, centred = Master(p, cost), Centred(p, cost)
    master.add(columns)
    centred.add(columns)
    known = master.solve()
    found = centred.solve(known.price)
    assert found.loss == pytest.approx(known.loss, rel=1e-2)
    assert found.weights.size == len(columns)
    worth = np.array([found.price[c.support] @ c.values for c in columns])
    assert (worth - cost.of_columns(columns)).max() < 0.02


def test_prices_stay_near_the_center_where_posteriors_are_few():
    """Three posteriors leave most prices of eight values open; those of the master jump."""
    rng = np.random.default_rng(3)
    p, cost = rng.dirichlet(np.ones(8)), Cost.joint(8)
    columns = [column_of(p), *map(column_of, rng.dirichlet(np.full(8, 0.4), 2))]
    master, centred = Master(p, cost), Centred(p, cost)
    master.add(columns)
    centred.add(columns)
    center = np.full(8, cost.most(p))
    assert np.abs(centred.solve(center).price - center).max() < WIDTH + 0.01
    assert np.abs(master.solve().price - center).max() > 1
