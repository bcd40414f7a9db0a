"""Why a release keeps no more, and what to group, as tables for a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from loglift.explain.binding import Limit
from loglift.explain.explain import Explanation
from loglift.explain.suggest import Suggestion
from loglift.report.terminal import shown
from loglift.report.words import cap_words, event_words, group_words, percent, remedy_words

_MOST_LIMITS = 5


def print_why(why: Explanation, out: Console) -> None:
    """Print which limits bind, the cap a rare sensitive value sets, and what would help."""
    if why.kept >= 1:
        return
    if why.limits:
        out.print(_limits(why.limits))
    if why.caps:
        out.print(shown(cap_words(why.caps[0])))
    if why.compared_with is None:
        out.print("The table has too many values to try what would keep more.")
    if why.remedies:
        out.print("What would keep more:")
        for remedy in why.remedies:
            out.print(Padding(shown(remedy_words(remedy)), (0, 0, 0, 2)))


def print_suggestion(suggestion: Suggestion, out: Console) -> None:
    """Print the steps of grouping sensitive values, and what a release would then keep."""
    if not suggestion.steps:
        kept = percent(suggestion.kept)
        out.print(f"A release keeps {kept}; grouping sensitive values would not keep more.")
        return
    table = Table(title="Sensitive values to group", title_justify="left")
    table.add_column("step", justify="right")
    table.add_column("one value for", overflow="fold")
    table.add_column("kept", justify="right", no_wrap=True)
    table.add_row("", "as they are", percent(suggestion.kept))
    for number, step in enumerate(suggestion.steps, 1):
        table.add_row(str(number), shown(group_words(step.merged)), percent(step.kept))
    out.print(table)
    out.print("The bound then holds for a group as a whole, and no longer for its members.")


def column_of(limits: tuple[Limit, ...]) -> str | None:
    """Return the sensitive column, if there is only one."""
    names = {tuple(limit.sensitive) for limit in limits}
    [columns] = names if len(names) == 1 else [()]
    return columns[0] if len(columns) == 1 else None


def _limits(limits: tuple[Limit, ...]) -> Table:
    table = Table(title="Why it keeps no more", title_justify="left")
    alone = column_of(limits)
    table.add_column(shown(alone or "sensitive value"), overflow="fold")
    for name in ("records", "binds below", "binds above", "kept without it"):
        table.add_column(name, justify="right")
    for limit in limits[:_MOST_LIMITS]:
        without = "" if limit.kept_without is None else percent(limit.kept_without)
        numbers = (limit.records_with, limit.lower_blocks, limit.upper_blocks)
        name = limit.sensitive[alone] if alone else event_words(limit.sensitive)
        table.add_row(shown(name), *(f"{number:,}" for number in numbers), without)
    more = len(limits) - _MOST_LIMITS
    table.caption = (
        "Binds: released values that would break the limit if one of their public values left"
        + (f"; {more} more sensitive values bind" if more > 0 else "")
    )
    table.caption_justify = "left"
    return table
