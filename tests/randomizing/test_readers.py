"""Channels for readers who know more, and for bounds of single values, against slow oracles."""

from __future__ import annotations

import decimal
import math
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import loglift
import naive
from loglift import Bound, MechanismError, Target, UnsafeError, Utility, merge, randomize
from loglift.mechanism.given import Given
from loglift.promise.known import Known
from reader_cases import small_case

SEEDS = range(60)


def blocks_of(labels):
    return np.eye(max(labels) + 1)[np.array(labels)]


def best_partition(case):
    """The largest I(X;Y) = H(Y) of all partitions that no reader gains too much from."""
    kept = [0.0]
    for labels in naive.partitions(len(case.joint)):
        if case.outside(blocks_of(labels)) <= -1e-9:
            p = case.p @ blocks_of(labels)
            kept.append(float(-(p * np.log(p)).sum()))
    return max(kept)


def test_equals_the_optimum_over_all_vertices():
    kinds = Counter()
    for seed in SEEDS:
        case = small_case(seed)
        kinds.update(case.kinds)
        found = randomize(case.joint, bound=case.bound, promises=case.promises)
        assert found.safe
        assert all(reader.safe for reader in found.readers)
        assert len(found.readers) == len(case.promises)
        assert case.outside(found.channel) < 1e-9
        best = naive.best_channel_within(case.p, case.rows())
        assert found.utility == pytest.approx(best, abs=1e-6)
        assert best - 1e-8 <= found.upper_bound <= best + 1e-6
        assert found.utility <= found.upper_bound
        assert found.utility >= best_partition(case) - 1e-9
    assert min(kinds.values()) > 5
    assert len(kinds) == 4


def test_an_earlier_release_at_its_bound_leaves_what_it_leaves():
    """p(x) has no slack there: the new release is safe, and as good as any partition."""
    tight = 0
    for seed in range(40):
        case = small_case(seed, earlier_share=1.0)
        found = randomize(case.joint, bound=case.bound, promises=case.promises)
        assert found.safe
        assert case.outside(found.channel) < 1e-11
        assert found.utility <= found.upper_bound
        assert found.utility >= best_partition(case) - 1e-9
        tight += case.outside(np.ones((len(case.joint), 1))) > -1e-9
    assert tight > 10


def test_promises_only_ever_cost():
    costs = 0
    for seed in SEEDS:
        case = small_case(seed)
        plain = randomize(case.joint, bound=case.bound)
        found = randomize(case.joint, bound=case.bound, promises=case.promises)
        assert found.utility <= plain.upper_bound + 1e-9
        assert found.upper_bound <= plain.upper_bound + 1e-9
        costs += found.utility < plain.utility - 1e-3
    assert costs > 10


