"""The interface of a utility: what solvers ask, I(X;Y) answers."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from loglift.utility.information import INFORMATION, Information
from loglift.utility.utility import Utility

ASKED = [name for name in vars(Utility) if not name.startswith("_")]


@pytest.mark.parametrize("name", ASKED)
def test_information_is_a_utility(name):
    asked, given = getattr(Utility, name), getattr(Information, name)
    assert list(inspect.signature(given).parameters) == list(inspect.signature(asked).parameters)


def test_merging_two_blocks_never_gains():
    rng = np.random.default_rng(0)
    for _ in range(100):
        one, other = rng.random((2, 1, 1)) / 2
        apart = INFORMATION.values(one) + INFORMATION.values(other)
        assert (apart >= INFORMATION.values(one + other)).all()
