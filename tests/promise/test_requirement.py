"""Requirements: exact decisions against textbook formulas, ties, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import naive
from loglift import (
    AlphaLift,
    AverageLogLift,
    Bound,
    BoundError,
    ChiSquaredLift,
    DistinctDiversity,
    EntropyDiversity,
    Joint,
    L1Lift,
    OrderedTCloseness,
    TCloseness,
)
from loglift.promise.requirement import exactly_met, met, placed

RATIONAL = ("t", "ordered_t", "l1_lift", "chi2_lift", "distinct_l")


def every(rng):
    """One requirement of each kind, with limits at which ties occur."""
    small = float(rng.choice([0.0, 0.1, 0.125, 0.2, 0.25, 0.5]))
    return [
        TCloseness(small),
        OrderedTCloseness(small),
        L1Lift(2 * small),
        ChiSquaredLift(small),
        AlphaLift(small, alpha=float(rng.choice([1.5, 2, 3]))),
        AverageLogLift(small),
        DistinctDiversity(int(rng.integers(1, 4))),
        EntropyDiversity(float(rng.choice([1, 1.5, 2, 3]))),
    ]


def is_met(requirement, row, prior):
    """Whether a released value meets a requirement, by its formula; ties of rounded ones hold."""
    found = naive.measure(requirement.key, row, prior, getattr(requirement, "alpha", 2.0))
    limit = Fraction(repr(requirement.limit)) if requirement.key in RATIONAL else requirement.limit
    if requirement.key in ("distinct_l", "entropy_l"):
        return found >= limit - (requirement.key == "entropy_l") * 1e-12
    return found <= limit + (requirement.key not in RATIONAL) * 1e-12


def random_counts(rng, rows, size):
    counts = rng.integers(0, 6, (rows, size))
    counts[:, 0] += counts.sum(axis=1) == 0
    counts[0] += counts.sum(axis=0) == 0
    return counts


def test_decisions_are_those_of_the_formulas():
    rng, seen = np.random.default_rng(0), {True: 0, False: 0}
    for _ in range(150):
        counts = random_counts(rng, 5, int(rng.integers(2, 5)))
        prior = counts.sum(axis=0)
        for requirement in every(rng):
            for row in counts:
                expected = is_met(requirement, row.tolist(), prior.tolist())
                assert requirement.is_met(row.tolist(), prior.tolist()) == expected
                seen[expected] += 1
    assert min(seen.values()) > 500


def test_whole_tables_are_decided_row_by_row():
    rng, rows, total = np.random.default_rng(1), 0, 100
    for _ in range(total):
        counts = random_counts(rng, 6, int(rng.integers(2, 5)))
        joint, prior = Joint(counts), counts.sum(axis=0)
        for requirement in every(rng):
            of = placed([requirement], joint)
            expected = [is_met(requirement, row.tolist(), prior.tolist()) for row in counts]
            assert exactly_met(of, counts, prior).tolist() == expected
            assert met(of, counts.astype(float), 1e-12).tolist() == expected
            rows += len(expected)
    assert rows == total * 8 * 6


def test_a_limit_is_what_is_written():
    # p(.|y) is 1/5 away from p(.): 0.2 as a float is a little more, 0.3 - 0.1 a little less.
    row, prior = [7, 3], [5, 5]
    assert TCloseness(0.2).is_met(row, prior)
    assert not TCloseness(0.3 - 0.1).is_met(row, prior)
    assert L1Lift(0.4).is_met(row, prior)


def test_a_tie_of_entropies_is_decided_exactly():
    assert EntropyDiversity(3).is_met([10**30, 10**30, 10**30, 0], [1] * 4)
    assert not EntropyDiversity(3).is_met([10**30, 10**30 + 1, 10**30, 0], [1] * 4)


def test_rounding_is_never_in_favour_of_the_release():
    row, prior = [3, 1], [1, 1]
    value = naive.measure("average_log_lift", row, prior)
    assert not AverageLogLift(np.nextafter(value, 0) * (1 - 1e-14)).is_met(row, prior)
    assert AverageLogLift(value * (1 + 1e-14)).is_met(row, prior)


def test_each_variable_is_required_on_its_own():
    joint = Joint([[4, 0, 2, 2], [0, 4, 2, 2]], variables=["a", "a", "b", "b"])
    first, second = placed([TCloseness(0.1)], joint)
    assert first.columns.tolist() == [0, 1]
    assert second.columns.tolist() == [2, 3]
    assert not met([first], joint.mass.astype(float), 0).any()
    assert met([second], joint.mass.astype(float), 0).all()


def test_ranks_follow_the_order_of_the_values():
    table = pd.DataFrame({"x": list("aabb"), "s": [10, 9, 100, 9]})
    joint = Joint.from_table(table, sensitive="s", public="x")
    [of] = placed([OrderedTCloseness(0.1)], joint)
    assert [joint.sensitive[s] for s in of.columns] == [9, 10, 100]
    mood = pd.Categorical(["mid", "low", "high", "low"], ["low", "mid", "high"], ordered=True)
    joint = Joint.from_table(table.assign(s=mood), sensitive="s", public="x")
    [of] = placed([OrderedTCloseness(0.1)], joint)
    assert [joint.sensitive[s] for s in of.columns] == ["low", "mid", "high"]


@pytest.mark.parametrize(
    ("values", "message"),
    [(["a", "b", "c", "b"], "'s' has none"), ([1, None, 2, 3], "without a place in it")],
)
def test_values_without_an_order_are_refused(values, message):
    table = pd.DataFrame({"x": list("aabb"), "s": pd.Series(values, dtype=object)})
    table["s"] = table["s"].convert_dtypes()
    joint = Joint.from_table(table, sensitive="s", public="x")
    with pytest.raises(BoundError, match=message):
        Bound.requiring(OrderedTCloseness(0.1)).on(joint)


def test_several_columns_have_no_order_together():
    table = pd.DataFrame({"x": list("aabb"), "s": [1, 2, 1, 2], "t": [1, 1, 2, 2]})
    joint = Joint.from_table(table, sensitive=["s", "t"], public="x")
    with pytest.raises(BoundError, match="one ordered sensitive column"):
        Bound.requiring(OrderedTCloseness(0.1)).on(joint)
    assert len(Bound.requiring(OrderedTCloseness(0.1)).on(joint.apart()).placed) == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: TCloseness(-0.1),
        lambda: TCloseness(1.1),
        lambda: L1Lift(float("nan")),
        lambda: ChiSquaredLift("1"),
        lambda: AlphaLift(0.5, alpha=1),
        lambda: AlphaLift(0.5, alpha=float("inf")),
        lambda: DistinctDiversity(1.5),
        lambda: EntropyDiversity(0.5),
        lambda: Bound.requiring(0.2),
    ],
)
def test_limits_that_make_no_sense_are_refused(make):
    with pytest.raises(BoundError):
        make()


def test_a_bound_carries_its_requirements():
    bound = Bound.requiring(TCloseness(0.2), DistinctDiversity(3), eps=1)
    assert bound.upper == 1
    assert bound.bounds_lift
    assert not bound.is_plain
    assert bound.times(2).requirements == (TCloseness(0.4), DistinctDiversity(3))
    assert bound.times(10).requirements[0] == TCloseness(1)
    assert bound.at(2).requirements == bound.requirements
    assert bound.inside(0.5).requirements[0] == TCloseness(0.1)
    alone = Bound.requiring(TCloseness(0.2))
    assert not alone.bounds_lift
    with pytest.raises(TypeError, match="limits of a joint"):
        alone.is_safe(np.ones((1, 2)), np.ones((1, 2)))
