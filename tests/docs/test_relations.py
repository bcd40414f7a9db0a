"""The map of notions: every implication that the page states holds on random joints.

`IMPLICATIONS` has the two cells of each line of the page, and what they say as a proposition; a
line without a proposition, or a proposition without a line, fails.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings

from docs.stated import ROOT
from loglift import Joint
from loglift.audit.notions import Notions
from loglift.measures import (
    alpha_leakage,
    alpha_lift,
    average_log_lift,
    basic_beta_likeness,
    chi_squared_lift,
    distinct_sensitive,
    entropy_diversity,
    l1_lift,
    local_privacy_level,
    log_lift,
    maximal_leakage,
    omega,
    ordered_distance,
    outside,
    shannon_information,
    sibson_information,
    total_variation,
)
from strategies import joints, labelled

SLACK = 1e-9
ORDERS = (0.5, 1.0, 1.5, 2.0, 5.0, math.inf)
PAGE = (ROOT / "docs/relations.md").read_text("utf-8")


def at_most(found, limit):
    """Compare without dividing by zero: infinite limits are always met."""
    assert (np.asarray(found) <= np.asarray(limit) * (1 + SLACK) + SLACK).all()


def measured(joint):
    """Return the figures of each released value, and those of the whole joint."""
    logs, prior = log_lift(joint), joint.sum(axis=0) / joint.sum()
    lower, upper = -logs.min(axis=1), logs.max(axis=1)
    return SimpleNamespace(
        joint=joint,
        lower=np.maximum(lower, 0),
        upper=np.maximum(upper, 0),
        m=np.exp(-lower),
        M=np.exp(upper),
        rare=prior.min(),
        common=prior.max(),
        size=prior.size,
        t=total_variation(joint),
        ordered=ordered_distance(joint),
        l1=l1_lift(joint),
        chi=chi_squared_lift(joint),
        average=average_log_lift(joint),
        beta=basic_beta_likeness(joint),
        distinct=distinct_sensitive(joint),
        entropy=entropy_diversity(joint),
    )


LIFT = "log-lift within lower, upper"
CHI = "chi-squared-lift c"
AVERAGE = "average log-lift d"
IMPLICATIONS: dict[tuple[str, str], Callable] = {}


def implies(first, then):
    """Register a proposition under the line of the page that states it."""

    def register(proposition):
        IMPLICATIONS[first, then] = proposition
        return proposition

    return register


@implies(LIFT, "t <= (M-1)(1-m)/(M-m)")
def _(of):
    at_most(of.t * (of.M - of.m), (of.M - 1) * (1 - of.m))


@implies(LIFT, "chi-squared-lift <= (M-1)(1-m)")
def _(of):
    at_most(of.chi, (of.M - 1) * (1 - of.m))


@implies(LIFT, "average log-lift <= ((1-m) M upper - (M-1) m lower)/(M-m)")
def _(of):
    low = np.where(of.m > 0, of.m * np.where(of.m > 0, of.lower, 0), 0)
    at_most(of.average * (of.M - of.m), (1 - of.m) * of.M * of.upper - (of.M - 1) * low)


@implies(LIFT, "local differential privacy of Y about S: lower + upper")
def _(of):
    at_most(local_privacy_level(of.joint), (of.lower + of.upper).max())


@implies("local differential privacy alpha of Y about S", "lower <= alpha and upper <= alpha")
def _(of):
    at_most(np.maximum(of.lower, of.upper), local_privacy_level(of.joint))


@implies("lower finite", "distinct l = |S|, and the other way round")
def _(of):
    assert (np.isfinite(of.lower) == (of.distinct == of.size)).all()


@implies("lower", "upper <= log(1 + (1-m)(1-p_min)/p_min)")
def _(of):
    at_most(of.upper, np.log(1 + (1 - of.m) * (1 - of.rare) / of.rare))


@implies("upper, where (M-1)(1-p_min) < p_min", "lower <= -log(1 - (M-1)(1-p_min)/p_min)")
def _(of):
    shares = (of.M - 1) * (1 - of.rare) / of.rare
    inside = shares < 1 - SLACK
    at_most(of.lower[inside], -np.log(1 - shares[inside]))


@implies("upper", "beta = M - 1, and the other way round")
def _(of):
    np.testing.assert_allclose(of.beta, of.M - 1, atol=SLACK)


@implies("beta", "t <= beta/(1+beta)")
def _(of):
    at_most(of.t, of.beta / (1 + of.beta))


@implies("beta", "chi-squared-lift <= beta")
def _(of):
    at_most(of.chi, of.beta)


@implies("beta", "average log-lift <= log(1+beta)")
def _(of):
    at_most(of.average, np.log1p(of.beta))


@implies("beta", "alpha-lift <= (1+beta)^((alpha-1)/alpha), alpha >= 1")
def _(of):
    for order in ORDERS[1:]:
        power = 1 if math.isinf(order) else (order - 1) / order
        at_most(alpha_lift(of.joint, order), (1 + of.beta) ** power)


@implies("beta", "entropy l >= 1/((1+beta) p_max)")
def _(of):
    at_most(1 / ((1 + of.beta) * of.common), of.entropy)


@implies("beta", "maximal leakage <= log(1+beta)")
def _(of):
    at_most(maximal_leakage(of.joint), np.log1p(of.beta.max()))


@implies(
    "maximal leakage",
    "I(S;Y), Sibson's and Arimoto's information of any order are at most as large",
)
def _(of):
    most = maximal_leakage(of.joint)
    at_most(shannon_information(of.joint), most)
    for order in ORDERS:
        at_most(sibson_information(of.joint, order), most)
        at_most(alpha_leakage(of.joint, order), most)


@implies("t", "l1-lift = 2t, and the other way round")
def _(of):
    np.testing.assert_allclose(of.l1, 2 * of.t)


@implies("t", "ordered t <= t")
def _(of):
    at_most(of.ordered, of.t)


@implies("ordered t", "t <= (|S|-1) ordered t")
def _(of):
    at_most(of.t, (of.size - 1) * of.ordered)


@implies("t", "beta <= t/p_min")
def _(of):
    at_most(of.beta, of.t / of.rare)


@implies("t < p_min", "lower <= -log(1 - t/p_min)")
def _(of):
    inside = of.t < of.rare * (1 - SLACK)
    at_most(of.lower[inside], -np.log(1 - of.t[inside] / of.rare))


@implies(CHI, "t <= sqrt(c)/2")
def _(of):
    at_most(of.t, np.sqrt(of.chi) / 2)


@implies(CHI, "average log-lift <= log(1+c)")
def _(of):
    at_most(of.average, np.log1p(of.chi))


@implies(CHI, "beta <= sqrt(c (1-p_min)/p_min)")
def _(of):
    at_most(of.beta, np.sqrt(of.chi * (1 - of.rare) / of.rare))


@implies(CHI, "alpha-lift of order 2 = sqrt(1+c), and the other way round")
def _(of):
    np.testing.assert_allclose(alpha_lift(of.joint, 2), np.sqrt(1 + of.chi))


@implies("alpha-lift a of order alpha", "beta <= a p_min^(-1/alpha) - 1")
def _(of):
    for order in ORDERS[:-1]:
        at_most(of.beta, alpha_lift(of.joint, order) * of.rare ** (-1 / order) - 1)


@implies(AVERAGE, "t <= sqrt(d/2)")
def _(of):
    at_most(of.t, np.sqrt(of.average / 2))


@implies(AVERAGE, "entropy l >= e^-d/p_max")
def _(of):
    at_most(np.exp(-of.average) / of.common, of.entropy)


@implies(AVERAGE, "I(S;Y) <= d")
def _(of):
    at_most(shannon_information(of.joint), of.average.max())


@implies("entropy l", "distinct l >= entropy l")
def _(of):
    at_most(of.entropy, of.distinct)


def test_every_line_of_the_page_has_its_proposition():
    [table] = re.findall(r"^\| if \| then \|\n\|---\|---\|\n((?:\|.*\|\n)+)", PAGE, re.MULTILINE)
    lines = [re.split(r" (?<!\\)\| ", line[2:-2]) for line in table.splitlines()]
    stated = [tuple(cell.replace("\\|", "|") for cell in line) for line in lines]
    assert len(set(stated)) == len(stated)
    assert set(stated) == set(IMPLICATIONS)


@pytest.mark.parametrize("line", IMPLICATIONS, ids=": ".join)
@settings(max_examples=60)
@given(joint=joints())
def test_an_implication_holds(line, joint):
    with np.errstate(divide="ignore", over="ignore"):
        IMPLICATIONS[line](measured(joint))


def test_the_conditions_of_implications_occur():
    """A joint close to independent is inside both conditions; one far from it is outside."""
    near, far = measured(np.array([[50, 49], [49, 50]])), measured(np.array([[9, 1], [1, 89]]))
    for of, inside in ((near, True), (far, False)):
        assert ((of.M - 1) * (1 - of.rare) < of.rare).all() == inside
    assert (near.t < near.rare).all()


@given(labelled())
def test_merging_makes_no_figure_worse(case):
    joint, labels = case
    given_joint = Joint(joint)
    fine = Notions.of(given_joint)
    coarse = Notions.of(given_joint.merged(np.unique(labels, return_inverse=True)[1]))
    for name, figure in vars(fine).items():
        if figure is None:
            continue
        worse = -1 if name in ("k", "distinct_l", "entropy_l") else 1
        found = getattr(coarse, name)
        assert worse * found <= worse * figure + SLACK or found == figure, name


def test_t_closeness_lets_a_rare_value_be_ruled_out():
    joint = np.array([[990, 0], [970, 20]])
    assert total_variation(joint).max() < 0.0102
    assert chi_squared_lift(joint).max() < 0.0103
    assert math.isinf(omega(joint).max())


def test_a_small_average_says_nothing_of_a_single_value():
    joint = np.array([[1, 0], [5000, 5000]])
    assert max(shannon_information(joint), maximal_leakage(joint)) < 2e-4
    assert basic_beta_likeness(joint)[0] > 0.99
    assert math.isinf(omega(joint)[0])


def test_k_and_l_can_be_999_to_1_and_nothing_implies_k():
    found = Notions.of(Joint(np.array([[999, 1], [1, 999]])))
    assert (found.k, found.distinct_l) == (1000, 2)
    assert found.delta > 6
    alike = Notions.of(Joint(np.array([[1, 1], [50, 50]])))
    assert (alike.k, alike.delta) == (2, 0)


def test_merging_can_raise_the_delta_of_eps_delta():
    """Ten people are outside; merged with ten who are inside, all twenty are."""
    joint = np.array([[10, 0], [5, 5], [485, 495]])
    assert outside(joint, 0.1) == pytest.approx(0.01)
    merged = Joint(joint).merged(np.array([0, 0, 1]))
    assert outside(merged, 0.1) == pytest.approx(0.02)
