"""Closed forms of extremal mechanisms for pointwise maximal leakage, as oracles for `randomize`.

Grosse, Saeidian, Oechtering (2023) release X itself, S = X, such that max over x of p(x|y)/p(x) is
at most e^eps: pointwise maximal leakage of at most eps, an upper bound on the lift without a lower
one. The posteriors are {q : 0 <= q(x) <= M p(x), sum q = 1} with M = e^eps, and the entropy is
concave, so the best channel uses vertices. Three cases have few, or all alike:

- two values: the ends of an interval;
- equal p(x) = 1/n: all vertices have floor(n/M) entries M/n and one entry that is what is left;
- high privacy, M (1 - min p) <= 1: one vertex for each x0, with M p(x) for all other x, of weight
  p(x0).
"""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings

from loglift import Bound, randomize
from loglift.measures import basic_beta_likeness, lift, local_privacy_level

budgets = st.floats(0.05, 2.5)


def entropy(q):
    q = np.asarray(q)
    return float(-(q[q > 0] * np.log(q[q > 0])).sum())


def drawn(prior, eps):
    """The best channel for S = X, a joint with p(x) on its diagonal; checked to be safe."""
    joint = np.diag(prior)
    made = randomize(joint, bound=Bound(math.inf, eps))
    pointwise = np.log1p(basic_beta_likeness(made.release(joint)))
    assert pointwise.max() <= eps + 1e-9
    assert made.safe
    assert made.information <= made.upper_bound <= made.information + 1e-9
    return made


@settings(max_examples=40)
@given(st.floats(0.02, 0.98), budgets)
def test_two_values(p, eps):
    most = math.exp(eps)
    low, high = 1 - min(1, most * (1 - p)), min(1, most * p)
    weight = (p - low) / (high - low)
    lost = weight * entropy([high, 1 - high]) + (1 - weight) * entropy([low, 1 - low])
    expected = entropy([p, 1 - p]) - lost
    assert drawn([p, 1 - p], eps).information == pytest.approx(expected, abs=1e-8)


@settings(max_examples=25)
@given(st.integers(2, 7), budgets)
def test_equally_likely_values(n, eps):
    share = min(1.0, math.exp(eps) / n)
    full = math.floor(1 / share + 1e-12)
    rest = max(0.0, 1 - full * share)
    expected = math.log(n) - entropy([share] * full + [rest])
    assert drawn(np.full(n, 1 / n), eps).information == pytest.approx(expected, abs=1e-8)


@settings(max_examples=25)
@given(st.integers(2, 6), st.integers(0, 2**32 - 1), st.floats(0.1, 0.95))
def test_high_privacy(n, seed, share):
    """The budget is a share of the largest one at which no value can be ruled out."""
    prior = np.random.default_rng(seed).dirichlet(np.full(n, 2.0))
    assume(prior.min() > 0.02)
    most = 1 + share * (1 / (1 - prior.min()) - 1)
    posteriors = np.tile(most * prior, (n, 1))
    np.fill_diagonal(posteriors, 1 - most * (1 - prior))
    assert posteriors.min() > 0
    np.testing.assert_allclose(prior @ posteriors, prior)
    expected = entropy(prior) - sum(
        weight * entropy(q) for weight, q in zip(prior, posteriors, strict=True)
    )
    found = drawn(prior, math.log(most))
    assert found.information == pytest.approx(expected, abs=1e-8)
    assert math.isfinite(local_privacy_level(found.release(np.diag(prior))))


def test_beyond_high_privacy_values_are_ruled_out():
    """An upper bound alone lets a released value rule another out: that is what it allows."""
    found = drawn([0.1, 0.4, 0.5], 0.5)
    assert (lift(found.release(np.diag([0.1, 0.4, 0.5]))) == 0).any()
