"""loglift's own methods in the paper's experiment: each keeps at least what the last one does."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import InputError
from loglift.paper.experiment import draw_joints
from loglift.paper.other_methods import other_methods, run_others
from loglift.paper.reproduction import reproduce

METHODS = ("search", "exact", "response", "randomized")


def test_better_methods_lose_less_and_all_stay_inside():
    done = []
    joints = draw_joints(2, seed=4)
    found = run_others(joints, METHODS, [1.0], done.append)
    losses = [found[method, 1.0].nmil for method in METHODS]
    assert (losses[0] >= losses[1] - 1e-9).all()
    assert (losses[1] > losses[2]).all()  # draws within few subsets beat the best merging here
    assert (losses[2] > losses[3]).all()
    for outcomes in found.values():
        assert outcomes.max_omega_all.max() <= 1 + 1e-9
        assert (outcomes.max_omega_high_risk <= outcomes.max_omega_all).all()
    assert done == [1, 1]


def test_without_high_risk_values_nothing_is_lost():
    found = run_others(draw_joints(2, seed=4), ["randomized"], [30.0])
    [outcomes] = found.values()
    assert np.isnan(outcomes.max_omega_high_risk).all()
    assert outcomes.nmil == pytest.approx(0, abs=1e-9)


def test_unknown_methods_and_too_many_draws_are_refused():
    assert other_methods(["randomized", "greedy", "search"]) == ["search", "randomized"]
    with pytest.raises(InputError, match="magic"):
        other_methods(["magic"])
    with pytest.raises(InputError, match="draws"):
        reproduce(5, methods=["search"], other_draws=6)
