"""From counts to a release that is certified for the population, not only for the table.

The records are split at random. One part chooses candidate partitions, ordered from most to least
conservative; the other part, which had no say in them, tests one after the other until the first
that fails. Each test has error alpha: an unsafe candidate passes with probability at most alpha.

*Why many tests cost nothing.* Let c be the first unsafe candidate in the order, which the choosing
part alone decides. An unsafe candidate can only be among those passed if c itself passed, which has
probability at most alpha. So all candidates that passed are safe but for a probability alpha, and
any of them may be released, by whatever rule: here the one that keeps most of those that also hold
exactly on the whole table. The statement is about the bound asked for, not about a tighter one.

The split is drawn from the hash of the counts: running it again gives the same answer, so that
nobody draws again until it passes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real

import numpy as np

from loglift.certify.certificate import SensitiveTable
from loglift.confidence.lifts import excess_bound
from loglift.confidence.outlook import outlook
from loglift.confidence.planning import Candidate, Plan, candidates
from loglift.confidence.population import Choice, Population, alpha_of, population_of
from loglift.confidence.split import Parts, everywhere, home, parts_of
from loglift.errors import InputError, UnsafeError
from loglift.joint import IntArray, Joint
from loglift.measures.entropy import entropy
from loglift.mechanism.mechanism import Mechanism, partition_mechanism
from loglift.mechanism.recoding import Recoding
from loglift.merging.merge import SEARCHING, Method, merge
from loglift.promise.bound import Bound
from loglift.promise.integers import exactly_safe
from loglift.release.learning import Protected, blocks_of, learn
from loglift.report.words import limit_of, rounded_up
from loglift.sparse import block_sums, dense

CHOOSE_SHARE = 0.4  # of the records choose, by default
ITERATIONS = 300  # of search at most, for each of the many partitions that are tried


def learn_certified(
    counts: Joint,
    bound: Bound,
    *,
    confidence: float,
    choose_share: float = CHOOSE_SHARE,
    method: Method = "search",
    min_count: int | None = None,
    each: bool = False,
    bins: Mapping[str, float] | None = None,
) -> Protected:
    """Choose, name, check and certify the merging for counts; the result has no table yet.

    Arguments are those of `protect`. Raises `UnsafeError` when nothing but a single released
    value can be certified, with how many records or what bound it would take.
    """
    alpha_of(confidence)
    number = isinstance(choose_share, Real) and not isinstance(choose_share, bool)
    if not number or not 0 < choose_share < 1:
        raise InputError(
            f"choose_share is the share of records that choose, between 0 and 1: {choose_share!r}"
        )
    learning = partial(
        learn,
        counts,
        bound,
        method=method,
        min_count=min_count,
        each=each,
        bins=bins,
    )
    plain = learning()
    seed = int(plain.certificate.counts_sha256[:12], 16)
    parts = parts_of(counts, choose_share, seed, each=each)
    if len(plain.certificate.values) == 1:  # its lifts are one in every population
        passed = [Candidate(_partition(plain.mechanism), bound, 0.0)]
    else:
        passed = _passed(_plan(parts, bound, confidence, method, min_count), parts)
    weight = parts.whole[0].sum(axis=1)
    best = max(passed, key=lambda candidate: entropy(block_sums(weight, candidate.labels)))
    mechanism = partition_mechanism(
        Joint(np.hstack(parts.whole)),
        best.labels,
        bound,
        method=method,
        upper_bound=plain.mechanism.upper_bound,  # what holds without the confidence holds with it
        scope=plain.mechanism.upper_bound_scope,
    )
    other = None if method == "ordered" else home(best.labels, parts)
    result = learning(mechanism=mechanism, unseen=other)
    before, after = plain.certificate.utility, result.certificate.utility
    choice = Choice(
        share=float(choose_share),
        seed=seed,
        records=int(parts.choosing[0].sum()),
        passed=len(passed),
        working=best.working,
        margin=min(bound.lower, bound.upper) - min(best.working.lower, best.working.upper),
        utility_without=before,
        cost=before - after,
    )
    certifying = int(parts.certifying[0].sum())
    found = Population(float(confidence), True, bound.lower, bound.upper, certifying, choice)
    return replace(result, certificate=replace(result.certificate, population=found))


def verify_population(
    recoding: Recoding, counts: Joint, tables: Sequence[SensitiveTable], confidence: float
) -> Population:
    """Certify a mechanism from counts of fresh records, which had no say in it."""
    rows, blocks = blocks_of(recoding, counts), []
    for table in tables:
        sums = np.zeros((recoding.size, table.counts.shape[1]), dtype=np.int64)
        np.add.at(sums, rows, dense(table.counts))
        blocks.append(sums)
    return population_of(blocks, recoding.bound, confidence)


def _plan(
    parts: Parts, bound: Bound, confidence: float, method: Method, min_count: int | None
) -> Plan:
    """What the certificate will have to show, from the choosing records alone.

    `min_count` is asked of the choosing records: the whole table then has it too.
    """
    variables = len(parts.whole)
    choosing, certifying = int(parts.choosing[0].sum()), int(parts.certifying[0].sum())
    if not choosing or not certifying:
        raise UnsafeError(
            f"{choosing + certifying} records are too few to choose with some and certify with "
            "the others: collect more, or leave the confidence out"
        )

    def merged(joint: Joint, working: Bound, least: float) -> IntArray:
        mass = math.ceil(least * variables) or None
        effort = min(ITERATIONS, 2 * len(joint.public)) if method in SEARCHING else None
        return _partition(
            merge(joint, working, method, over="all", min_count=mass, iterations=effort)
        )

    return Plan(
        tables=[table[parts.seen] for table in parts.choosing],
        bound=bound,
        alpha=alpha_of(confidence),
        times=certifying / choosing,
        merge=merged,
        least=min_count or 0,
        neighbours=method == "ordered",
    )


def _passed(plan: Plan, parts: Parts) -> list[Candidate]:
    """Test candidates in their order up to the first that fails; those that may be released."""
    passed = []
    for candidate in candidates(plan):
        labels = everywhere(candidate.labels, parts, runs=plan.neighbours)
        kept = [block_sums(table, labels) for table in parts.certifying]
        if excess_bound(kept, plan.bound, plan.alpha).max() > 0:
            break
        whole = [block_sums(table, labels) for table in parts.whole]
        if all(exactly_safe(table, plan.bound).all() for table in whole):
            passed.append(replace(candidate, labels=labels))
    if not passed:
        raise UnsafeError(_cannot(plan, parts))
    return passed


def _partition(mechanism: Mechanism) -> IntArray:
    if mechanism.labels is None:
        raise TypeError("merge returns partitions")
    return mechanism.labels


def _cannot(plan: Plan, parts: Parts) -> str:
    """Say what cannot be certified, and what would help."""
    records = int(parts.whole[0].sum())
    rarest = min(int(table.sum(axis=0).min()) for table in parts.whole)
    found, would = outlook(plan), []
    if math.isfinite(found.records):
        needed = records * found.records / int(parts.certifying[0].sum())
        would.append(f"about {rounded_up(needed):,.0f} records would do")
    if math.isfinite(found.widening):
        sides = (side + found.widening for side in (plan.bound.lower, plan.bound.upper))
        wider = Bound(*(rounded_up(side) for side in sides))
        would.append(f"about {limit_of(wider)} would do with these")
    helps = ", or ".join(would) or "no number of records like these would do"
    upwards = ", or bounding upwards only," if math.isfinite(plan.bound.lower) else ""
    return (
        f"only a single released value can be certified within {limit_of(plan.bound)} at "
        f"confidence {1 - plan.alpha:.10g} from {records:,} records: {helps}. The rarest sensitive "
        f"value has {rarest:,} record{'' if rarest == 1 else 's'}: grouping rare ones{upwards} "
        "helps too"
    )
