"""Choosing a mechanism that is safe in exact arithmetic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from loglift import Bound, Joint, UnsafeError, Utility
from loglift.mechanism.making import partition_mechanism
from loglift.release.choose import Task, _exactly_inside
from loglift.release.options import options_of

ZERO = Bound.symmetric(0)


def alone(counts, groups=None):
    """A joint, and the mechanism that leaves its values as they are."""
    joint = Joint(counts, public=list("vwxyz")[: len(counts)])
    found = partition_mechanism(
        joint, np.arange(len(counts)), ZERO, method="search", upper_bound=9.0, scope="merging"
    )
    options = options_of(sensitive="s", public="x", eps=0, bound=None)
    return replace(found, groups=groups), Task(joint, options, ZERO, Utility.joint())


def test_eps_zero_on_counts_beyond_float_resolution_is_exact():
    """Floats call these rows independent; integers know better, so everything is merged."""
    counts = np.outer([10**7, 2 * 10**7, 3 * 10**7], [10**6, 2 * 10**6]).astype(np.int64)
    counts[0, 0] += 1
    assert _exactly_inside(*alone(counts)).tolist() == [0, 0, 0]


def test_the_exact_check_stays_within_groups():
    counts = np.outer([10**7, 2 * 10**7, 3 * 10**7, 10**7], [10**6, 2 * 10**6]).astype(np.int64)
    counts[0, 0] += 1
    counts[1, 0] -= 1
    found = alone(counts, np.array([0, 0, 1, 1]))
    assert _exactly_inside(*found).tolist() == [0, 0, 1, 2]
    with pytest.raises(UnsafeError, match="group of 'v' is not safe even as one"):
        _exactly_inside(*alone(counts, np.array([0, 1, 2, 2])))
