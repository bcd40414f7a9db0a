"""The check of a mechanism against the counts of a table, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.certify.certificate import (
    Belief,
    Certificate,
    ReaderCheck,
)
from loglift.certify.digest import hash_counts
from loglift.certify.readers import check_reader
from loglift.certify.recount import kept_information, largest_log_lifts, released_counts
from loglift.certify.released_values import ReleasedValues
from loglift.errors import UnsafeError
from loglift.joint import IntArray, Joint
from loglift.measures.entropy import entropy, nmil
from loglift.mechanism.kept import goal_name, goal_words, kept_of
from loglift.mechanism.mechanism import Mechanism
from loglift.promise.bound import Bound, bounded_values
from loglift.promise.integers import DENOMINATOR, exactly_safe
from loglift.promise.knowledge import Knowledge, Released
from loglift.sparse import take_columns, take_rows


def certify(mechanism: Mechanism, joint: Joint, knowledge: Sequence[Knowledge] = ()) -> Certificate:
    """Check a mechanism against the counts of a table, all sensitive variables, exactly.

    `knowledge` is that of readers who know more, to whom the bound is to be kept as well.

    Public values that the mechanism does not know belong to its block of unseen ones. The
    certificate says what is proven about the mechanism where that has figures.
    """
    rows = mechanism.rows_in(joint)
    mass = released_counts(mechanism, joint.mass, rows)
    counts = mass if joint.survey is None else released_counts(mechanism, joint.counts, rows)
    scale = 1 if mechanism.exact_channel is None else DENOMINATOR
    sizes = np.asarray(take_columns(counts, np.arange(joint.variables[0].stop)).sum(axis=1))
    released = np.flatnonzero(sizes)
    limits = mechanism.bound.on(joint)
    safe = exactly_safe(take_rows(mass, released), limits)
    enough = sizes[released] >= (mechanism.min_count or 0) * scale
    among = bounded_values(limits)
    worst = largest_log_lifts(take_rows(mass, released), among)
    values = _released_values(mechanism, joint, released, worst, sizes, safe & enough)
    unweighted = None
    if joint.survey is not None:
        unweighted = float(np.abs(largest_log_lifts(take_rows(counts, released), among)[1]).max())
    before, utility = entropy(joint.weight), kept_information(mechanism, joint.weight, rows)
    readers = tuple(_checked_readers(mechanism, joint, rows, knowledge))
    holds = bool(values.safe.all()) and all(reader.holds for reader in readers)
    figures, goal = mechanism.figures, mechanism.goal
    kept = kept_of(joint, mechanism, with_goal=figures is not None)
    return Certificate(
        holds=holds,
        sensitive=mechanism.sensitive_names,
        public=mechanism.column_names,
        bins={**mechanism.bins, **{c.name: c.bin for c in mechanism.beside if c.bin}},
        bound=mechanism.bound,
        method=mechanism.method,
        each=mechanism.each,
        weights=mechanism.weights,
        both=mechanism.both,
        min_count=mechanism.min_count,
        intact=mechanism.intact,
        records=int(sizes.sum()) // scale,
        public_values=len(rows),
        leakage=values.leakage,
        unweighted_leakage=unweighted,
        entropy=before,
        utility=utility,
        nmil=nmil(utility, before),
        goal=None if figures is None else goal_name(goal),
        goal_words=None if figures is None else goal_words(goal, joint),
        goal_kept=None if figures is None else figures.utility,
        goal_most=None if figures is None else before if goal.is_joint else goal.most(joint),
        upper_bound=None if figures is None else figures.most.value,
        upper_bound_scope=None if figures is None else figures.most.scope,
        counts_sha256=hash_counts(joint),
        values=values,
        columns=kept.columns,
        rows_unchanged=kept.rows_unchanged,
        targets=kept.targets,
        importance={} if figures is None else goal.importance,
        drawn=mechanism.exact_channel is not None,
        show="groups" if mechanism.shares is None else "values",
        beliefs=tuple(_beliefs(mechanism.bound, joint)) if holds else (),
        combined=mechanism.combined,
        known=mechanism.known_names,
        given=mechanism.given,
        readers=readers,
    )


def certify_written(
    mechanism: Mechanism, joint: Joint, knowledge: Sequence[Knowledge] = ()
) -> Certificate:
    """Check what is about to be released: the mechanism as its file says it, on the counts.

    Raises `UnsafeError` where it does not hold, or where its file says something else.
    """
    written = Mechanism.from_json(mechanism.to_json())
    # The file says neither what is proven nor what the goal was.
    told = replace(written, figures=mechanism.figures, goal=mechanism.goal)
    certificate = certify(told, joint, knowledge)
    same = written.unseen == mechanism.unseen and _within_groups(written, mechanism.groups)
    if not (same and certificate.holds and certificate.records == joint.records.sum()):
        raise UnsafeError(
            "the release failed its exact check, so nothing is released: please report this"
        )
    return certificate


def _within_groups(mechanism: Mechanism, groups: IntArray | None) -> bool:
    """Whether every released value stands for values of one group only."""
    if groups is None:
        return True
    channel = mechanism.exact_channel
    if channel is None:
        labels = mechanism.partition
    else:
        groups = np.repeat(groups, [len(row) for row in channel.rows])
        labels = np.array([y for row in channel.rows for y, _ in row])
    pairs = np.unique(np.stack([labels, groups]), axis=1)
    return bool(pairs.shape[1] == mechanism.size)


def _checked_readers(
    mechanism: Mechanism, joint: Joint, rows: IntArray, knowledge: Sequence[Knowledge]
) -> Iterator[ReaderCheck]:
    """Check what readers who know more are told; `rows` are those of the mechanism."""
    for each in knowledge:
        if mechanism.exact_channel is None:
            released = Released(rows)
        else:
            released = Released.of_channel(mechanism.exact_channel.cells().take(rows))
        yield check_reader(each, released, mechanism.bound, joint, mechanism.released)


def _beliefs(bound: Bound, joint: Joint) -> Iterator[Belief]:
    """Yield what a reader may believe about every value of every sensitive variable."""
    limits = bound.on(joint)
    before = joint.prior / joint.total
    for variable in joint.variables:
        for s in range(variable.start, variable.stop):
            prior = float(before[s])
            if isinstance(limits, Bound):
                ends = limits.belief_range(prior)
            else:
                ends = limits.belief_range(before[variable.place], s - variable.start, variable)
            yield Belief(joint.event(s), prior, *ends)


def _released_values(
    mechanism: Mechanism,
    joint: Joint,
    released: IntArray,
    worst: tuple[IntArray, NDArray[np.float64]],
    sizes: NDArray[Any],
    safe: NDArray[np.bool_],
) -> ReleasedValues:
    """Describe every released value by its largest log-lift, over all sensitive variables."""
    records = sizes[released].tolist()
    if mechanism.exact_channel is not None:
        records = [round(Fraction(size, DENOMINATOR)) for size in records]
    return ReleasedValues(
        columns=mechanism.released,
        numbers=released,
        records=records,
        events=[joint.event(s) for s in range(len(joint.sensitive))],
        places=worst[0],
        logs=worst[1],
        safe=safe,
    )
