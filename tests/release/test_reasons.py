"""Why a release keeps what it keeps: each part where it can be found, and why not elsewhere."""

from __future__ import annotations

import numpy as np

from loglift import Bound, Joint, Utility, explain, merge
from loglift.explain.around import nearby
from loglift.joint import Column
from loglift.release.reasons import Reasons, reasons_of

JOINT = Joint(np.random.default_rng(3).integers(1, 40, (12, 3)))


def test_a_plain_release_is_explained_and_has_other_bounds():
    found = merge(JOINT, 0.3)
    told = reasons_of(JOINT, found, sampled=False)
    assert told == Reasons(explain(JOINT, found), nearby(JOINT, found))
    assert len(told.nearby) > 1


def test_the_remedy_of_a_wider_bound_keeps_what_the_sweep_says_of_that_bound():
    columns = (
        Column("a", "integer", None, tuple(range(30)), np.arange(600) // 20),
        Column("b", "integer", None, tuple(range(20)), np.arange(600) % 20),
    )
    counts = np.random.default_rng(11).integers(1, 60, (600, 3))
    joint = Joint(counts).with_columns(columns)
    told = reasons_of(joint, merge(joint, 0.1, utility=Utility.columns()), sampled=False)
    [wider] = [remedy for remedy in told.explanation.remedies if remedy.change == "eps"]
    [near] = [near for near in told.nearby if near.factor == 2]
    assert (wider.kept, wider.bound) == (near.kept, near.bound)
    [asked] = [near for near in told.nearby if near.factor == 1]
    assert asked.kept == told.explanation.compared_with


def test_a_release_for_the_population_has_other_bounds_only():
    told = reasons_of(JOINT, merge(JOINT, 0.3), sampled=True)
    assert told.explanation is None
    assert told.nearby == nearby(JOINT, merge(JOINT, 0.3))
    assert "population" in told.unexplained


def test_a_release_that_is_not_solved_again_says_why():
    own = Bound.symmetric(0.3).with_values({1: 0.5})
    told = reasons_of(JOINT, merge(JOINT, bound=own), sampled=False)
    assert (told.explanation, told.nearby) == (None, None)
    assert "single sensitive values" in told.unexplained
