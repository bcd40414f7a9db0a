"""The interface of a promise: what solvers ask, the bound on log-lift answers.

tests/merging/test_methods.py takes another promise through all solvers.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from loglift import Bound
from loglift.promise.lift import LiftPromise
from loglift.promise.promise import Promise

ASKED = [name for name in vars(Promise) if not name.startswith("_")]


@pytest.mark.parametrize("name", ASKED)
def test_the_bound_on_log_lift_is_a_promise(name):
    asked, given = inspect.getattr_static(Promise, name), inspect.getattr_static(LiftPromise, name)
    assert isinstance(asked, property) == isinstance(given, property)
    if not isinstance(asked, property):
        assert list(inspect.signature(given).parameters) == list(
            inspect.signature(asked).parameters
        )


def test_unions_of_safe_blocks_are_safe():
    rng, unions = np.random.default_rng(0), 0
    promise = LiftPromise.of(rng.random((12, 3)), Bound.symmetric(0.6))
    gains = promise.gains(slice(None))
    safe = [
        block
        for block in (np.flatnonzero(rng.random(12) < 0.4) for _ in range(300))
        if block.size and (gains[block].sum(axis=0) >= 0).all()
    ]
    for one in safe[:20]:
        for other in safe[:20]:
            if not set(one) & set(other):
                unions += 1
                assert (gains[[*one, *other]].sum(axis=0) >= -1e-12).all()
    assert unions > 10
