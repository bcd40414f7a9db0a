"""An evaluation as sheets of figures and sentences: the same for terminal, page and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loglift.readers.attack import AttackReading, LearningReading, ValueCounting
from loglift.readers.compared import Compared
from loglift.readers.context import ContextReading
from loglift.readers.evaluation import Evaluation
from loglift.readers.learner import ModelReading
from loglift.readers.minimality import CALLED_SHARE, EXACTLY, MinimalityReading
from loglift.readers.pairs import PairReading
from loglift.readers.queries import QueryErrors
from loglift.report.sentences.statement import Statement
from loglift.report.words import (
    event_words,
    limit_of,
    listed,
    number_of,
    percent,
    percent_up,
    rounded_up,
)

TITLE = "What readers can do with it, and what an attacker can"
MAX_PAGE_PAIRS = 20
MAX_READERS = 8  # on a sheet: those to whom most is told
MAX_VALUES = 8  # with bounds of their own, on a sheet: those nearest to their limits
THREE = ("original", "released", "shuffled")
_WORST_PRINTED = 1e4  # a larger factor is printed as a power of ten
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Sheet:
    """A table of figures: its title, how they are measured, and what to know besides.

    The first cell of a row names it. `is_attack` tells what an attacker can from what readers can.
    """

    title: str
    says: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    is_attack: bool = False


def sheets_of(found: Evaluation, *, pairs: int) -> tuple[Sheet, ...]:
    """Return all sheets of an evaluation; that of the pairs has as many lines as `pairs`."""
    sheets = [_columns(found)]
    if found.pairs:
        sheets.append(_pairs(found.pairs, pairs))
    sheets.append(_queries(found.queries))
    if found.models:
        sheets.append(_models(found))
    for attack in found.attacks:
        sheets.append(_attack(attack, found))
        if attack.readers:
            sheets.append(_readers(attack))
        sheets.append(_minimality(attack, found))
    return tuple(sheets)


def evaluation_statements(found: Evaluation) -> tuple[Statement, ...]:
    """Return in a few sentences what readers can do, and what an attacker can."""
    return (_of_readers(found), *(_of_attacker(attack) for attack in found.attacks))


def evaluation_parts(found: Evaluation) -> dict[str, Any]:
    """Return what the section of an evaluation shows on the page of a release."""
    return {
        "sheets": {"evaluation": sheets_of(found, pairs=MAX_PAGE_PAIRS)},
        "lead": {"evaluation": made_words(found)},
        "evaluated": evaluation_statements(found),
    }


def made_words(found: Evaluation) -> str:
    """Say what was evaluated, and on how many records."""
    sample = ""
    if found.evaluated < found.records:
        sample = f", a random sample of {found.evaluated:,} of them evaluated"
    return (
        f"{number_of(found.records, 'record')}{sample}, {listed(found.public)} released as "
        f"{found.shows} within {limit_of(found.bound)}. Shuffled: each public column shuffled on "
        "its own."
    )


def _columns(found: Evaluation) -> Sheet:
    rows = []
    numbers = any(column.mean is not None for column in found.columns)
    for column in found.columns:
        unchanged = column.unchanged
        row = [
            column.name,
            percent(unchanged.released),
            percent(unchanged.shuffled),
            percent(column.information.released),
        ]
        if numbers:
            mean, shift = column.mean, column.mean_shift
            row += (
                ["", "", ""]
                if mean is None or shift is None
                else [
                    f"{mean.original:,.4g}",
                    f"{mean.released:,.4g}",
                    f"{shift.released:+.3f}",
                ]
            )
        rows.append(tuple(row))
    of_mean = ("mean", "mean released", "shift (sd)") if numbers else ()
    return Sheet(
        "Columns",
        "Cells that show the one value that was there; if shuffled, by chance. Kept is the "
        "information I(X;Y)/H(X): 100 % of the original's, 0 % if shuffled."
        + (
            " Means are those that readers compute, shifts in standard deviations."
            if numbers
            else ""
        ),
        ("column", "unchanged", "if shuffled", "kept", *of_mean),
        tuple(rows),
    )


def _pairs(pairs: Sequence[PairReading], most: int) -> Sheet:
    rows = []
    for pair in pairs[:most]:
        distance = (
            ("", "")
            if pair.distance is None
            else (
                f"{pair.distance.released:.3f}",
                f"{pair.distance.shuffled:.3f}",
            )
        )
        first, *others = _three(pair.association)
        strength = (f"{'r' if pair.measure == 'correlation' else 'V'} {first}", *others)
        rows.append((" x ".join(pair.columns), *distance, *strength))
    more = len(pairs) - most
    return Sheet(
        "Pairs of columns, the worst first",
        "Distance: the share of records that would have to move in the cross-table that readers "
        "get (total variation; 0 in the original). Association: V is Cramer's V, r a correlation.",
        ("columns", "distance", "if shuffled", *THREE),
        tuple(rows),
        (f"{more:,} more pairs are in --json.",) if more > 0 else (),
    )


def _queries(queries: Sequence[QueryErrors]) -> Sheet:
    def row(errors: QueryErrors) -> tuple[str, ...]:
        on = "" if errors.columns is None else f" on {number_of(errors.columns, 'column')}"
        figures = (errors.median, errors.mean, errors.ninety)
        texts = [percent(of) for each in figures for of in (each.released, each.shuffled)]
        return (f"{errors.queries:,}{on}", *texts)

    names = [name for of in ("median", "mean", "90 %") for name in (of, "if shuffled")]
    return Sheet(
        "Count queries",
        "Errors of random counts on one to three columns, in percent of the true count (or of 0.1 "
        "% of the records, if that is more); nine tenths of the queries have at most the one at 90 "
        "%. The original has none.",
        ("queries", *names),
        tuple(map(row, queries)),
    )


def _models(found: Evaluation) -> Sheet:
    rows = []
    for model in found.models:
        rows += [(f"{model.target}: {name}", *_three(of)) for name, of in _scores(model)]
    how = {
        "groups": "tested on the others, rewritten by the mechanism",
        "random values": "tested on the others, drawn by the mechanism",
        "values": "tested on the others as they are in the original",
    }
    return Sheet(
        "Models",
        "Gradient boosting that predicts a column from the public ones, trained on half of the "
        f"records as they are released and {how[found.shows]}. The gain is in nats of log-loss "
        "over the shares of the classes. What to merge was chosen by looking at all records: for a "
        "column that the release was made for (--for), the tested ones fit too well.",
        ("predicted", *THREE),
        tuple(rows),
    )


def _scores(model: ModelReading) -> Iterator[tuple[str, Compared]]:
    for name, score in (("gain", model.gain), ("AUC", model.auc), ("R^2", model.r2)):
        if score is not None:
            yield name, score


def _attack(attack: AttackReading, found: Evaluation) -> Sheet:
    counting, name = attack.counting, ", ".join(attack.sensitive)
    allowed = ("allowed",)
    rows = [
        (
            "by counting: largest rise of belief",
            *_factors(counting.rise),
            _allowed(counting.allowed_rise),
        ),
        (
            "by counting: largest fall of belief",
            *_factors(counting.fall),
            _allowed(counting.allowed_fall),
        ),
        (
            "records outside the bound",
            *(percent(getattr(counting.outside, side)) for side in THREE),
            percent(0.0),
        ),
    ]
    for value in _nearest(counting.by_value):
        words = event_words(value.sensitive)
        rows += [
            (f"{words}: largest rise", *_factors(value.rise), _allowed(value.allowed_rise)),
            (f"{words}: largest fall", *_factors(value.fall), _allowed(value.allowed_fall)),
        ]
    for learning, of in (
        (attack.learning, ""),
        (attack.learning_beside, " with passthrough"),
        (attack.learning_knowing, " that knows more"),
    ):
        rows += [] if learning is None else _learning(learning, of)
    notes = []
    if len(counting.by_value) > MAX_VALUES:
        notes.append(
            f"Of {len(counting.by_value):,} values with limits of their own, the {MAX_VALUES} "
            "nearest to their limits are here; all are in --json."
        )
    if attack.learning_knowing is not None:
        knows = [*found.known]
        if found.given:
            knows.append(number_of(len(found.given), "earlier release"))
        notes.append(
            f"Model that knows more: from {listed(knows)} as well. Shuffled is what it guesses "
            "from that alone."
        )
    if found.not_given:
        notes.append(
            f"The release was made together with {number_of(found.not_given, 'earlier release')} "
            "that --given did not name: what readers of both can learn is not measured."
        )
    if attack.learning_beside is not None:
        notes.append(
            f"With passthrough: from {listed(found.passthrough)} as well, which are released as "
            "they are; the bound does not cover them."
        )
    return Sheet(
        f"Guessing {name}",
        f"By counting: p({name} | released value) against p({name}), which is what the bound "
        "limits. The model is the same learner, which knows the sensitive values of half of the "
        "records and guesses those of the others; the shares alone have gain 0 and AUC 0.5. Its "
        "beliefs may be wrong, and no bound holds for them.",
        ("", *THREE, *allowed),
        tuple(rows),
        tuple(notes),
        is_attack=True,
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


def _readers(attack: AttackReading) -> Sheet:
    name, counting = ", ".join(attack.sensitive), attack.counting
    rows: list[tuple[str, ...]] = []
    for reading in sorted(attack.readers, key=_moved, reverse=True)[:MAX_READERS]:
        who = reading.readers
        rows += [
            (
                f"{who}: largest rise of belief",
                *_factors(reading.rise),
                _allowed(counting.allowed_rise),
            ),
            (
                f"{who}: largest fall of belief",
                *_factors(reading.fall),
                _allowed(counting.allowed_fall),
            ),
            (
                f"{who}: records outside the bound",
                *(percent(getattr(reading.outside, side)) for side in THREE),
                percent(0.0) if reading.promised else "not promised",
            ),
            (
                f"{who}: guessed right",
                *(percent(getattr(reading.right, side)) for side in THREE),
                "",
            ),
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


def _moved(reading: ContextReading) -> tuple[float, float]:
    """Return the share of records outside the bound, and the largest factor of belief."""
    return reading.outside.released, max(reading.rise.released, reading.fall.released)


def _learning(learning: LearningReading, of: str) -> list[tuple[str, ...]]:
    return [
        (f"model{of}: gain (nats)", *_three(learning.gain), ""),
        (f"model{of}: AUC", *_three(learning.auc), ""),
        (f"model{of}: largest factor believed", *_factors(learning.moved), ""),
    ]


def _minimality(attack: AttackReading, found: Evaluation) -> Sheet:
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


def _of_readers(found: Evaluation) -> Statement:
    unchanged = sum(column.unchanged.released for column in found.columns) / len(found.columns)
    every = found.queries[0]
    parts = [
        f"{percent(unchanged)} of the cells are unchanged.",
    ]
    parts.append(
        f"Half of the count queries are off by at most {percent_up(every.median.released)}, nine "
        f"tenths by at most {percent_up(every.ninety.released)}."
    )
    if found.pairs and found.pairs[0].distance is not None:
        worst = found.pairs[0]
        distance = found.pairs[0].distance
        parts.append(
            f"The cross-table of {' and '.join(worst.columns)} is the furthest off: "
            f"{percent(distance.released)} of the records would have to move."
        )
    for model in found.models[:3]:
        name, score = list(_scores(model))[-1]
        parts.append(
            f"A model of {model.target} reaches {name} {score.released:.3f}, on the original "
            f"{score.original:.3f}."
        )
    return Statement("plain", "What readers can do.", " ".join(parts))


def _of_attacker(attack: AttackReading) -> Statement:
    counting, name = attack.counting, ", ".join(attack.sensitive)
    within = counting.outside.released <= _ROUNDING
    parts = [f"By counting, belief in a value of {name} {_moves(counting.rise, counting.fall)}."]
    if not within:
        parts.append(
            f"{percent(counting.outside.released)} of the records show a value outside the bound: "
            "this is not the table that was protected."
        )
    broken = max(attack.readers, key=_moved, default=None)
    if broken is not None:
        parts.append(_of_reader(broken, name))
        broken = broken if broken.outside.released > _ROUNDING else None
    if attack.learning is not None:
        auc = attack.learning.auc
        parts.append(
            f"A model guesses {name} with AUC {auc.released:.3f} from the release, "
            f"{auc.original:.3f} from the original; 0.5 is chance."
        )
    reading = attack.minimality
    if reading.optimal.worked_out > 0:
        parts.append(
            f"Who has mechanism.json and takes it for optimal can work out p(s|x) for public "
            f"values with {percent(reading.optimal.worked_out)} of the records."
        )
    if not within:
        return Statement("bad", "Outside the bound.", " ".join(parts))
    if broken is not None:
        return Statement("bad", f"Outside the bound for {broken.readers}.", " ".join(parts))
    if reading.optimal.worked_out > 0:
        headline = "What an attacker can: within the bound; more with mechanism.json."
        return Statement("plain", headline, " ".join(parts))
    return Statement("good", "What an attacker can: within the bound.", " ".join(parts))


def _of_reader(reading: ContextReading, name: str) -> str:
    """Say what the readers who are told most learn by counting."""
    right = reading.right
    words = (
        f"For {reading.readers}, it {_moves(reading.rise, reading.fall)}; they guess {name} right "
        f"for {percent(right.released)} of the records, for {percent(right.shuffled)} without this "
        "release."
    )
    if reading.outside.released <= _ROUNDING:
        return words
    why = (
        "this is not the table that was protected"
        if reading.promised
        else "the release was not made to be safe for them"
    )
    outside = percent(reading.outside.released)
    return f"{words} {outside} of the records are outside the bound for them: {why}."


def _moves(rise: Compared, fall: Compared) -> str:
    """Say by how much belief rises and falls at most."""
    up = f"rises at most {_at_most(rise.released)}-fold"
    if math.isinf(fall.released):
        return f"{up}, and a value may be ruled out"
    return f"{up} and falls at most {_at_most(fall.released)}-fold"


def _three(figure: Compared) -> tuple[str, str, str]:
    return _decimal(figure.original), _decimal(figure.released), _decimal(figure.shuffled)


def _decimal(number: float) -> str:
    """Return a number with three decimals; one that rounds to zero has no sign."""
    return f"{number:.3f}".replace("-0.000", "0.000")


def _factors(figure: Compared) -> tuple[str, ...]:
    texts = (_factor(getattr(figure, side)) for side in THREE)
    return tuple("ruled out" if text == "inf" else f"{text}-fold" for text in texts)


def _allowed(factor: float | None) -> str:
    if factor is None:
        return "by value"
    return "no limit" if math.isinf(factor) else f"{_factor(factor)}-fold"


def _at_most(factor: float) -> str:
    """Return a factor with three digits, rounded up, so that "at most" stays true."""
    return f"{rounded_up(factor * (1 - _ROUNDING), digits=3):g}"


def _factor(factor: float) -> str:
    if math.isinf(factor):
        return "inf"
    return f"{factor:.1e}" if factor >= _WORST_PRINTED else f"{factor:,.2f}"
