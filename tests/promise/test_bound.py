from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from loglift import Bound, BoundError, Joint, TCloseness, merge
from loglift.promise.bipartition import safe_rows
from loglift.promise.bound import bound_from
from strategies import bounds, joints


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
    assert bound_from(0.5, None) == Bound(0.5, 0.5) == Bound.symmetric(np.float32(0.5))


def test_its_sides_are_the_options_that_set_it():
    assert Bound.symmetric(0).sides == {"eps": 0}
    assert Bound(1, 2).sides == {"lower": 1, "upper": 2}
    assert Bound(math.inf, 2).sides == {"upper": 2}
    assert Bound.beta_likeness(3).sides == {"beta": 3}
    assert Bound.requiring(TCloseness(0.2)).sides == {}


def test_exactly_one_of_eps_and_bound_is_given():
    assert bound_from(None, Bound(1, 2)) == Bound(1, 2)
    for eps, bound in ((None, None), (1, Bound(1, 2)), (Bound(1, 2), None), (None, 1)):
        with pytest.raises(BoundError):
            bound_from(eps, bound)


@given(joints(), bounds())
def test_what_a_safe_row_says_is_within_its_range_of_belief(joint, bound):
    probabilities = joint / joint.sum()
    prior = probabilities.sum(axis=0)
    safe = probabilities[safe_rows(probabilities, bound)]
    ranges = np.array([bound.belief_range(float(p)) for p in prior])
    beliefs = safe / safe.sum(axis=1, keepdims=True)
    assert (ranges[:, 0] - 1e-9 <= beliefs).all()
    assert (beliefs <= ranges[:, 1] + 1e-9).all()


@given(joints(), bounds())
def test_both_ends_of_the_range_of_belief_are_reached(joint, bound):
    """A posterior within the bound has the belief of each end: no smaller range would be true."""
    prior = joint.sum(axis=0) / joint.sum()
    assert prior.size > 0
    for s, p in enumerate(prior):
        for end in bound.belief_range(float(p)):
            assert 0 <= end <= 1
            rest = (1 - end) / (1 - p) if p < 1 else 1.0
            posterior = np.where(np.arange(prior.size) == s, end, prior * rest)
            assert posterior.sum() == pytest.approx(1)
            assert bound.least * (1 - 1e-9) <= min(posterior / prior)
            assert max(posterior / prior) <= bound.most * (1 + 1e-9)


@pytest.mark.parametrize(
    ("bound", "prior", "least", "most"),
    [
        (Bound.symmetric(1), 0.5, 0.1839397, 0.8160603),  # e^-1 / 2: certainty is out of reach
        (Bound.symmetric(1), 0.01, 0.0036788, 0.0271828),
        (Bound(math.inf, 0.25), 0.5, 0.3579873, 0.6420127),  # what others may gain is limited, too
        (Bound(math.inf, 1), 0.5, 0.0, 1.0),
        (Bound(1, math.inf), 0.5, 0.1839397, 0.8160603),
        (Bound(1, math.inf), 1.0, 1.0, 1.0),
        (Bound.symmetric(0), 0.3, 0.3, 0.3),
    ],
)
def test_ranges_of_belief_by_hand(bound, prior, least, most):
    assert bound.belief_range(prior) == pytest.approx((least, most), abs=1e-7)


def test_a_finite_side_stays_finite_when_multiplied():
    assert Bound(0.5, math.inf).times(3) == Bound(1.5, math.inf)
    wide = Bound(1e308, 0.0).times(3)
    assert math.isfinite(wide.lower)
    assert wide.upper == 0


def test_single_values_have_limits_of_their_own():
    joint = Joint([[4, 3, 2], [1, 5, 6]], sensitive=["a", "b", None])
    bound = Bound.symmetric(1).with_values({"a": 0.3, None: None, "b": (0.5, math.inf)})
    bound.check_values(joint)
    limits = bound.on(joint)
    assert limits.lower.tolist() == [0.3, 0.5, math.inf]
    assert limits.upper.tolist() == [0.3, math.inf, math.inf]
    assert bound.with_values({"a": 0.2}).on(joint).lower[0] == 0.2
    assert bound.times(2).on(joint).lower.tolist() == [0.6, 1.0, math.inf]
    assert bound.inside(0.1).on(joint).lower.tolist() == pytest.approx([0.2, 0.4, math.inf])
    with pytest.raises(BoundError, match="does not occur"):
        bound.with_values({"c": 1}).check_values(joint)
    assert Bound.symmetric(1).on(joint) == Bound.symmetric(1)


@given(joints(), st.sampled_from([0.3, 1.0, 4.0]))
def test_beta_likeness_is_its_formula(joint, beta):
    made = Joint(joint)
    prior = made.p_sensitive
    limits = Bound.beta_likeness(beta).on(made)
    most = 1 + np.minimum(beta, -np.log(prior))
    np.testing.assert_allclose(np.exp(limits.upper), most, rtol=1e-12)
    assert (np.exp(limits.upper) <= most * (1 + 1e-15)).all()
    assert np.isinf(limits.lower).all()


@given(joints(), st.sampled_from([0.2, 0.7]), st.sampled_from([0.1, math.inf]))
def test_a_merging_keeps_the_bound_of_every_value(joint, eps, own):
    made = Joint(joint)
    bound = Bound.symmetric(eps).with_values({0: (own, own)})
    merged = merge(made, bound=bound)
    assert merged.safe
    limits = bound.on(made)
    blocks = merged.release(made)
    lifts = blocks.probabilities / np.outer(blocks.p_public, made.p_sensitive)
    with np.errstate(divide="ignore"):
        logs = np.log(lifts)
    assert (logs <= limits.upper + 1e-9).all()
    assert (logs >= -limits.lower - 1e-9).all()


@pytest.mark.parametrize("given", ["x", (1, 2, 3), -1, math.nan])
def test_bounds_of_single_values_are_checked(given):
    with pytest.raises(BoundError):
        Bound.symmetric(1).with_values({"a": given})


def test_bounds_that_are_put_together_wrongly_are_refused():
    for make in (
        lambda: Bound(1, 1, values=[("x", 1)]),
        lambda: Bound(1, 1, beta=2.0),
        lambda: Bound.symmetric(1).with_values({"x": Bound.beta_likeness(1)}),
    ):
        with pytest.raises(BoundError):
            make()
