"""Choose a release that is certified for the population, not only for the table.

The records are split at random. One part chooses candidates, partitions or channels, the most
conservative first. The other part, which the candidates do not depend on, tests one after the other
up to the first that fails; for a channel each of its records draws a released value. Each test has
error alpha: an unsafe candidate passes with probability at most alpha.

*Why many tests cost nothing.* Let c be the first unsafe candidate in the order. The choosing part
alone decides which one that is. If an unsafe candidate is among those that passed, then c passed,
which has probability at most alpha. So with probability 1 - alpha all candidates that passed are
safe, and any of them may be released, by whatever rule: here the one that keeps most among those
that are also safe exactly for the whole table. The statement is about the bound itself, not about
the tighter working bound.

The seed of the split and of the draws is to come from the hash of the counts: then the same table
always gets the same answer, and nobody can split or draw again until it passes. These draws are not
those of the release: nobody else sees them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from loglift.confidence.candidates import Candidate, Demand, candidates
from loglift.confidence.outlook import outlook
from loglift.confidence.population import Choice, Population, alpha_of
from loglift.confidence.proposal import Blocks, Draws, Proposal
from loglift.confidence.split import Split, split
from loglift.confidence.swings import excess_bound
from loglift.confidence.uncertified import Uncertified
from loglift.confidence.variables import Counts, counts_of
from loglift.errors import UnsafeError
from loglift.joint import FloatArray, IntArray, Joint
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.merge import SEARCHING, Method, merge
from loglift.merging.problem import Problem
from loglift.promise.bound import Bound
from loglift.promise.integers import exactly_safe
from loglift.randomizing.cost import Cost
from loglift.randomizing.optimum import Options, optimum
from loglift.randomizing.tidying import channel_of, put_together
from loglift.sparse import dense

_MAX_ITERATIONS = 300  # of search, for each of the many partitions that are tried
_MAX_ROUNDS = 30  # of column generation, for each of the channels that are tried
_EFFORT = 0.02  # of the effort of `randomize`, for each of them


@dataclass(frozen=True, eq=False)
class Certified:
    """A partition or a channel of the public values that is certified for the population.

    `unseen` is the released value of public values that the table does not have, None for runs of
    an ordered column. `population` is what is certified.
    """

    proposal: Proposal
    unseen: int | None
    population: Population


def certified(
    joint: Joint, plain: Mechanism, *, confidence: float, choose_share: float, seed: int
) -> Certified | Uncertified:
    """Choose what to release with one part of the records and certify it with the other.

    Parameters
    ----------
    joint
        The counts of the table, with the joint value of its sensitive columns as one variable.
    plain
        The mechanism that is released without a confidence: a partition, or a channel. Its bound,
        method, least number of records and sensitive variables (`each`) are those of the result.
        The choosing records alone have to reach the least number; then the table does. A single
        released value is certified as it is: its lifts are one in every population.
    confidence
        1 - alpha, such as 0.95.
    choose_share, seed
        The share of the records that choose, above 0 and below 1, and the seed of the split. The
        candidates draw with the seeds that follow it.

    Raises
    ------
    UnsafeError
        When one of the two parts has no records.

    """
    bound, alpha = plain.bound, alpha_of(confidence)
    records = split(joint, choose_share, seed)
    sides = records.apart() if plain.each else records
    choosing, certifying = counts_of(sides.choosing), counts_of(sides.certifying)
    whole = [one + other for one, other in zip(choosing, certifying, strict=True)]
    alone = _proposal(plain)
    if plain.size == 1:
        passed = [Passed(Candidate(alone, bound, 0.0), seed + 1)]
    else:
        demand = _demand(records, choosing, alpha, plain)
        passed = _passed(demand, choosing, records.certifying, whole, seed, each=plain.each)
        if not passed:
            return _uncertified(demand, certifying, whole, confidence)
    weight = whole[0].sum(axis=1)
    chosen = max(passed, key=lambda each: each.candidate.proposal.utility(weight))
    best, without = chosen.candidate, alone.utility(weight)
    choice = Choice(
        share=float(choose_share),
        seed=seed,
        records=int(records.choosing.total),
        passed=len(passed),
        working=best.working,
        margin=min(bound.lower, bound.upper) - min(best.working.lower, best.working.upper),
        utility_without=without,
        cost=without - best.proposal.utility(weight),
    )
    home = best.proposal.home(choosing[0].sum(axis=1))
    return Certified(
        proposal=best.proposal,
        unseen=None if plain.method == "ordered" else home,
        population=Population(
            confidence=float(confidence),
            holds=True,
            lower=bound.lower,
            upper=bound.upper,
            records=int(records.certifying.total),
            choice=choice,
            draw_seed=None if plain.labels is not None else chosen.seed,
        ),
    )


def _demand(records: Split, choosing: Counts, alpha: float, plain: Mechanism) -> Demand:
    """Return what candidates have to show, from the choosing records alone."""
    total, others = int(records.choosing.total), int(records.certifying.total)
    if not total or not others:
        raise UnsafeError(
            f"{total + others} records are too few to choose with some and certify with the "
            "others: collect more, or leave the confidence out"
        )
    method = cast("Method", "search" if plain.labels is None else plain.method)

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
    return Demand(
        variables=[counts[seen] for counts in choosing],
        bound=plain.bound,
        alpha=alpha,
        times=others / total,
        merge=merged,
        least=plain.min_count or 0,
        neighbours=method == "ordered",
        draw=drawn_within if plain.labels is None else None,
    )


def drawn_within(joint: Joint, bound: Bound, leasts: Sequence[float]) -> Iterator[FloatArray]:
    """Yield channels p(y|x) within a bound, one for each least number of expected records.

    The number of rounds is limited, and proofs take little: the answer does not depend on time.
    """
    problem, p = Problem.of(dense(joint.scaled), bound), joint.p_public
    best = optimum(problem, Options(rounds=_MAX_ROUNDS, share=_EFFORT))
    for least in leasts:
        kept = put_together(best.channel.T * p, Cost.joint(p.size), least / joint.total)
        yield channel_of(kept)


@dataclass(frozen=True, eq=False)
class Passed:
    """A candidate that passed its test, for all public values, and the seed of its draws."""

    candidate: Candidate
    seed: int


def _passed(
    demand: Demand, choosing: Counts, certifying: Joint, whole: Counts, seed: int, *, each: bool
) -> list[Passed]:
    """Test candidates in their order up to the first that fails; return those to release from.

    Of those that pass, they are the ones that are safe for the whole table, and have the least
    number of records there, in exact arithmetic.
    """
    passed, weight = [], choosing[0].sum(axis=1)
    for number, candidate in enumerate(candidates(demand), start=1):
        proposal = candidate.proposal.extended(weight, runs=demand.neighbours)
        shown = proposal.shown(certifying, seed + number)
        blocks = counts_of(shown.apart() if each else shown)
        if excess_bound(blocks, demand.bound, demand.alpha).max() > 0:
            break
        released = [proposal.in_whole_numbers(counts) for counts in whole]
        enough = released[0].sum(axis=1).min() >= demand.least * proposal.denominator
        if enough and all(exactly_safe(counts, demand.bound).all() for counts in released):
            passed.append(Passed(replace(candidate, proposal=proposal), seed + number))
    return passed


def _proposal(mechanism: Mechanism) -> Proposal:
    """Return the partition or the channel of a mechanism."""
    if mechanism.exact_channel is None:
        return Blocks(mechanism.partition)
    return Draws(mechanism.exact_channel.numerators())


def _uncertified(
    demand: Demand, certifying: Counts, whole: Counts, confidence: float
) -> Uncertified:
    """Return what would help where only a single released value can be certified."""
    total, found = int(whole[0].sum()), outlook(demand)
    return Uncertified(
        bound=demand.bound,
        confidence=float(confidence),
        records=total,
        records_of_rarest=min(int(counts.sum(axis=0).min()) for counts in whole),
        records_needed=total * found.records / int(certifying[0].sum()),
        widening=found.widening,
    )
