"""Why a release keeps no more, and what would help."""

from __future__ import annotations

from loglift.display.numbers import percent, percent_up
from loglift.explain.caps import Cap
from loglift.explain.explain import Explanation, Remedy
from loglift.explain.hints import Hint
from loglift.explain.suggest import MIN_STEP_GAIN, Suggestion
from loglift.report.words import event_words, events_words, number_of

NOTHING_LOST = "Nothing is lost."
NOTHING_TRIED = "The table has too many values to try what would keep more."
BINDING = (
    "A sensitive value binds in a released value that would break its limit if one of the public "
    "values in it left."
)
OF_WHOLE_ROWS = " of the information in whole rows"
GROUPED = "The bound then holds for a grouped value as a whole, and not for its members."
OTHER_BOUNDS_NOT_TRIED = (
    "Other bounds were not tried: the table has too many values, or the bound is too extreme."
)


def cap_words(cap: Cap, *, of_rows: bool = False) -> str:
    """Say what a rare sensitive value allows at most.

    The cap is on I(X;Y), whatever the goal is; with `of_rows` the words say so.
    """
    one = cap.blocks == 1
    return (
        f"Every released value must contain {event_words(cap.sensitive)}, which "
        f"{'one public value has' if one else f'{cap.blocks:,} public values have'} "
        f"({number_of(cap.records_with, 'record')}): a merging has at most "
        f"{'one released value' if one else f'{cap.blocks:,} released values'}, and keeps at most "
        f"{percent_up(cap.kept)}{OF_WHOLE_ROWS if of_rows else ''}."
    )


def remedy_words(remedy: Remedy) -> str:
    """Say what would keep more, as an option where there is one, and how much."""
    option = remedy.option
    values = " and for ".join(events_words(values) for values in remedy.sensitive)
    words = {
        "search": f"{option}, which finds better mergings",
        "intact": "no --intact",
        "min_count": "no --min-count",
        "eps": f"{option}",
        "upper": f"{option} alone, which lets values be ruled out",
        "unbounded": f"no bound for {values}",
        "sensitive": f"one sensitive value for {values}",
    }
    if option is not None:
        words["unbounded"] = f"{option}, which bounds nothing about {values}"
        words["sensitive"] = f"{option}, which bounds them as one value"
    return f"{words[remedy.change]}: keeps at least {percent(remedy.kept)}"


def suggested_lines(suggestion: Suggestion) -> tuple[str, ...]:
    """Say how to ask for each step, and which to try first: the first that keeps more.

    Each step groups more values, whose members are not bounded apart.
    """
    steps = suggestion.steps
    if any(step.option is None for step in steps):
        return ("No option says this: recode the sensitive columns of the table first.",)
    if len(steps) == 1:
        return (f"What to add to protect: {steps[0].option}",)
    least = suggestion.kept + MIN_STEP_GAIN
    helps = next((n for n, step in enumerate(steps, 1) if step.kept > least), len(steps))
    return (
        f"Try step {helps} first: of the steps that keep more, it groups the fewest values.",
        "What to add to protect for a step and those before it:",
        *(f"  step {number}: {step.option}" for number, step in enumerate(steps, 1)),
    )


def unexplained_words(reason: str) -> str:
    """Say that a release is not explained, and why."""
    return f"Why it keeps no more, and what would help, is not computed, because {reason}."


def explanation_words(explanation: Explanation, *, of_rows: bool = False) -> tuple[str, ...]:
    """Say which rare value caps a release, and where nothing was tried."""
    if explanation.kept >= 1:
        return (NOTHING_LOST,)
    caps = [cap_words(cap, of_rows=of_rows) for cap in explanation.caps[:1]]
    return (*caps, NOTHING_TRIED) if explanation.compared_with is None else tuple(caps)


def hint_words(hint: Hint, columns: int) -> str:
    """Say what would help a column, and what it and the others then keep of their information.

    `columns` is the number of public columns.
    """
    others = _instead(
        "the other column keeps" if columns == 2 else "the other columns keep",  # noqa: PLR2004
        hint.others_after,
        hint.others_before,
    )
    if columns > 2:  # noqa: PLR2004, the mean of one column is that column
        others += " on average"
    if hint.kind == "leave out":
        return f"{hint.change}: {others}"
    who = "its bands keep" if hint.kind == "bands" else f"{hint.column} keeps"
    return f"{hint.change}: {_instead(who, hint.kept, hint.before)}, {others}"


def _instead(who: str, after: float, before: float) -> str:
    kept, had = percent(after), percent(before)
    return f"{who} at least {kept}{', as before' if kept == had else f' instead of {had}'}"


def nothing_to_group(kept: float, *, of_rows: bool = False) -> str:
    """Say that grouping sensitive values would not help; `of_rows` as in `cap_words`."""
    share = f"{percent(kept)}{OF_WHOLE_ROWS if of_rows else ''}"
    return f"A release keeps {share}; grouping sensitive values would not keep more."
