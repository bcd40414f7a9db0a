"""Partitions certified for the population: known joints, and what the split may not do."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from known import counts_of, known_joint, leakage, table_joint
from loglift import Bound, BoundError, UnsafeError, entropy, merge, randomize
from loglift.confidence import tested as module
from loglift.confidence.candidates import candidates
from loglift.confidence.split import split
from loglift.confidence.swings import excess_bound
from loglift.confidence.tested import Certified, certified
from loglift.confidence.uncertified import Uncertified
from loglift.mechanism.making import partition_mechanism
from loglift.promise.integers import exactly_safe
from loglift.sparse import block_sums


def chosen(joint, bound, *, method="greedy", seed=1, confidence=0.9):
    plain = merge(joint, bound=bound, method=method, over="all")
    return plain.labels, certified(joint, plain, confidence=confidence, choose_share=0.4, seed=seed)


def test_certified_partitions_hold_for_the_population():
    """Plain ones mostly do not; of 15 certified ones 1.5 may fail, and 7 are impossible."""
    rng, bound = np.random.default_rng([40, 3]), Bound.symmetric(0.6)
    failed = plain_failed = 0
    for seed in range(15):
        truth = known_joint(rng, 40, 3, spread=20)
        sample = rng.multinomial(4000, truth.ravel()).reshape(truth.shape)
        joint, seen = counts_of(sample), sample.sum(axis=1) > 0
        plain, found = chosen(joint, bound, seed=seed)
        assert isinstance(found, Certified)
        assert found.proposal.labels.max() > 0
        assert exactly_safe(block_sums(joint.mass, found.proposal.labels), bound).all()
        labels = np.full(len(truth), found.unseen)
        labels[seen] = found.proposal.labels
        failed += leakage(block_sums(truth, labels)) > 0.6
        labels[seen] = plain
        plain_failed += leakage(block_sums(truth, labels)) > 0.6
    assert failed <= 6
    assert plain_failed > 2 * failed + 5


def sample_of(total, rows=30, columns=2, seed=3):
    rng = np.random.default_rng(seed)
    truth = known_joint(rng, rows, columns)
    return counts_of(rng.multinomial(total, truth.ravel()).reshape(truth.shape))


def test_the_population_tells_the_split_and_the_cost():
    joint, bound = sample_of(10_000), Bound.symmetric(0.5)
    plain, found = chosen(joint, bound, confidence=0.95)
    population, choice = found.population, found.population.choice
    assert (population.confidence, population.holds) == (0.95, True)
    assert (population.lower, population.upper) == (0.5, 0.5)
    assert population.records + choice.records == joint.total
    assert choice.records == split(joint, 0.4, 1).choosing.total
    assert (choice.share, choice.seed) == (0.4, 1)
    assert choice.utility_without == entropy(block_sums(joint.weight, plain))
    kept = entropy(block_sums(joint.weight, found.proposal.labels))
    assert choice.cost == choice.utility_without - kept > 0
    assert 0 < choice.margin < 0.5
    assert choice.working.upper == pytest.approx(0.5 - choice.margin)
    assert choice.passed >= 1


def test_more_records_certify_more():
    kept = []
    for total in (1000, 10_000, 100_000):
        joint = sample_of(total)
        _, found = chosen(joint, Bound.symmetric(0.5), confidence=0.95)
        kept.append(
            entropy(block_sums(joint.weight, found.proposal.labels)) / entropy(joint.weight)
        )
    assert kept == sorted(kept)
    assert kept[-1] > kept[0] + 0.1


@pytest.mark.parametrize("channels", [False, True])
def test_candidates_do_not_depend_on_the_certifying_records(monkeypatch, channels):
    """Other certifying records, as many as before, are tested against the same candidates."""
    joint, bound, tried = sample_of(6000, rows=12), Bound.symmetric(0.5), []
    choose = drawn if channels else chosen

    def recorded(plan):
        tried.append([])
        for candidate in candidates(plan):
            shares = candidate.proposal.numerators if channels else candidate.proposal.labels
            tried[-1].append(shares.tolist())
            yield candidate

    monkeypatch.setattr(module, "candidates", recorded)
    choose(joint, bound)
    order = np.random.default_rng(0).permutation(len(joint.public))

    def shuffled(*arguments):
        records = split(*arguments)
        return replace(records, certifying=table_joint(records.certifying.mass[order]))

    monkeypatch.setattr(module, "split", shuffled)
    choose(joint, bound)
    one, other = sorted(tried, key=len)
    assert other[: len(one)] == one
    assert len(one) > 0


def drawn(joint, bound, *, seed=1, confidence=0.9):
    plain = randomize(joint, bound=bound)
    return plain, certified(joint, plain, confidence=confidence, choose_share=0.4, seed=seed)


def test_certified_channels_hold_for_the_population():
    """Plain ones mostly do not; of 12 certified ones 1.2 may fail, and 6 are impossible."""
    rng, bound = np.random.default_rng([4, 3]), Bound.symmetric(0.5)
    failed = plain_failed = 0
    for seed in range(12):
        truth = known_joint(rng, 10, 2, spread=15)
        sample = rng.multinomial(2500, truth.ravel()).reshape(truth.shape)
        joint, seen = counts_of(sample), sample.sum(axis=1) > 0
        plain, found = drawn(joint, bound, seed=seed)
        assert isinstance(found, Certified)
        assert found.proposal.size > 1
        assert exactly_safe(found.proposal.in_whole_numbers(joint.mass), bound).all()
        channel = np.zeros((len(truth), found.proposal.size))
        channel[:, found.unseen] = 1
        channel[seen] = found.proposal.channel
        failed += leakage(channel.T @ truth) > 0.5
        plain_failed += leakage(plain.channel.T @ truth[seen]) > 0.5
    assert failed <= 5
    assert plain_failed > 2 * failed + 5


def test_a_certified_channel_is_found_again_from_what_the_certificate_says():
    """The split and the draws are repeated from the seeds; other draws would be others."""
    joint, bound = sample_of(10_000), Bound.symmetric(0.5)
    plain, found = drawn(joint, bound, confidence=0.95)
    population, choice, channel = found.population, found.population.choice, found.proposal
    certifying = split(joint, choice.share, choice.seed).certifying
    assert certifying.total == population.records
    shown = channel.shown(certifying, population.draw_seed).mass
    assert shown.sum() == population.records
    assert excess_bound([shown], bound, 0.05).max() <= 0
    assert population.draw_seed > choice.seed
    assert choice.utility_without == pytest.approx(plain.utility)
    assert choice.cost == pytest.approx(plain.utility - channel.utility(joint.weight))
    assert 0 < choice.margin < 0.5
    _, again = drawn(joint, bound, confidence=0.95)
    np.testing.assert_array_equal(again.proposal.numerators, channel.numerators)
    assert again.population == population
    _, partition = chosen(joint, bound, method="search", confidence=0.95)
    assert partition.population.draw_seed is None
    kept = entropy(block_sums(joint.weight, partition.proposal.labels))
    assert channel.utility(joint.weight) >= kept - 1e-12


def test_each_variable_and_the_least_number_of_records_of_a_channel_are_certified():
    rng = np.random.default_rng(0)
    counts = rng.poisson(200 * rng.dirichlet(np.ones(12))[:, None] * 12 * [0.3, 0.2, 0.3, 0.2])
    joint = table_joint(counts + 1, events=[(0, 0), (0, 1), (1, 0), (1, 1)])
    bound = Bound.symmetric(0.6)
    plain = randomize(joint.apart(), bound=bound, min_count=200)
    found = certified(joint, plain, confidence=0.9, choose_share=0.4, seed=0)
    records = split(joint, 0.4, 0)
    assert found.proposal.size > 1
    assert (records.choosing.weight @ found.proposal.channel).min() >= 200 * (1 - 1e-9)
    shown = found.proposal.shown(records.certifying, found.population.draw_seed)
    assert shown.total == records.certifying.total
    for one, tested in zip(joint.apart().by_variable(), shown.apart().by_variable(), strict=True):
        assert exactly_safe(found.proposal.in_whole_numbers(one.mass), bound).all()
        assert excess_bound([tested.mass], bound, 0.1).max() <= 0


def test_a_channel_that_cannot_be_certified_says_what_would_help():
    joint, bound = sample_of(400, rows=12), Bound.symmetric(0.1)
    _, found = drawn(joint, bound, confidence=0.99)
    assert isinstance(found, Uncertified)
    assert found.records_needed > 400


def test_one_value_for_all_is_certified_as_it_is():
    joint = table_joint(np.array([[10, 0], [0, 10]]))
    plain = randomize(joint, 0.0)
    found = certified(joint, plain, confidence=0.95, choose_share=0.4, seed=0)
    assert found.proposal.size == 1
    assert found.population.choice.cost == 0


def made(joint, labels, bound, **options):
    scope = {"upper_bound": math.inf, "scope": "merging"}
    return partition_mechanism(joint, labels, bound, method="greedy", **scope, **options)


def test_a_single_block_is_certified_as_it_is():
    joint = table_joint(np.array([[10, 0], [0, 10]]))
    plain = made(joint, np.array([0, 0]), Bound.symmetric(0.1))
    found = certified(joint, plain, confidence=0.95, choose_share=0.4, seed=0)
    assert found.proposal.labels.tolist() == [0, 0]
    assert found.population.holds
    assert found.population.choice.cost == 0


def test_each_variable_and_the_least_number_of_records_are_certified():
    rng = np.random.default_rng(0)
    counts = rng.poisson(200 * rng.dirichlet(np.ones(12))[:, None] * 12 * [0.3, 0.2, 0.3, 0.2])
    joint = table_joint(counts, events=[(0, 0), (0, 1), (1, 0), (1, 1)])
    bound = Bound.symmetric(0.6)
    plain = made(joint.apart(), np.arange(12), bound, min_count=200)
    found = certified(joint, plain, confidence=0.9, choose_share=0.4, seed=0)
    assert found.proposal.labels.max() > 0
    assert block_sums(split(joint, 0.4, 0).choosing.weight, found.proposal.labels).min() >= 200
    for one in joint.apart().by_variable():
        assert exactly_safe(block_sums(one.mass, found.proposal.labels), bound).all()


def test_what_cannot_be_certified_says_what_would_help():
    joint, bound = sample_of(400, rows=12), Bound.symmetric(0.1)
    _, found = chosen(joint, bound, method="search", confidence=0.99)
    assert isinstance(found, Uncertified)
    assert (found.bound, found.confidence, found.records) == (bound, 0.99, 400)
    assert found.records_of_rarest == joint.prior.min()
    assert found.records_needed > 400
    assert 0 < found.widening < math.inf
    wide = Bound.symmetric(1.3 * (0.1 + found.widening))
    _, enough = chosen(joint, wide, method="search", confidence=0.99)
    assert isinstance(enough, Certified)
    assert enough.proposal.labels.max() > 0


def test_runs_stay_runs_and_have_no_block_for_values_that_the_table_lacks():
    rng = np.random.default_rng(5)
    share = np.linspace(0.2, 0.7, 50)
    counts = np.stack([rng.binomial(400, share), rng.binomial(400, 1 - share)], axis=1)
    _, found = chosen(table_joint(counts), Bound.symmetric(0.5), method="ordered")
    assert (np.diff(found.proposal.labels) >= 0).all()
    assert found.proposal.labels.max() > 0
    assert found.unseen is None


def test_too_few_records_and_no_confidence_are_refused():
    joint, bound = table_joint(np.array([[1, 0], [0, 1]])), Bound(math.inf, 1)
    plain = made(joint, np.arange(2), bound)
    empty = next(s for s in range(100) if split(joint, 0.4, s).choosing.total in (0, 2))
    with pytest.raises(UnsafeError, match="2 records are too few"):
        certified(joint, plain, confidence=0.9, choose_share=0.4, seed=empty)
    with pytest.raises(BoundError, match="confidence"):
        certified(joint, plain, confidence=95, choose_share=0.4, seed=0)
