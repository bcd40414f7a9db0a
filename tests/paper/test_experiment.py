from __future__ import annotations

import numpy as np
import pytest

from loglift import bipartition, merge, omega
from loglift.measures import omega_of_blocks
from loglift.merging.stack import Stack
from loglift.merging.watchdog import merge_subsets
from loglift.paper.experiment import METHODS, draw_joints, draw_stacks, outcomes, run
from naive import algorithm1


@pytest.mark.parametrize("eps", [0.25, 1.0, 2.5])
@pytest.mark.parametrize("method", METHODS)
def test_the_stacked_statistics_equal_one_joint_at_a_time(method, eps):
    joints = draw_joints(40, seed=3)
    stacked = outcomes(Stack.of(joints), method, eps)
    for i, joint in enumerate(joints):
        high_risk = bipartition(joint, eps).high_risk
        mechanism = merge(joint, eps, method=method)
        if method == "greedy":
            plain = merge_subsets(joint, eps, algorithm1(joint, eps))
            assert mechanism.utility == pytest.approx(plain.utility)
        assert stacked.nmil[i] == pytest.approx(mechanism.nmil, abs=1e-12)
        assert stacked.max_omega_all[i] == pytest.approx(mechanism.leakage, abs=1e-12)
        per_value = omega_of_blocks(joint, mechanism.labels)[mechanism.labels]
        expected = per_value[high_risk].max() if high_risk.size else np.nan
        assert stacked.max_omega_high_risk[i] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_without_a_high_risk_value_there_is_no_maximum_over_them():
    joints = draw_joints(3, seed=0)
    largest = max(omega(joint).max() for joint in joints)
    assert np.isnan(outcomes(Stack.of(joints), "greedy", largest + 1).max_omega_high_risk).all()


def test_draws_are_joints_and_a_prefix_of_longer_runs():
    joints = draw_joints(5, seed=11)
    np.testing.assert_allclose(joints.sum(axis=(1, 2)), 1)
    np.testing.assert_array_equal(joints, draw_joints(9, seed=11)[:5])


def test_chunks_change_nothing(monkeypatch):
    joints = draw_joints(7, seed=2)
    whole = run([joints], [0.5, 1.5])
    seen = []
    monkeypatch.setattr("loglift.paper.experiment.MAX_STACK", 3)
    parts = run(draw_stacks(7, seed=2), [0.5, 1.5], seen.append)
    assert seen == [3, 3, 1]
    for key, expected in whole.items():
        np.testing.assert_allclose(parts[key].nmil, expected.nmil)
