from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given

from loglift import Bound, Joint, bipartition, omega
from loglift.measures import omega_of_blocks
from loglift.measures.partition import canonical
from loglift.promise.bipartition import safe_rows
from loglift.sparse import block_sums
from strategies import bounds, joints, labelled


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
    of_safe = [safe_rows(mass, bound)[labels == block].all() for block in range(labels.max() + 1)]
    assume(any(of_safe))
    assert safe_blocks[of_safe].all()


@given(joints(), bounds())
def test_the_whole_alphabet_is_always_safe(joint, bound):
    whole = np.zeros(joint.shape[0], dtype=np.int64)
    assert safe_rows(block_sums(Joint(joint).scaled, whole), bound).all()
    assert omega_of_blocks(joint, whole)[0] == pytest.approx(0, abs=1e-9)


@given(joints())
def test_the_bipartition_at_the_largest_omega_has_no_high_risk_value(joint):
    most = omega(joint).max()
    assume(math.isfinite(most))
    assert bipartition(joint, most).high_risk.size == 0


def test_a_zero_violates_every_finite_lower_bound():
    joint = [[5, 0], [5, 10]]
    for lower in (1, 700, 746, 1e308):
        assert bipartition(joint, bound=Bound(lower=lower, upper=700)).high_risk.tolist() == [0]
        assert bipartition([[5, 0.0], [5, 1e-50]], bound=Bound(lower, 1)).high_risk.tolist() == [0]
    assert bipartition(joint, bound=Bound(lower=math.inf, upper=1)).high_risk.tolist() == []


@given(joints(), bounds())
def test_the_two_parts_cover_the_alphabet(joint, bound):
    parts = bipartition(joint, bound=bound)
    both = np.concatenate([parts.low_risk, parts.high_risk])
    assert sorted(both) == list(range(joint.shape[0]))
