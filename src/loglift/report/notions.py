"""How a table stands by k-anonymity, l-diversity, t-closeness and other notions, as lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loglift.display.numbers import nats
from loglift.mechanism.notions import Notions

TITLE = "By other notions"
NOTE = (
    "The figures of the worst value, or averages over all values where a line says so; delta, "
    "average log-lift, leakage and information in nats. Zeros count: a value that rules out a "
    "sensitive value has an infinite delta."
)
LARGE, SMALL = "large", "small"  # what is good
HEAD = "good is"


@dataclass(frozen=True)
class _Notion:
    """A field of `Notions`: its name, its short name, and which figures are good."""

    field: str
    name: str
    short: str
    good: str = SMALL


_NOTIONS = (
    _Notion("k", "k-anonymity: k", "k", LARGE),
    _Notion("distinct_l", "distinct l-diversity: l", "distinct l", LARGE),
    _Notion("entropy_l", "entropy l-diversity: l", "entropy l", LARGE),
    _Notion("t", "t-closeness, equal distance: t", "t"),
    _Notion("t_ordered", "t-closeness, ordered distance: t", "ordered t"),
    _Notion("beta", "basic beta-likeness: beta", "beta"),
    _Notion("delta", "delta-disclosure: delta (eps)", "delta"),
    _Notion("l1_lift", "l1-lift", "l1-lift"),
    _Notion("chi_squared_lift", "chi-squared-lift", "chi-squared-lift"),
    _Notion("average_log_lift", "average log-lift", "average log-lift"),
    _Notion("maximal_leakage", "maximal leakage (average)", "maximal leakage (average)"),
    _Notion("information", "mutual information (average)", "mutual information (average)"),
)


@dataclass(frozen=True)
class NotionLine:
    """A notion: its name and short name, which figures are good, and its figures as texts.

    `after` is empty where there is no release.
    """

    name: str
    short: str
    good: str
    before: str
    after: str


def notion_lines(before: Notions, after: Notions | None = None) -> list[NotionLine]:
    """Return a line for each notion; the ordered distance only where there is one."""
    return [
        NotionLine(
            notion.name,
            notion.short,
            notion.good,
            _text(getattr(before, notion.field)),
            "" if after is None else _text(getattr(after, notion.field)),
        )
        for notion in _NOTIONS
        if notion.field != "t_ordered" or before.t_ordered is not None
    ]


def by_direction(lines: Iterable[NotionLine]) -> dict[str, str]:
    """Return the figures of a table in two lines: those that are good if large, and if small."""
    found: dict[str, list[str]] = {}
    for line in lines:
        found.setdefault(line.good, []).append(f"{line.short} {line.before}")
    return {f"{good} is good": ", ".join(figures) for good, figures in found.items()}


def _text(figure: float | None) -> str:
    """Return a figure; None is the number of records where they are drawn at random."""
    if figure is None:
        return "random"
    return f"{figure:,}" if isinstance(figure, int) else nats(figure)
