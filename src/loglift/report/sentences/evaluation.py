"""What readers can do with a release, and what an attacker can, in a few sentences."""

from __future__ import annotations

import math

from loglift.display.numbers import percent, percent_up
from loglift.mechanism.words import limit_of
from loglift.readers.attack import AttackReading
from loglift.readers.compared import Compared
from loglift.readers.context import ContextReading
from loglift.readers.evaluation import Evaluation
from loglift.report.sentences.statement import Statement
from loglift.report.words import listed, number_of, rounded_up

_ROUNDING = 1e-9


def evaluation_statements(found: Evaluation) -> tuple[Statement, ...]:
    """Return in a few sentences what readers can do, and what an attacker can."""
    return (_of_readers(found), *(_of_attacker(attack) for attack in found.attacks))


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


def moved_by(reading: ContextReading) -> tuple[float, float]:
    """Return the share of records outside the bound, and the largest factor of belief."""
    return reading.outside.released, max(reading.rise.released, reading.fall.released)


def _of_readers(found: Evaluation) -> Statement:
    unchanged = sum(column.unchanged.released for column in found.columns) / len(found.columns)
    every = found.queries[0]
    parts = [
        f"{percent(unchanged)} of the cells are unchanged.",
        (
            f"Half of the count queries are off by at most {percent_up(every.median.released)}, "
            f"nine tenths by at most {percent_up(every.ninety.released)}."
        ),
    ]
    worst = found.pairs[0] if found.pairs else None
    if worst is not None and worst.distance is not None:
        parts.append(
            f"The cross-table of {' and '.join(worst.columns)} is the furthest off: "
            f"{percent(worst.distance.released)} of the records would have to move."
        )
    for model in found.models[:3]:
        name, score = model.score
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
    broken = max(attack.readers, key=moved_by, default=None)
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


def _at_most(factor: float) -> str:
    """Return a factor with three digits, rounded up, so that "at most" stays true."""
    return f"{rounded_up(factor * (1 - _ROUNDING), digits=3):g}"