@pytest.mark.parametrize("seed", range(4))
def test_more_values_than_can_be_listed_are_solved_well(seed):
    """12 x 4 values and 3 known ones: far above merging, and close to what is proven."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(20, (12, 3, 4)) + rng.poisson(20 * rng.random((12, 1, 4)))
    joint = counts.sum(axis=1)
    promises = [Known(counts), Given(randomize(joint, 0.1))]
    found = randomize(joint, 0.25, promises=promises)
    assert found.safe
    assert found.utility >= merge(joint, 0.25, "exact", promises=promises).utility - 1e-9
    assert found.utility >= 0.97 * found.upper_bound


def test_a_value_without_a_bound_keeps_at_least_as_much():
    more = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        joint = rng.poisson(6, (6, 4)) + 1
        joint[:, 3] = rng.poisson(0.4, 6)
        joint[0, 3] += 1
        plain, bound = randomize(joint, 0.3), Bound.symmetric(0.3).with_values({3: None})
        freed = randomize(joint, bound=bound)
        assert freed.safe
        assert freed.utility >= plain.utility - 1e-9
        more += freed.utility > plain.utility + 0.05
        lifts = freed.channel.T @ joint / np.outer(joint.sum(axis=1) @ freed.channel, np.ones(4))
        logs = np.log((lifts / (joint.sum(axis=0) / joint.sum()))[:, :3])
        assert np.abs(logs).max() <= 0.3 + 1e-9
        tighter = randomize(joint, bound=bound.with_values({0: 0.05, 1: (0.1, math.inf)}))
        assert tighter.safe
        assert tighter.utility <= freed.utility + 1e-9
    assert more > 5


@pytest.mark.parametrize("size", [2, 3, 4])
def test_limits_of_single_values_equal_the_optimum_over_all_vertices(size):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        joint = rng.poisson(4, (4, size)) + 1
        lower, upper = rng.choice([0.1, 0.4, 1.0, math.inf], (2, size))
        lower[0] = upper[-1] = 0.2
        bound = Bound.symmetric(0.2).with_values({s: (lower[s], upper[s]) for s in range(size)})
        found = randomize(joint, bound=bound)
        lifts = (joint / joint.sum(axis=1, keepdims=True) / (joint.sum(axis=0) / joint.sum())).T
        rows = [lifts[s] - math.exp(-lower[s]) for s in range(size) if lower[s] < math.inf]
        rows += [math.exp(upper[s]) - lifts[s] for s in range(size) if upper[s] < math.inf]
        best = naive.best_channel_within(joint.sum(axis=1) / joint.sum(), np.array(rows))
        assert found.safe
        assert found.utility == pytest.approx(best, abs=1e-6)
        assert best - 1e-8 <= found.upper_bound <= best + 1e-6


def test_a_bound_of_zero_for_one_value_hides_that_value():
    joint = np.random.default_rng(3).poisson(9, (8, 3)) + 1
    bound = Bound.symmetric(0.5).with_values({1: 0})
    found = randomize(joint, bound=bound)
    shown = found.channel.T @ joint
    lifts = shown / shown.sum(axis=1, keepdims=True) / (joint.sum(axis=0) / joint.sum())
    np.testing.assert_allclose(lifts[:, 1], 1, atol=1e-11)
    assert np.abs(np.log(lifts)).max() <= 0.5 + 1e-9
    assert found.utility >= randomize(joint, 0).utility - 1e-9
    assert found.utility <= randomize(joint, 0.5).utility + 1e-9
    assert found.upper_bound == pytest.approx(found.utility, abs=1e-6)


def test_targets_and_the_least_count_go_with_readers():
    rng = np.random.default_rng(5)
    counts = rng.poisson(9, (8, 2, 3)) + 1
    joint, promises = counts.sum(axis=1), [Known(counts)]
    goal = Utility.of([Target.given("u", np.eye(2)[np.arange(8) % 2])], joint_weight=0.1)
    least = 0.15 * joint.sum()
    for utility in (None, goal):
        free = randomize(joint, 0.25, promises=promises, utility=utility)
        found = randomize(joint, 0.25, promises=promises, utility=utility, min_count=least)
        merged = merge(joint, 0.25, promises=promises, utility=utility, min_count=least)
        assert found.safe
        assert (joint.sum(axis=1) @ found.channel).min() >= least * (1 - 1e-9)
        assert merged.utility - 1e-9 <= found.utility <= free.utility + 1e-9
        assert free.utility <= free.upper_bound + 1e-9


def test_what_cannot_be_promised_is_refused():
    rng = np.random.default_rng(0)
    counts = rng.poisson(9, (5, 2, 3)) + 1
    joint = counts.sum(axis=1)
    with pytest.raises(UnsafeError, match="before anything is released"):
        randomize(joint, 0.01, promises=[Given(merge(joint, 50))])
    for bound in (Bound.symmetric(0), Bound.symmetric(1).with_values({0: 0})):
        with pytest.raises(MechanismError, match="bound of zero"):
            randomize(joint, bound=bound, promises=[Known(counts)])
    with pytest.raises(MechanismError, match="promises must be"):
        randomize(joint, 1, promises=Known(counts))
    with pytest.raises(loglift.BoundError, match="does not occur"):
        randomize(joint, bound=Bound.symmetric(1).with_values({"HIV": 0.1}))


def people(seed, rows=1500):
    """A table in which ill depends on job and region, and age on job."""
    rng = np.random.default_rng(seed)
    job, region = rng.integers(0, 9, rows), rng.integers(0, 3, rows)
    s = np.arange(3)
    chance = 4 + np.add.outer(job, s) % 4 + np.add.outer(region, s) % 2
    below = np.cumsum(chance, axis=1) / chance.sum(axis=1, keepdims=True)
    ill = np.array(["a", "b", "c"])[(rng.random((rows, 1)) > below).sum(axis=1)]
    age = (job + rng.integers(0, 4, rows)) // 2
    return pl.DataFrame({"job": job, "region": region, "ill": ill, "age": age})


def drawn(mechanism, row):
    """The released values of a record, each with its share as a fraction."""
    key = tuple(row[column.name] for column in mechanism.columns)
    if mechanism.exact_channel is None:
        return [(mechanism.lookup[key], Fraction(1))]
    pairs = mechanism.exact_channel.rows[mechanism.lookup[key]]
    return [(y, Fraction(numerator, 2**52)) for y, numerator in pairs]


def exact_lifts(table, made, *, earlier=None, known=None):
    """Yield p(s|y1,y,k)/p(s|k), or against p(s) without k, as fractions, with s."""
    told, before = defaultdict(Counter), defaultdict(Counter)
    for row in table.to_dicts():
        k = row[known] if known else None
        before[k][row["ill"]] += 1
        for y, share in drawn(made, row):
            for y1, times in drawn(earlier, row) if earlier else [(None, Fraction(1))]:
                told[k, y1, y][row["ill"]] += share * times
    for (k, _, _), shown in told.items():
        size, total = sum(shown.values()), sum(before[k].values())
        for s, n in before[k].items():
            yield s, shown[s] / size / Fraction(n, total)


def exactly_inside(lifts, bounds):
    """Whether all lifts are within e^-eps and e^eps of their value, to 60 digits."""
    decimal.getcontext().prec = 60
    limits = {s: Fraction(decimal.Decimal(eps).exp()) for s, eps in bounds.items()}
    return all(1 / limits[s] <= lift <= limits[s] for s, lift in lifts if s in limits)


@pytest.mark.parametrize("kind", ["partition", "channel"])
@pytest.mark.parametrize("readers", ["known", "given", "both"])
def test_the_channel_of_a_table_is_exactly_safe_for_every_reader(kind, readers):
    table, eps = people(1), 0.25
    method = "search" if kind == "partition" else "randomized"
    first = loglift.protect(table, sensitive="ill", public="age", eps=0.1, method=method).mechanism
    options = {"known": "region"} if readers != "given" else {}
    options |= {"given": [first]} if readers != "known" else {}
    release = loglift.protect(
        table, sensitive="ill", public="job", eps=eps, method="randomized", **options
    )
    made, limits = release.mechanism, dict.fromkeys("abc", eps)
    assert made.safe
    assert made.readers
    assert made.exact_channel is not None
    assert exactly_inside(exact_lifts(table, made), limits)
    if readers != "given":
        assert exactly_inside(exact_lifts(table, made, known="region"), limits)
    if readers != "known":
        assert exactly_inside(exact_lifts(table, made, earlier=first), limits)
    if readers == "both":
        assert exactly_inside(exact_lifts(table, made, earlier=first, known="region"), limits)
    plain = loglift.protect(table, sensitive="ill", public="job", eps=eps, method="randomized")
    merged = loglift.protect(table, sensitive="ill", public="job", eps=eps, **options)
    assert merged.mechanism.utility - 1e-9 <= made.utility <= made.upper_bound
    assert made.utility < plain.mechanism.utility
    assert "all these readers" in made.upper_bound_scope


def test_an_earlier_draw_at_the_bound_is_not_broken_by_rounding():
    """Both drawn within the same eps, over the same column: next to nothing is left."""
    table, eps = people(2, rows=600), 0.2
    first = loglift.protect(table, sensitive="ill", public="job", eps=eps, method="randomized")
    again = loglift.protect(
        table,
        sensitive="ill",
        public="job",
        eps=eps,
        method="randomized",
        given=[first.mechanism],
    ).mechanism
    lifts = exact_lifts(table, again, earlier=first.mechanism)
    assert exactly_inside(lifts, dict.fromkeys("abc", eps))
    assert again.safe


@pytest.mark.parametrize(
    ("values", "checked"),
    [
        ({"a": 0.02, "b": None}, {"a": 0.02, "c": 0.2}),
        ({"a": 0}, {"a": 0, "b": 0.2, "c": 0.2}),
    ],
)
def test_a_table_with_bounds_of_single_values_is_exactly_safe(values, checked):
    table, bound = people(3), Bound.symmetric(0.2).with_values(values)
    made = loglift.protect(
        table, sensitive="ill", public="job", bound=bound, method="randomized"
    ).mechanism
    assert made.safe
    assert exactly_inside(exact_lifts(table, made), checked)
    nothing = loglift.protect(table, sensitive="ill", public="job", eps=0, method="randomized")
    assert nothing.mechanism.utility - 1e-9 <= made.utility <= made.upper_bound
    assert made.utility > 0.1
