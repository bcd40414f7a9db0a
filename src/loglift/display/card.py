"""Cards: what a notebook shows of a result, a few figures and short tables, as HTML.

A card is self-contained: no script, nothing from the network. It takes its colours from the page,
so that it is readable in light and dark notebooks, and every text in it is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from loglift.display.markup import environment, text_of
from loglift.display.numbers import nats, percent

if TYPE_CHECKING:
    from jinja2 import Template

MAX_ROWS = 8  # of a table
MAX_COLUMNS = 8
MAX_CHARACTERS = 48  # of a cell
CUSTODIAN = "For the custodian: this was computed from the sensitive columns. Do not publish it."


@dataclass(frozen=True)
class Share:
    """A share in [0, 1], shown as a percentage with a bar."""

    value: float

    def __str__(self) -> str:
        return percent(self.value)

    @property
    def width(self) -> str:
        """How long the bar is, as CSS."""
        return f"{100 * min(1.0, max(0.0, self.value)):.1f}%"


@dataclass(frozen=True)
class Table:
    """A table: the first cell of a row names it; columns from `numbers_from` on hold numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str | Share, ...], ...]
    caption: str = ""
    numbers_from: int = 1


@dataclass(frozen=True)
class Card:
    """A title, figures by name, tables, and notes below them."""

    title: str
    figures: tuple[tuple[str, str], ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()

    def html(self) -> str:
        """Return the card as one HTML element."""
        return text_of(_template().render(card=self))


def shortened(value: Any, most: int = MAX_CHARACTERS) -> str:
    """Return a value as a text of at most `most` characters; None is NULL, a tuple is "a, b"."""
    if isinstance(value, tuple):
        text = ", ".join(shortened(each, most) for each in value)
    else:
        text = "NULL" if value is None else str(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def size_of(number: float) -> str:
    """Return a number of nats for a card: "0.987 nats", or "∞ nats"."""
    return f"{nats(number).replace('inf', '∞')} nats"


def first_of(items: Sequence[Any], what: str, most: int = MAX_ROWS) -> str:
    """Return the caption of a table that shows the first of some items: "8 of 20 blocks"."""
    return f"{min(most, len(items)):,} of {len(items):,} {what}" if len(items) > most else ""


@cache
def _template() -> Template:
    found = environment("loglift.display", {})
    found.tests["share"] = lambda cell: isinstance(cell, Share)
    return found.get_template("card.html")
