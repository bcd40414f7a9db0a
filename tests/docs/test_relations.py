"""The map of notions: every implication that the page states holds on random joints.

`IMPLICATIONS` has the two cells of each line of the page, and what they say as a proposition; a
line without a proposition, or a proposition without a line, fails.
"""

from __future__ import annotations

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings

from docs.stated import ROOT
from loglift import Joint
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
from loglift.mechanism.notions import Notions
from strategies import joints, labelled

SLACK = 1e-9
ORDERS = (0.5, 1.0, 1.5, 2.0, 5.0, math.inf)
PAGE = (ROOT / "docs/relations.md").read_text("utf-8")


def at_most(found, limit):
    """Return whether figures are within their limits, rounding apart; limits may be infinite."""
    return bool((np.asarray(found) <= limit + SLACK * (1 + np.abs(limit))).all())


def equal(found, expected):
    return at_most(found, expected) and at_most(expected, found)


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


def lowest_after(of):
    """What upper leaves of the share of the rarest value, and where it leaves any."""
    shares = (of.M - 1) * (1 - of.rare) / of.rare
    return of.lower[shares < 1 - SLACK], -np.log(1 - shares[shares < 1 - SLACK])


def lowest_close(of):
    """The same for t."""
    inside = of.t < of.rare * (1 - SLACK)
    return of.lower[inside], -np.log(1 - of.t[inside] / of.rare)


def lower_share(of):
    """Return m lower, zero where m is."""
    return of.m * np.where(of.m > 0, of.lower, 0)


def powers(of):
    """Yield the orders from 1 on, and what 1 + beta limits alpha-lift to."""
    for order in ORDERS[1:]:
        yield order, (1 + of.beta) ** (1 if math.isinf(order) else (order - 1) / order)


def averages(of):
    """Return I(S;Y), and Sibson's and Arimoto's information of all orders."""
    both = (sibson_information, alpha_leakage)
    return [shannon_information(of.joint)] + [f(of.joint, a) for f in both for a in ORDERS]


IMPLICATIONS = {
    (LIFT, "t <= (M-1)(1-m)/(M-m)"): lambda of: at_most(
        of.t * (of.M - of.m), (of.M - 1) * (1 - of.m)
    ),
    (LIFT, "chi-squared-lift <= (M-1)(1-m)"): lambda of: at_most(of.chi, (of.M - 1) * (1 - of.m)),
    (LIFT, "average log-lift <= ((1-m) M upper - (M-1) m lower)/(M-m)"): lambda of: at_most(
        of.average * (of.M - of.m),
        (1 - of.m) * of.M * of.upper - (of.M - 1) * lower_share(of),
    ),
    (LIFT, "local differential privacy of Y about S: lower + upper"): lambda of: at_most(
        local_privacy_level(of.joint), (of.lower + of.upper).max()
    ),
    (
        "local differential privacy alpha of Y about S",
        "lower <= alpha and upper <= alpha",
    ): lambda of: at_most(np.maximum(of.lower, of.upper), local_privacy_level(of.joint)),
    ("lower finite", "distinct l = |S|, and the other way round"): lambda of: (
        np.isfinite(of.lower).tolist() == (of.distinct == of.size).tolist()
    ),
    ("lower", "upper <= log(1 + (1-m)(1-p_min)/p_min)"): lambda of: at_most(
        of.upper, np.log(1 + (1 - of.m) * (1 - of.rare) / of.rare)
    ),
    (
        "upper, where (M-1)(1-p_min) < p_min",
        "lower <= -log(1 - (M-1)(1-p_min)/p_min)",
    ): lambda of: at_most(*lowest_after(of)),
    ("upper", "beta = M - 1, and the other way round"): lambda of: equal(of.beta, of.M - 1),
    ("beta", "t <= beta/(1+beta)"): lambda of: at_most(of.t, of.beta / (1 + of.beta)),
    ("beta", "chi-squared-lift <= beta"): lambda of: at_most(of.chi, of.beta),
    ("beta", "average log-lift <= log(1+beta)"): lambda of: at_most(of.average, np.log1p(of.beta)),
    ("beta", "alpha-lift <= (1+beta)^((alpha-1)/alpha), alpha >= 1"): lambda of: all(
        at_most(alpha_lift(of.joint, order), most) for order, most in powers(of)
    ),
    ("beta", "entropy l >= 1/((1+beta) p_max)"): lambda of: at_most(
        1 / ((1 + of.beta) * of.common), of.entropy
    ),
    ("beta", "maximal leakage <= log(1+beta)"): lambda of: at_most(
        maximal_leakage(of.joint), np.log1p(of.beta.max())
    ),
    (
        "maximal leakage",
        "I(S;Y), Sibson's and Arimoto's information of any order are at most as large",
    ): lambda of: at_most(averages(of), maximal_leakage(of.joint)),
    ("t", "l1-lift = 2t, and the other way round"): lambda of: equal(of.l1, 2 * of.t),
    ("t", "ordered t <= t"): lambda of: at_most(of.ordered, of.t),
    ("ordered t", "t <= (|S|-1) ordered t"): lambda of: at_most(of.t, (of.size - 1) * of.ordered),
    ("t", "beta <= t/p_min"): lambda of: at_most(of.beta, of.t / of.rare),
    ("t < p_min", "lower <= -log(1 - t/p_min)"): lambda of: at_most(*lowest_close(of)),
    (CHI, "t <= sqrt(c)/2"): lambda of: at_most(of.t, np.sqrt(of.chi) / 2),
    (CHI, "average log-lift <= log(1+c)"): lambda of: at_most(of.average, np.log1p(of.chi)),
    (CHI, "beta <= sqrt(c (1-p_min)/p_min)"): lambda of: at_most(
        of.beta, np.sqrt(of.chi * (1 - of.rare) / of.rare)
    ),
    (CHI, "alpha-lift of order 2 = sqrt(1+c), and the other way round"): lambda of: equal(
        alpha_lift(of.joint, 2), np.sqrt(1 + of.chi)
    ),
    ("alpha-lift a of order alpha", "beta <= a p_min^(-1/alpha) - 1"): lambda of: all(
        at_most(of.beta, alpha_lift(of.joint, order) * of.rare ** (-1 / order) - 1)
        for order in ORDERS
    ),
    (AVERAGE, "t <= sqrt(d/2)"): lambda of: at_most(of.t, np.sqrt(of.average / 2)),
    (AVERAGE, "entropy l >= e^-d/p_max"): lambda of: at_most(
        np.exp(-of.average) / of.common, of.entropy
    ),
    (AVERAGE, "I(S;Y) <= d"): lambda of: at_most(shannon_information(of.joint), of.average.max()),
    ("entropy l", "distinct l >= entropy l"): lambda of: at_most(of.entropy, of.distinct),
}


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
        assert IMPLICATIONS[line](measured(joint))


def test_a_false_implication_is_found():
    of = measured(np.array([[990, 0], [970, 20]]))
    assert not at_most(of.lower, of.t)
    assert not equal(of.l1, of.t)


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
    signs = {name: -1 if name in ("k", "distinct_l", "entropy_l") else 1 for name in vars(fine)}
    before = {name: signs[name] * size for name, size in vars(fine).items() if size is not None}
    after = {name: signs[name] * getattr(coarse, name) for name in before}
    assert len(before) >= 10
    assert [name for name in before if not at_most(after[name], before[name])] == []


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
