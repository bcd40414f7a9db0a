from __future__ import annotations

import math

import numpy as np
import pytest

from loglift import Bound, Joint, bipartition, omega
from loglift.promise.bipartition import safe_rows
from loglift.promise.limits import Limits


def test_the_tolerance_absorbs_rounding_and_nothing_more():
    probabilities = np.array([[0.3, 0.2], [0.2, 0.3]])
    eps = omega(probabilities).max()
    assert bipartition(probabilities, eps * (1 - 1e-14)).high_risk.size == 0
    assert bipartition(probabilities, eps - 5e-12).high_risk.size == 2


@pytest.mark.parametrize("eps", [229, 231, 700, 709, 1e4, 1e308])
def test_the_widest_bounds_rule_out_zeros_and_nothing_else(eps):
    counts = np.array([[2**40, 1], [1, 2**40], [3, 0]])
    assert safe_rows(Joint(counts).scaled, Bound.symmetric(eps)).tolist() == [True, True, False]
    tiny = Joint([[1e-59, 0.5], [0.5, 1e-59]])
    assert safe_rows(tiny.scaled, Bound.symmetric(eps)).all()


def test_beliefs_count_the_limits_of_all_values():
    joint = Joint([[4, 3, 3], [6, 7, 7]])
    limits = Bound.symmetric(0.5).with_values({0: 0.1}).on(joint)
    prior = joint.p_sensitive
    least, most = limits.belief_range(prior, 0, joint.variables[0])
    assert least == pytest.approx(prior[0] * math.exp(-0.1))
    assert most == pytest.approx(prior[0] * math.exp(0.1))
    least, most = limits.belief_range(prior, 1, joint.variables[0])
    assert least == pytest.approx(prior[1] * math.exp(-0.5))
    assert most == pytest.approx(
        min(prior[1] * math.exp(0.5), 1 - prior[2] * math.exp(-0.5) - prior[0] * math.exp(-0.1))
    )


def test_an_infinite_side_limits_nothing():
    limits = Limits(np.array([np.inf, 0.5]), np.array([0.5, np.inf]))
    assert limits.least.tolist() == [0.0, pytest.approx(math.exp(-0.5))]
    assert limits.most.tolist() == [pytest.approx(math.exp(0.5)), np.inf]
    mass, expected = np.array([[0.0, 9.0], [2.0, 1.0], [1.0, 0.5]]), np.ones((3, 2))
    assert limits.within(mass, expected).tolist() == [True, False, False]
