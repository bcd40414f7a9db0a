"""Why a release keeps what it keeps: each part where it can be found, and why not elsewhere."""

from __future__ import annotations

import numpy as np

from loglift import Bound, Joint, explain, merge
from loglift.explain.around import nearby
from loglift.release.reasons import Reasons, reasons_of

JOINT = Joint(np.random.default_rng(3).integers(1, 40, (12, 3)))


def test_a_plain_release_is_explained_and_has_other_bounds():
    found = merge(JOINT, 0.3)
    told = reasons_of(JOINT, found, sampled=False)
    assert told == Reasons(explain(JOINT, found), nearby(JOINT, found))
    assert len(told.nearby) > 1


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
