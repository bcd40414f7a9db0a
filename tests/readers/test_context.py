"""The attack by counting of readers who know more, against records counted one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import naive
from loglift import Bound, Joint, merge, randomize
from loglift.mechanism.given import Given
from loglift.promise.knowledge import Released
from loglift.promise.known import Known
from loglift.readers.context import columns_known, context_reading

SIDES = ("original", "released", "shuffled")


@st.composite
def known_counts(draw):
    """Counts n(x,k,s) with zeros; every x and every s occurs."""
    n, k, m = draw(st.integers(2, 5)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    counts = np.random.default_rng(draw(st.integers(0, 10**6))).integers(-3, 6, (n, k, m))
    counts = np.maximum(counts, 0)
    counts[:, 0, 0] += counts.sum(axis=(1, 2)) == 0
    counts[0, 0] += counts.sum(axis=(0, 1)) == 0
    return counts


def records_of(counts, shown):
    """Yield the records (x, k, s) of counts with what each of them shows."""
    for x, k, s in np.ndindex(counts.shape):
        for _ in range(counts[x, k, s]):
            yield 1, s, k, None, shown(x)


def same(reading, side, slow):
    for name in ("rise", "fall", "outside", "right"):
        assert getattr(getattr(reading, name), side) == pytest.approx(getattr(slow, name))


@settings(max_examples=60)
@given(known_counts(), st.sampled_from([0.2, 0.7, 1.5]), st.data())
def test_readers_who_know_a_column_are_counted_record_by_record(counts, eps, data):
    n, m = counts.shape[0], counts.shape[2]
    labels = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)))
    joint, bound = Joint(counts.sum(axis=1)), Bound.symmetric(eps).with_values({0: (2.0, 0.1)})
    limits = {0: (2.0, 0.1)} | dict.fromkeys(range(1, m), (eps, eps))
    found = context_reading(
        Known(counts, name="K").on(joint),
        joint.variables[0],
        Released(labels),
        bound.on(joint),
        size=n,
        promised=True,
    )
    views = (lambda x: x, lambda x: labels[x], lambda _: 0)
    for side, shown in zip(SIDES, views, strict=True):
        same(found, side, naive.inferred(records_of(counts, shown), limits))
    assert found.rise.shuffled == pytest.approx(1)
    assert found.outside.shuffled == 0
    assert found.readers == "readers who know K"
    assert found.contexts == np.count_nonzero(counts.sum(axis=(0, 2)))


@pytest.mark.parametrize("seed", range(4))
def test_readers_of_an_earlier_release_compare_with_what_is_known_without_any(seed):
    random = np.random.default_rng(seed)
    counts = random.integers(1, 30, (6, 3))
    joint, bound = Joint(counts), Bound.symmetric(0.6)
    earlier = merge(joint, 0.3)
    now = random.integers(0, 4, 6)
    reading = context_reading(
        Given(earlier).on(joint),
        joint.variables[0],
        Released(now),
        bound,
        size=6,
        promised=False,
    )
    limits = dict.fromkeys(range(3), (0.6, 0.6))
    views = (lambda x: x, lambda x: now[x], lambda _: 0)
    for side, shown in zip(SIDES, views, strict=True):
        slow = naive.inferred(
            [(counts[x, s], s, None, earlier.labels[x], shown(x)) for x, s in np.ndindex(6, 3)],
            limits,
        )
        same(reading, side, slow)
    alone = max(reading.rise.shuffled, reading.fall.shuffled)  # what the earlier release tells
    assert alone == pytest.approx(math.exp(earlier.leakage))
    assert alone > 1
    assert not reading.promised


def test_draws_are_expected_counts():
    counts = np.array([[30, 10, 5], [10, 30, 8], [25, 20, 2], [20, 30, 9]])
    joint = Joint(counts)
    earlier, now = randomize(joint, 0.2), randomize(joint, 0.4)
    numerators = np.rint(now.channel * 2**52).astype(np.int64)
    reading = context_reading(
        Given(earlier).on(joint),
        joint.variables[0],
        Released.of_channel(numerators),
        Bound.symmetric(0.5),
        size=4,
        promised=False,
    )
    limits = dict.fromkeys(range(3), (0.5, 0.5))
    told = [
        (counts[x, s] * earlier.channel[x, before] * now.channel[x, y], s, None, before, y)
        for x, s in np.ndindex(4, 3)
        for before in range(earlier.size)
        for y in range(now.size)
        if earlier.channel[x, before] and now.channel[x, y]
    ]
    slow = naive.inferred(told, limits)
    for name in ("rise", "fall", "outside", "right"):
        assert getattr(reading, name).released == pytest.approx(getattr(slow, name), rel=1e-6)
    assert 0 < reading.outside.released < 1


def test_each_variable_is_looked_at_on_its_own():
    random = np.random.default_rng(2)
    records = random.integers(0, [4, 2, 2, 3], (300, 4))  # x, k, s, t
    both = np.zeros((4, 2, 5), dtype=int)
    for x, k, s, t in records.tolist():
        both[x, k, s] += 1
        both[x, k, 2 + t] += 1
    joint = Joint(both.sum(axis=1), variables=list("sSttt".lower()), sensitive=list("abcde"))
    knowledge, bound = Known(both).on(joint), Bound.symmetric(0.3)
    for place, variable in enumerate(joint.variables):
        found = context_reading(
            knowledge, variable, Released.apart(4), bound, size=4, promised=True
        )
        slow = naive.inferred(
            [(1, row[2 + place], row[1], None, row[0]) for row in records.tolist()],
            dict.fromkeys(range(3), (0.3, 0.3)),
        )
        same(found, "released", slow)
    assert columns_known(knowledge) == ()
