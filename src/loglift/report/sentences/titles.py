"""Titles of the parts of a report, and names of its figures."""

from __future__ import annotations

from loglift.mechanism.kept import WHOLE_ROWS
from loglift.report.words import either

COLUMNS_TITLE = "What happened to each column"
READERS_TITLE = "Readers who know more"
RECORD_TITLE = "For the data protection officer"
PREVIEW = "As readers get them: rows of the released table, drawn at random, in random order."
EVALUATION_TITLE = "What readers can do with it, and what an attacker can"
HINTS_TITLE = "What would help each column"
NUMERALS = {1: "One", 10: "Ten"}


def kept_name(goal_words: str | None) -> str:
    """Return the name of the share that is kept, for an axis, a column of a table, or a card."""
    if goal_words in (None, WHOLE_ROWS):
        return "information kept"
    return "kept of what was asked for"


def more_title(goal_words: str | None) -> str:
    """Return the title of remedies: their shares are of the goal."""
    if goal_words in (None, WHOLE_ROWS):
        return "What would keep more"
    return "What would keep more of what was asked for"


def rows_kept_name(goal_words: str | None) -> str:
    """Return the name of the share of I(X;Y) that is kept."""
    if goal_words in (None, WHOLE_ROWS):
        return "information kept"
    return "information in whole rows kept"


def preview_title(rows: int) -> str:
    """Return the title of some released rows."""
    return f"{NUMERALS.get(rows, str(rows))} released {either(rows, 'row', 'rows')}"


def fewest_words(*, drawn: bool) -> str:
    """Name the figure of the smallest released value; draws only have an expected number."""
    return "fewest records expected of a value" if drawn else "fewest records of a value"
