"""Attacks: what a reader of the release learns about the sensitive columns of single records.

Three attacks on each sensitive variable:

- counting: p(s|y) of every released value y, as the mechanism makes it on the counts of the table,
  against p(s). This is what the bound limits. Readers who know more count what they know, too
  (`loglift.readers.context`).
- learning: the learner, trained on the sensitive values of half of the records, guesses those of
  the other half from what is released. Its beliefs may be wrong, and the bound does not limit them.
- minimality: what the mechanism itself tells (`loglift.readers.minimality`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loglift.joint import FloatArray
from loglift.promise.bound import Bound
from loglift.promise.limits import Limits
from loglift.readers.compared import Compared
from loglift.readers.context import ContextReading
from loglift.readers.learner import (
    Sight,
    Split,
    Target,
    is_learnable,
    prior_of,
    probabilities,
)
from loglift.readers.minimality import MinimalityReading
from loglift.readers.scores import area_under_curve, largest_factor, log_loss_gain


@dataclass(frozen=True)
class ValueCounting:
    """The largest factors by which belief in one sensitive value moves, and what its bound allows.

    `sensitive` is the value, `rise` and `fall` are max p(s|y)/p(s) and max p(s)/p(s|y), and the
    factors that are allowed are infinite where the value is not bounded.
    """

    sensitive: Any
    rise: Compared
    fall: Compared
    allowed_rise: float
    allowed_fall: float


@dataclass(frozen=True)
class CountingReading:
    """The largest factors by which belief in a sensitive value moves, by counting.

    Attributes
    ----------
    rise, fall
        max p(s|y)/p(s), and max p(s)/p(s|y), over released values y that records have; infinite
        where a released value rules a sensitive one out. Those of a shuffled table are 1: shuffled
        columns say nothing about S.
    allowed_rise, allowed_fall
        e^upper and e^lower, what the bound allows; None where single sensitive values have bounds
        of their own.
    outside
        The share of the records whose value is outside the bound; of a random release, expected.
    by_value
        Each sensitive value, where they have bounds of their own; else empty.

    """

    rise: Compared
    fall: Compared
    allowed_rise: float | None
    allowed_fall: float | None
    outside: Compared
    by_value: tuple[ValueCounting, ...] = ()


@dataclass(frozen=True)
class LearningReading:
    """How well the learner guesses a sensitive variable; the prior alone has gain 0 and AUC 0.5.

    Attributes
    ----------
    columns
        The columns it guesses from.
    trained, tested
        The numbers of records.
    gain
        By how many nats the log-loss is less than with p(s) alone.
    auc
        The area under the ROC curve, each value against the others, weighted by their records.
    moved
        The largest factor, up or down, between the probability that the learner gives a sensitive
        value of a tested record and the share of that value.

    """

    columns: tuple[str, ...]
    trained: int
    tested: int
    gain: Compared
    auc: Compared
    moved: Compared


@dataclass(frozen=True)
class AttackReading:
    """What attacks tell about one sensitive variable.

    Attributes
    ----------
    sensitive
        The names of its columns.
    counting
        Beliefs by counting: what the bound limits.
    learning
        The learner, from the protected columns; None where it has nothing to learn from.
    learning_beside
        The same from these and the columns that are released as they are, which the bound does not
        cover; None without any.
    minimality
        What the mechanism tells about single public values.
    readers
        Beliefs by counting of readers who know more, or who read earlier releases, too.
    learning_knowing
        The learner, from the protected columns and all that these readers know; `.shuffled` is
        what it guesses from the latter alone. None without such readers.

    """

    sensitive: tuple[str, ...]
    counting: CountingReading
    learning: LearningReading | None
    learning_beside: LearningReading | None
    minimality: MinimalityReading
    readers: tuple[ContextReading, ...] = ()
    learning_knowing: LearningReading | None = None


def counting_reading(
    mass: FloatArray, shown: FloatArray, bound: Bound | Limits, sensitive: Sequence[Any] = ()
) -> CountingReading:
    """Compare n(s,x) of the table and n(s,y) of the release with p(s).

    `sensitive` are the sensitive values, for those that have limits of their own.
    """
    rises, falls, outside = [], [], []
    prior = mass.sum(axis=0) / mass.sum()
    for table in (mass, shown):
        known = table[table.sum(axis=1) > 0]
        weight = known.sum(axis=1)
        lifts = known / weight[:, np.newaxis] / prior
        rises.append(lifts.max(axis=0))
        with np.errstate(divide="ignore"):
            falls.append(1 / lifts.min(axis=0))
        safe = bound.is_safe(known, weight[:, np.newaxis] * prior)
        outside.append(float(weight[~safe].sum() / weight.sum()))
    with np.errstate(over="ignore"):
        allowed_rise, allowed_fall = np.exp(bound.upper), np.exp(bound.lower)
    plain = isinstance(bound, Bound)
    values = () if plain else range(prior.size)
    return CountingReading(
        rise=Compared(float(rises[0].max()), float(rises[1].max()), 1.0),
        fall=Compared(float(falls[0].max()), float(falls[1].max()), 1.0),
        allowed_rise=float(allowed_rise) if plain else None,
        allowed_fall=float(allowed_fall) if plain else None,
        outside=Compared(outside[0], outside[1], 0.0),
        by_value=tuple(
            ValueCounting(
                sensitive=sensitive[s],
                rise=Compared(float(rises[0][s]), float(rises[1][s]), 1.0),
                fall=Compared(float(falls[0][s]), float(falls[1][s]), 1.0),
                allowed_rise=float(allowed_rise[s]),
                allowed_fall=float(allowed_fall[s]),
            )
            for s in values
        ),
    )


def learning_reading(
    target: Target, split: Split, sights: Sequence[Sight], seed: int, columns: Sequence[str]
) -> LearningReading | None:
    """Guess a sensitive variable from the original, the release and the trivial release."""
    if not is_learnable(target, split):
        return None
    truth, prior = target.values[split.test], prior_of(target, split)
    found = [probabilities(target, split, sight, seed) for sight in sights]
    return LearningReading(
        columns=tuple(columns),
        trained=split.train.size,
        tested=split.test.size,
        gain=Compared(*(log_loss_gain(truth, p, prior) for p in found)),
        auc=Compared(*(area_under_curve(truth, p) for p in found)),
        moved=Compared(*(largest_factor(p, prior) for p in found)),
    )
