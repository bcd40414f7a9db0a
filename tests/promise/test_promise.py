"""The interface of a promise: what solvers ask, the bound on log-lift answers.

tests/merging/test_methods.py takes another promise through all solvers.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from loglift import Bound, Joint
from loglift.promise.in_context import ContextPromise
from loglift.promise.known import Known
from loglift.promise.lift import LiftPromise
from loglift.promise.promise import Inequalities, Promise
from loglift.promise.together import Together, parted
from loglift.promise.with_conditions import WithConditions

ASKED = [n for n in (*vars(Inequalities), *vars(Promise)) if not n.startswith("_")]


@pytest.mark.parametrize("kind", [LiftPromise, ContextPromise, Together, WithConditions])
@pytest.mark.parametrize("name", ASKED)
def test_every_promise_answers_what_solvers_ask(kind, name):
    asked, given = inspect.getattr_static(Promise, name), inspect.getattr_static(kind, name)
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


def test_a_promise_has_parts():
    lift = LiftPromise.of(np.ones((3, 2)), Bound.symmetric(1))
    assert parted(lift) == (lift, ())
    knowing = Known(np.ones((3, 2, 2))).on(Joint(np.full((3, 2), 2.0))).promise(3, lift.bound)
    assert parted(Together(lift, (knowing,))) == (lift, (knowing,))
    with pytest.raises(TypeError, match="bound on log-lift"):
        parted(knowing)


def test_values_that_are_drawn_are_safe_as_their_log_lifts_are():
    """Of a channel p(y|x), for readers of the release alone and for those who know K."""
    decided = {True: 0, False: 0}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        counts, eps = rng.poisson(5, (6, 2, 3)) + 1, 0.15
        joint, channel = counts.sum(axis=1), rng.dirichlet(np.ones(3), 6)
        bound = Bound.symmetric(eps)
        lift = LiftPromise.of(joint.astype(float), bound)
        knowing = Known(counts).on(Joint(joint)).promise(6, bound)

        def inside(table, channel=channel, eps=eps):
            shown = channel.T @ table
            given = shown / shown.sum(axis=1, keepdims=True)
            return (np.abs(np.log(given / (table.sum(axis=0) / table.sum()))) <= eps).all(axis=1)

        known = inside(counts[:, 0]) & inside(counts[:, 1])
        np.testing.assert_array_equal(lift.safe_drawn(channel), inside(joint))
        np.testing.assert_array_equal(knowing.safe_drawn(channel), known)
        both = Together(lift, (knowing,)).safe_drawn(channel)
        np.testing.assert_array_equal(both, inside(joint) & known)
        for each in both.tolist():
            decided[each] += 1
    assert min(decided.values()) > 10
