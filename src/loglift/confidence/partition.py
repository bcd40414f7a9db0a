"""Choose a partition that is certified for the population, not only for the table.

The records are split at random. One part chooses candidate partitions, the most conservative first.
The other part, which the candidates do not depend on, tests one after the other up to the first
that fails. Each test has error alpha: an unsafe candidate passes with probability at most alpha.

*Why many tests cost nothing.* Let c be the first unsafe candidate in the order. The choosing part
alone decides which one that is. If an unsafe candidate is among those that passed, then c passed,
which has probability at most alpha. So with probability 1 - alpha all candidates that passed are
safe, and any of them may be released, by whatever rule: here the one that keeps most among those
that are also safe exactly for the whole table. The statement is about the bound itself, not about
the tighter working bound.

The seed of the split is to come from the hash of the counts: then the same table always gets the
same answer, and nobody can split again until it passes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import cast

from loglift.confidence.candidates import Candidate, Plan, candidates
from loglift.confidence.outlook import outlook
from loglift.confidence.population import Choice, Population, alpha_of
from loglift.confidence.split import Split, extended, largest_block, split
from loglift.confidence.swings import excess_bound
from loglift.confidence.variables import Counts, counts_of
from loglift.errors import UnsafeError
from loglift.joint import IntArray, Joint
from loglift.measures.entropy import entropy
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.merge import SEARCHING, Method, merge
from loglift.promise.bound import Bound
from loglift.promise.integers import exactly_safe
from loglift.sparse import block_sums

_MAX_ITERATIONS = 300  # of search, for each of the many partitions that are tried


@dataclass(frozen=True, eq=False)
class CertifiedPartition:
    """A partition that is certified for the population.

    `labels` are the block numbers of the public values. `unseen` is the block of values that the
    table does not have, None for runs of an ordered column. `population` is what is certified.
    """

    labels: IntArray
    unseen: int | None
    population: Population


@dataclass(frozen=True)
class Uncertified:
    """Only a single released value can be certified; what would change that, by an estimate.

    Attributes
    ----------
    bound, confidence, records
        What was asked for, and the number of records.
    records_of_rarest
        The number of records with the rarest sensitive value.
    records_needed
        About how many records would be enough; infinite if no number is.
    widening
        About how much wider, in nats, a bound has to be that these records can certify; infinite
        if there is none.

    """

    bound: Bound
    confidence: float
    records: int
    records_of_rarest: int
    records_needed: float
    widening: float


def certified_partition(
    joint: Joint, plain: Mechanism, *, confidence: float, choose_share: float, seed: int
) -> CertifiedPartition | Uncertified:
    """Choose a partition with one part of the records and certify it with the other.

    Parameters
    ----------
    joint
        The counts of the table, with the joint value of its sensitive columns as one variable.
    plain
        The partition that is released without a confidence. Its bound, method, least number of
        records and sensitive variables (`each`) are those of the result. The choosing records alone
        have to reach the least number; then the table does. A partition of a single block is
        certified as it is: its lifts are one in every population.
    confidence
        1 - alpha, such as 0.95.
    choose_share, seed
        The share of the records that choose, above 0 and below 1, and the seed of the split.

    Raises
    ------
    UnsafeError
        When one of the two parts has no records.

    """
    bound, alpha = plain.bound, alpha_of(confidence)
    records = split(joint, choose_share, seed)
    if plain.each:
        records = records.apart()
    choosing, certifying = counts_of(records.choosing), counts_of(records.certifying)
    whole = [one + other for one, other in zip(choosing, certifying, strict=True)]
    if plain.size == 1:
        passed = [Candidate(plain.partition, bound, 0.0)]
    else:
        plan = _plan(records, choosing, alpha, plain)
        passed = _passed(plan, choosing, certifying, whole)
        if not passed:
            return _uncertified(plan, certifying, whole, confidence)
    weight = whole[0].sum(axis=1)
    best = max(passed, key=lambda candidate: entropy(block_sums(weight, candidate.labels)))
    without = entropy(block_sums(weight, plain.partition))
    choice = Choice(
        share=float(choose_share),
        seed=seed,
        records=int(records.choosing.total),
        passed=len(passed),
        working=best.working,
        margin=min(bound.lower, bound.upper) - min(best.working.lower, best.working.upper),
        utility_without=without,
        cost=without - entropy(block_sums(weight, best.labels)),
    )
    home = largest_block(best.labels, choosing[0].sum(axis=1))
    return CertifiedPartition(
        labels=best.labels,
        unseen=None if plain.method == "ordered" else home,
        population=Population(
            confidence=float(confidence),
            holds=True,
            lower=bound.lower,
            upper=bound.upper,
            records=int(records.certifying.total),
            choice=choice,
        ),
    )


def _plan(records: Split, choosing: Counts, alpha: float, plain: Mechanism) -> Plan:
    """Return what candidates have to show, from the choosing records alone."""
    total, others = int(records.choosing.total), int(records.certifying.total)
    if not total or not others:
        raise UnsafeError(
            f"{total + others} records are too few to choose with some and certify with the "
            "others: collect more, or leave the confidence out"
        )
    method = cast("Method", plain.method)

    def merged(joint: Joint, working: Bound, least: float) -> IntArray:
        effort = min(_MAX_ITERATIONS, 2 * len(joint.public)) if method in SEARCHING else None
        copies = len(joint.variables)  # the mass counts every record this many times
        return merge(
            joint,
            method=method,
            bound=working,
            over="all",
            min_count=math.ceil(least * copies) / copies or None,
            iterations=effort,
        ).partition

    seen = choosing[0].sum(axis=1) > 0
    return Plan(
        variables=[counts[seen] for counts in choosing],
        bound=plain.bound,
        alpha=alpha,
        times=others / total,
        merge=merged,
        least=plain.min_count or 0,
        neighbours=method == "ordered",
    )


def _passed(plan: Plan, choosing: Counts, certifying: Counts, whole: Counts) -> list[Candidate]:
    """Test candidates in their order up to the first that fails; return those to release from.

    Of those that pass, they are the ones that are safe for the whole table in exact arithmetic.
    """
    passed, weight = [], choosing[0].sum(axis=1)
    for candidate in candidates(plan):
        labels = extended(candidate.labels, weight, runs=plan.neighbours)
        blocks = [block_sums(counts, labels) for counts in certifying]
        if excess_bound(blocks, plan.bound, plan.alpha).max() > 0:
            break
        if all(exactly_safe(block_sums(counts, labels), plan.bound).all() for counts in whole):
            passed.append(replace(candidate, labels=labels))
    return passed


def _uncertified(plan: Plan, certifying: Counts, whole: Counts, confidence: float) -> Uncertified:
    """Return what would help where only a single released value can be certified."""
    total, found = int(whole[0].sum()), outlook(plan)
    return Uncertified(
        bound=plan.bound,
        confidence=float(confidence),
        records=total,
        records_of_rarest=min(int(counts.sum(axis=0).min()) for counts in whole),
        records_needed=total * found.records / int(certifying[0].sum()),
        widening=found.widening,
    )
