"""The master against a linear program of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from loglift.randomizing.columns import column_of
from loglift.randomizing.cost import Cost
from loglift.randomizing.master import Master

ENTROPY = Cost.joint(5)


def test_the_loss_is_that_of_the_linear_program_and_no_column_helps():
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(5))
    columns = [column_of(p), *map(column_of, rng.dirichlet(np.full(5, 0.4), 40))]
    master = Master(p, ENTROPY)
    assert master.add(columns) == 41
    assert master.add(columns[:3]) == 0
    solution = master.solve()
    dense = np.array([np.bincount(c.support, c.values, 5) for c in master.columns])
    known = linprog([c.entropy for c in master.columns], A_eq=dense.T, b_eq=p)
    assert solution.loss == pytest.approx(known.fun)
    assert (dense @ solution.price - ENTROPY.of_columns(master.columns)).max() < 1e-8
    np.testing.assert_allclose(master.polished(solution) @ dense, p, rtol=1e-12)
