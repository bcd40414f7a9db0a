"""What a release promises, what it does not, and what its file tells."""

from __future__ import annotations

import math
from collections.abc import Sequence

from loglift.display.numbers import exact
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.words import value_words
from loglift.promise.bound import Bound
from loglift.promise.value_bound import ValueBound
from loglift.report.sentences.basis import combined_words
from loglift.report.words import (
    as_one,
    either,
    fold,
    fraction,
    number_of,
    required,
    series,
    whole_words,
)

CHANNEL_NOTE = (
    "Released values are drawn at random: the bound is on what a reader of the table can infer, "
    "and the records of one draw fluctuate. mechanism.json tells more than the table: whoever "
    "knows how common the sensitive values are can work out from p(y|x) and p(x|y) how common they "
    "are among the records of a public value. Never publish it; give it only to those who may know "
    "that."
)
MECHANISM_NOTE = (
    "What mechanism.json tells is not bounded: what to merge was chosen by looking at the "
    "sensitive columns. Whoever knows how many records each public value has can often tell which "
    "values were outside the bound. The released blocks show the same. For figures see 'What the "
    "guarantee means' in the documentation."
)
VALUES_NOTE = (
    "Each record shows a value of its block, drawn at random: next to other columns it is true of "
    "the block only. What mechanism.json tells is not bounded: it shows which values were merged, "
    "and that was chosen by looking at the sensitive columns. The released table does not show it, "
    "unless the sensitive columns are released too. For figures see 'What the guarantee means' in "
    "the documentation."
)


def guaranteed(mechanism: Mechanism, population: str | None) -> tuple[str, ...]:
    """Return what a release promises, a sentence each; `population` is what it promises there."""
    bound, combined, earlier = mechanism.bound, mechanism.combined, len(mechanism.given)
    names, found = ", ".join(mechanism.sensitive_names), []
    whole = whole_words(mechanism.weights)
    names += f" ({as_one(combined)})" if combined else ""
    others = "any other value" if bound.values else "any value"
    if bound.beta is not None:
        found.append(
            f"No released value makes {others} of {names} more than 1 + min({exact(bound.beta)}, "
            f"-log p(s)) times as likely as it is in the {whole}, where p(s) is its share there."
        )
    elif math.isfinite(bound.upper):
        found.append(
            f"No released value makes {others} of {names} more than {fold(bound.upper)} times as "
            f"likely as it is in the {whole}."
        )
    if math.isfinite(bound.lower):
        found.append(
            f"No released value makes {others} of {names} less than {fraction(bound.lower)} times "
            "as likely, and no released value rules one out."
        )
    found += [_value_promise(value) for value in bound.values]
    found += [required(each, names, whole) for each in bound.requirements]
    if combined:
        found.append(combined_words(combined))
    if mechanism.both:
        found.append("The same holds where every record counts the same.")
    if mechanism.known:
        found.append(
            f"The same holds for readers who know {series(mechanism.known_names, 'or')} of a "
            "person, compared with what that tells alone: any of these columns, or several "
            "together."
        )
    if earlier:
        releases = either(earlier, "earlier release", f"{earlier} earlier releases")
        found.append(
            f"Together with the {releases} of the same records it stays within the same limits."
        )
    found.append(
        "This holds for whoever sees the released columns of this table and knows how common each "
        f"sensitive value is in {'it' if mechanism.weights is None else f'the {whole}'}, however "
        "they compute."
    )
    if mechanism.min_count:
        records = number_of(mechanism.min_count, "record")
        if mechanism.exact_channel is not None:
            found.append(
                f"Every released value is expected to be drawn for at least {records}; one draw "
                "may give it fewer."
            )
        else:
            covers = "Every released value" if mechanism.shares is None else "Every block"
            found.append(f"{covers} covers at least {records}.")
    return tuple(found) if population is None else (*found, population)


def _value_promise(value: ValueBound) -> str:
    """Say what is promised of a sensitive value with a bound of its own."""
    name = value_words(value.value)
    sides = []
    if math.isfinite(value.upper):
        sides.append(f"more than {fold(value.upper)} times")
    if math.isfinite(value.lower):
        sides.append(f"less than {fraction(value.lower)} times")
    if not sides:
        return f"Nothing is promised about {name}: it has no bound."
    return f"No released value makes {name} {' or '.join(sides)} as likely."


def known_words(known: Sequence[str], earlier: int) -> str:
    """Name what a bound covers of all that readers know from elsewhere: ", other than town"."""
    releases = [either(earlier, "the earlier release", "the earlier releases")] if earlier else []
    covered = [*known, *releases]
    return f", other than {series(covered)}" if covered else ""


def mechanism_note(mechanism: Mechanism) -> str:
    """Return what the file of a mechanism tells beyond the released table."""
    if mechanism.labels is None:
        return CHANNEL_NOTE
    return MECHANISM_NOTE if mechanism.shares is None else VALUES_NOTE


def not_guaranteed(mechanism: Mechanism, *, population: bool) -> tuple[str, ...]:
    """Return what a release does not promise, a sentence each; the last is about its file.

    `population` tells whether it promises something for the population.
    """
    found = []
    if len(mechanism.sensitive) > 1 and mechanism.each:
        found.append("Combinations of the sensitive columns: each is bounded on its own.")
    found += _open_sides(mechanism.bound, ", ".join(mechanism.sensitive_names))
    for value in mechanism.bound.values:
        name = value_words(value.value)
        if math.isinf(value.lower):
            found.append(f"That no released value rules out {name}: its fall is not bounded.")
        if math.isinf(value.upper):
            found.append(f"That no released value points at {name}: its rise is not bounded.")
    if mechanism.combined:
        columns = series(tuple(mechanism.combined))
        found.append(f"Which of the values of {columns} that count as one a person has.")
    found.append("What columns that are published beside the released ones reveal.")
    if mechanism.given:
        found.append("What further releases of the same people reveal together with this one.")
    else:
        found.append("What a second release of the same people reveals together with this one.")
    covered = known_words(mechanism.known_names, len(mechanism.given))
    found.append(
        f"What a reader knows from elsewhere about a person{covered}, or about the same people."
    )
    if not population:
        found.append(
            "Other tables: the guarantee is for this one. 'loglift verify' checks another."
        )
    return (*found, mechanism_note(mechanism))


def _open_sides(bound: Bound, names: str) -> list[str]:
    """Return what is not promised about values of these columns: sides without a limit."""
    if not bound.bounds_lift:
        words = f"How many times as likely a single value of {names} becomes, and that none is "
        return [f"{words}ruled out: log-lifts are not bounded."]
    sides = {
        f"points at a value of {names}: only falling belief is bounded.": bound.upper,
        f"rules out a value of {names}: only rising belief is bounded.": bound.lower,
    }
    return [f"That no released value {words}" for words, side in sides.items() if math.isinf(side)]
