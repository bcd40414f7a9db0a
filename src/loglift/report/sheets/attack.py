"""Sheets of what an attacker can: guessing, readers who know more, single public values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from loglift.display.numbers import percent
from loglift.readers.attack import (
    AttackReading,
    CountingReading,
    LearningReading,
    ValueCounting,
)
from loglift.readers.context import ContextReading
from loglift.readers.evaluation import Evaluation
from loglift.readers.minimality import CALLED_SHARE, EXACTLY, MinimalityReading
from loglift.report.sentences.evaluation import moved_by
from loglift.report.sheets.sheet import (
    THREE,
    Sheet,
    allowed_words,
    three_factors,
    three_numbers,
    three_shares,
)
from loglift.report.words import event_words, listed, number_of

MAX_READERS = 8  # on a sheet: those to whom most is told
MAX_VALUES = 8  # with bounds of their own, on a sheet: those nearest to their limits


def attack_sheet(attack: AttackReading, found: Evaluation) -> Sheet:
    """Return how far belief moves, by counting and by a model, and what the bound allows."""
    counting, name = attack.counting, ", ".join(attack.sensitive)
    rows = [
        *_belief_rows("by counting", "of belief", counting, counting),
        ("records outside the bound", *three_shares(counting.outside), percent(0.0)),
    ]
    for value in _nearest(counting.by_value):
        rows += _belief_rows(event_words(value.sensitive), "", value, value)
    for learning, of in (
        (attack.learning, ""),
        (attack.learning_beside, " with passthrough"),
        (attack.learning_knowing, " that knows more"),
    ):
        rows += [] if learning is None else _learning(learning, of)
    return Sheet(
        f"Guessing {name}",
        f"By counting: p({name} | released value) against p({name}), which is what the bound "
        "limits. The model is the same learner, which knows the sensitive values of half of the "
        "records and guesses those of the others; the shares alone have gain 0 and AUC 0.5. Its "
        "beliefs may be wrong, and no bound holds for them.",
        ("", *THREE, "allowed"),
        tuple(rows),
        tuple(_attack_notes(attack, found)),
        is_attack=True,
    )


def _attack_notes(attack: AttackReading, found: Evaluation) -> Iterator[str]:
    values = len(attack.counting.by_value)
    if values > MAX_VALUES:
        yield (
            f"Of {values:,} values with limits of their own, the {MAX_VALUES} nearest to their "
            "limits are here; all are in --json."
        )
    if attack.learning_knowing is not None:
        knows = [*found.known]
        if found.given:
            knows.append(number_of(len(found.given), "earlier release"))
        yield (
            f"Model that knows more: from {listed(knows)} as well. Shuffled is what it guesses "
            "from that alone."
        )
    if found.not_given:
        yield (
            f"The release was made together with {number_of(found.not_given, 'earlier release')} "
            "that --given did not name: what readers of both can learn is not measured."
        )
    if attack.learning_beside is not None:
        yield (
            f"With passthrough: from {listed(found.passthrough)} as well, which are released as "
            "they are; the bound does not cover them."
        )


def _nearest(values: Sequence[ValueCounting]) -> Sequence[ValueCounting]:
    """Return some sensitive values with limits of their own, the nearest to its limit first."""

    def used(moved: float, allowed: float) -> float:
        if math.isinf(allowed):
            return 0.0
        room = math.log(allowed)
        return math.log(moved) / room if room else math.inf

    def nearness(value: ValueCounting) -> float:
        return max(
            used(value.rise.released, value.allowed_rise),
            used(value.fall.released, value.allowed_fall),
        )

    return sorted(values, key=nearness, reverse=True)[:MAX_VALUES]


def readers_sheet(attack: AttackReading) -> Sheet:
    """Return what those readers who know more learn to whom most is told."""
    name, counting = ", ".join(attack.sensitive), attack.counting
    rows: list[tuple[str, ...]] = []
    for reading in sorted(attack.readers, key=moved_by, reverse=True)[:MAX_READERS]:
        who, promised = reading.readers, percent(0.0) if reading.promised else "not promised"
        rows += [
            *_belief_rows(who, "of belief", reading, counting),
            (f"{who}: records outside the bound", *three_shares(reading.outside), promised),
            (f"{who}: guessed right", *three_shares(reading.right), ""),
        ]
    more = len(attack.readers) - MAX_READERS
    return Sheet(
        f"What readers who know more learn about {name}",
        f"By counting: p({name} | released value, what they know) against p({name} | known "
        f"columns), and against p({name}) for readers of earlier releases who know no column. "
        "Guessed right: the records whose likeliest value is the true one. Shuffled columns tell "
        "nothing: that is what these readers believe without the release.",
        ("", *THREE, "allowed"),
        tuple(rows),
        (f"{more:,} more combinations of what readers know are in --json.",) if more > 0 else (),
        is_attack=True,
    )


def _belief_rows(
    who: str,
    what: str,
    moved: CountingReading | ValueCounting | ContextReading,
    allowed: CountingReading | ValueCounting,
) -> list[tuple[str, ...]]:
    """Return how far belief rises and falls at most, and how far it may."""
    rise, fall = (f"{who}: largest {way} {what}".rstrip() for way in ("rise", "fall"))
    return [
        (rise, *three_factors(moved.rise), allowed_words(allowed.allowed_rise)),
        (fall, *three_factors(moved.fall), allowed_words(allowed.allowed_fall)),
    ]


def _learning(learning: LearningReading, of: str) -> list[tuple[str, ...]]:
    return [
        (f"model{of}: gain (nats)", *three_numbers(learning.gain), ""),
        (f"model{of}: AUC", *three_numbers(learning.auc), ""),
        (f"model{of}: largest factor believed", *three_factors(learning.moved), ""),
    ]


def minimality_sheet(attack: AttackReading, found: Evaluation) -> Sheet:
    """Return what the mechanism tells about p(s|x) of single public values."""
    reading, name = attack.minimality, ", ".join(attack.sensitive)
    known = "p(x), p(s), the bound and mechanism.json"
    if found.sensitive_released:
        known += ", and p(s|y), as the sensitive columns are released"
    shares: Mapping[str, str] = {
        "some p(s|x) cannot be p(s)": "not_prior",
        "some p(s|x) must be 0": "ruled_out",
        "p(s|x) must be outside the bound": "outside",
        f"p(s|x) is known to {EXACTLY}": "worked_out",
    }
    widths = {
        "narrowest range of p(s|x)": "narrowest",
        "mean range": "mean_width",
        "widest range": "widest",
    }
    told = (reading.published, reading.optimal)
    rows = [(text, *(percent(getattr(of, key)) for of in told)) for text, key in shares.items()]
    rows += [(text, *(f"{getattr(of, key):.3f}" for of in told)) for text, key in widths.items()]
    return Sheet(
        f"What the mechanism tells about {name} of single public values",
        f"The range of p(s|x), the share of a value of {name} among the records of one public "
        f'value, that fits {known}; shares are of the records. "If optimal" also takes the '
        "mechanism for the best there is.",
        ("", "from the files", "if optimal"),
        tuple(rows),
        tuple(_minimality_notes(reading, found)),
        is_attack=True,
    )


def _minimality_notes(reading: MinimalityReading, found: Evaluation) -> Iterator[str]:
    true = percent(reading.optimal_true)
    if found.known or found.given or found.not_given:
        yield "What follows from what readers know besides is not part of these ranges."
    if not found.bound.is_plain and found.shows == "random values":
        yield (
            "With bounds of single sensitive values more may follow: each value is looked at on "
            "its own."
        )
    if found.shows == "random values":
        yield (
            "If optimal: the attacker knows which released values are on the bound, and on which "
            f"side. {true} of those that stand for several public values are."
        )
        if reading.records < 1:
            yield f"Public values with {percent(reading.records)} of the records were looked at."
        return
    yield (
        "If optimal: no value could have left its block, so that it or the rest of its block is "
        f"outside the bound. This is true of {true} of the merged records."
    )
    if found.shows == "values":
        yield (
            "All this needs mechanism.json: the released table does not name the values that were "
            "exchanged."
        )
    calls = reading.calls
    if calls is not None and calls.called:
        yield (
            f"To call a merged value high-risk that has at most 1/{CALLED_SHARE} of its block's "
            f"records is right for {percent(calls.right)} of {number_of(calls.called, 'value')}. "
            f"Guessing is right for {percent(calls.guessing)}, to call as many values with the "
            f"fewest records for {percent(calls.fewest)}."
        )
