from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from loglift import Bound, BoundError, Joint, bipartition, omega
from loglift.bound import as_bound, safe_rows
from loglift.measures import omega_of_blocks
from loglift.measures.partition import block_sums, canonical
from strategies import bounds, joints, labelled


@pytest.mark.parametrize("value", [-1, -1e-9, math.nan, "1", None, True, 1j, [1], np.ones(2)])
@pytest.mark.parametrize("side", ["eps", "lower", "upper"])
def test_bad_bounds_are_refused(side, value):
    with pytest.raises(BoundError, match=side):
        Bound.symmetric(value) if side == "eps" else Bound(**{"lower": 1, "upper": 1, side: value})


def test_a_bound_on_neither_side_is_refused():
    for huge in (math.inf, 10**400):
        with pytest.raises(BoundError, match="both infinite"):
            Bound(huge, huge)


def test_a_number_is_a_symmetric_bound():
    assert as_bound(0.5) == Bound(0.5, 0.5) == Bound.symmetric(np.float32(0.5))


@given(joints(), bounds())
def test_safe_means_every_log_lift_is_inside(joint, bound):
    """Decided on linear inequalities, the same as on logarithms away from the boundary."""
    probabilities = joint / joint.sum()
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities / np.outer(probabilities.sum(1), probabilities.sum(0)))
    below = np.inf if math.isinf(bound.lower) else logs + bound.lower
    margin = np.minimum(below, bound.upper - logs).min(axis=1)
    safe = safe_rows(Joint(joint).scaled, bound)
    clear = np.abs(margin) > 1e-9
    np.testing.assert_array_equal(safe[clear], margin[clear] > 0)
    assert safe[~clear].all()


@given(labelled(), bounds())
def test_unions_of_safe_values_are_safe(case, bound):
    joint, labels = case
    mass = Joint(joint).scaled
    labels = canonical(np.where(safe_rows(mass, bound), labels, labels + len(labels)))
    safe_blocks = safe_rows(block_sums(mass, labels), bound)
    for block in range(labels.max() + 1):
        if safe_rows(mass, bound)[labels == block].all():
            assert safe_blocks[block]


@given(joints(), bounds())
def test_the_whole_alphabet_is_always_safe(joint, bound):
    whole = np.zeros(joint.shape[0], dtype=np.int64)
    assert safe_rows(block_sums(Joint(joint).scaled, whole), bound).all()
    assert omega_of_blocks(joint, whole)[0] == pytest.approx(0, abs=1e-9)


@given(joints())
def test_the_bipartition_at_the_largest_omega_has_no_high_risk_value(joint):
    most = omega(joint).max()
    if math.isfinite(most):
        assert bipartition(joint, most).high_risk.size == 0


def test_a_zero_violates_every_finite_lower_bound():
    joint = [[5, 0], [5, 10]]
    for lower in (1, 700, 746, 1e308):
        assert bipartition(joint, Bound(lower=lower, upper=700)).high_risk.tolist() == [0]
        assert bipartition([[5, 0.0], [5, 1e-50]], Bound(lower, 1)).high_risk.tolist() == [0]
    assert bipartition(joint, Bound(lower=math.inf, upper=1)).high_risk.tolist() == []


def test_the_tolerance_absorbs_rounding_and_nothing_more():
    probabilities = np.array([[0.3, 0.2], [0.2, 0.3]])
    eps = omega(probabilities).max()
    assert bipartition(probabilities, eps * (1 - 1e-14)).high_risk.size == 0
    assert bipartition(probabilities, eps - 5e-12).high_risk.size == 2


@given(joints(), bounds())
def test_the_two_parts_cover_the_alphabet(joint, bound):
    parts = bipartition(joint, bound)
    both = np.concatenate([parts.low_risk, parts.high_risk])
    assert sorted(both) == list(range(joint.shape[0]))
