"""At a bound of zero: whole numbers that show nothing of S, and as much as possible of X."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given

import loglift
from loglift.measures.entropy import mutual_information
from loglift.promise.bound import Bound
from loglift.promise.integers import BITS
from loglift.randomizing.independence import independent
from loglift.randomizing.rational import rational_channel
from strategies import count_joints

ZERO = Bound.symmetric(0)


def tells_nothing(numerators, counts):
    """Whether p(s|y) = p(s) for all s and y, in fractions."""
    shown = numerators.T.astype(object) @ counts.astype(object)
    total = int(counts.sum())
    priors = [Fraction(int(n), total) for n in counts.sum(axis=0)]
    return all(
        [Fraction(int(cell), int(sum(row))) for cell in row] == priors for row in shown if sum(row)
    )


def numerators_of(mechanism):
    """The channel in whole numbers, shape (public values, released values)."""
    channel = mechanism.exact_channel
    numerators = np.zeros((len(channel.rows), channel.size), dtype=np.int64)
    for x, row in enumerate(channel.rows):
        numerators[x, [y for y, _ in row]] = [n for _, n in row]
    return numerators


def test_a_bound_finer_than_whole_numbers_can_tell_keeps_no_less_than_zero():
    """Rounding p(y|x) to 2^-52 moves lifts by more than 10^-16."""
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 400, (30, 3))
    kept = []
    for eps in (0, 1e-30, 1e-16, 1e-14, 1e-12, 1e-9):
        best, bound = loglift.randomize(counts, eps), Bound.symmetric(eps)
        found = rational_channel(best.channel, counts, bound)
        kept.append(mutual_information(counts.sum(axis=1), found.numerators / 2**BITS))
    assert kept == pytest.approx([kept[-1]] * 6, abs=1e-4)
    assert kept[-1] > 1


@given(count_joints(min_public=2))
def test_the_best_channel_that_tells_nothing_stays_so_in_whole_numbers(counts):
    best = loglift.randomize(counts, 0)
    found = rational_channel(best.channel, counts, ZERO)
    assert (found.numerators >= 0).all()
    assert (found.numerators.sum(axis=1) == 2**BITS).all()
    assert tells_nothing(found.numerators, counts)
    kept = mutual_information(counts.sum(axis=1), found.numerators / 2**BITS)
    assert kept <= best.upper_bound + 1e-9
    assume(best.utility > 0.01)
    assert found.pull < 1e-9
    assert kept == pytest.approx(best.utility, abs=1e-6)


def test_every_sensitive_variable_is_hidden():
    rng = np.random.default_rng(4)
    ill, old = rng.integers(0, 2, 900), rng.integers(0, 3, 900)
    job = (rng.integers(0, 7, 900) + ill + old) % 8
    table = pl.DataFrame({"job": job, "ill": ill, "old": old})
    joint = loglift.Joint.from_table(table, sensitive=["ill", "old"], public="job").apart()
    made = loglift.randomize(joint, 0)
    for variable in joint.variables:
        assert tells_nothing(numerators_of(made), joint.mass[:, variable.place])
    assert 1 - made.nmil > 0.3


def test_columns_without_a_direction_are_released_as_one():
    """Of the identity: only the third value tells nothing by itself."""
    counts = np.array([[3, 1], [1, 3], [2, 2]])
    found = independent(np.eye(3), counts, 2**BITS)
    assert tells_nothing(found, counts)
    used = found[:, found.any(axis=0)]
    assert used.shape[1] == 2
    assert (used[0] == used[1]).all()
    assert (used[2] != used[0]).any()


def test_a_direction_too_long_for_the_denominator_is_given_up():
    counts = np.array([[10**8 + 7, 3], [5, 10**8 + 37]])
    found = independent(np.array([[0.5, 0.5], [0.5, 0.5]]), counts, 2**10)
    assert (found.sum(axis=1) == 2**10).all()
    assert tells_nothing(found, counts)


@pytest.mark.parametrize("least", [10, 60, 200])
def test_the_least_count_is_met_at_a_bound_of_zero(least):
    rng = np.random.default_rng(1)
    job = rng.integers(0, 9, 400)
    table = pl.DataFrame({"job": job, "ill": rng.random(400) < 0.2 + 0.05 * job})
    joint = loglift.Joint.from_table(table, sensitive="ill", public="job")
    made = loglift.randomize(joint, 0, min_count=least)
    assert tells_nothing(numerators_of(made), joint.mass)
    expected = numerators_of(made).T.astype(object) @ joint.weight.astype(object)
    assert min(expected) >= least * 2**BITS
