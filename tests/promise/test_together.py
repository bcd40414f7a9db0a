"""Several promises at once: the coordinates of all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from known_counts import cubes, earlier, known
from loglift import Bound
from loglift.promise.lift import LiftPromise
from loglift.promise.together import Together


def promise_of(counts, eps=0.5):
    bound, joint = Bound.symmetric(eps), counts.sum(axis=1).astype(np.float64)
    knowing = [made.promise(len(counts), bound) for made in (known(counts), earlier(counts))]
    return Together(LiftPromise.of(joint, bound), tuple(knowing))


@given(cubes())
def test_it_asks_for_what_its_parts_ask_for(counts):
    both = promise_of(counts)
    assert both.inequalities == sum(part.inequalities for part in both.parts) == both.scale.size
    np.testing.assert_array_equal(both.safe(), np.all([p.safe() for p in both.parts], axis=0))
    np.testing.assert_allclose(both.shortfalls(), sum(p.shortfalls() for p in both.parts))
    assert both.gains(slice(None)).shape == (len(counts), both.inequalities)
    assert sum(1 for _ in both.columns()) == both.inequalities
    rows = np.arange(len(counts))[::2]
    np.testing.assert_array_equal(both.only(rows).safe(), both.safe()[rows])
    labels = np.arange(len(counts)) // 2
    np.testing.assert_array_equal(
        both.blocks(labels).safe(), np.all([p.blocks(labels).safe() for p in both.parts], axis=0)
    )
    assert both.most_blocks()[0] == min(part.most_blocks()[0] for part in both.parts)


@given(cubes())
def test_needs_name_the_context_that_is_lacked_most(counts):
    both = promise_of(counts)
    short, neediest = both.needs()
    np.testing.assert_allclose(short, both.shortfalls())
    values, contexts = both.holders_of_contexts()
    assert (np.diff(contexts) >= 0).all()
    held = set(zip(values.tolist(), contexts.tolist(), strict=True))
    for x in np.flatnonzero(short > 0).tolist():
        assert (x, int(neediest[x])) in held


@given(cubes())
def test_values_are_together_if_any_part_says_so(counts):
    both = promise_of(counts)
    joined = both.together()
    assert joined.size == len(counts)
    for part in both.parts:
        alone = part.together()
        for block in range(int(alone.max()) + 1):
            assert len(set(joined[alone == block].tolist())) == 1
