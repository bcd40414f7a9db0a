"""Draw the picture of a table before and after, from a real run of `protect` on UCI Adult.

    python tools/picture.py     # writes docs/assets/before-after.svg, which the README shows

The first page of the documentation has the same rows as an HTML table, made when mkdocs builds it.
"""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

import loglift
from loglift.demo import write_adult

PLACE = Path(__file__).parents[1] / "docs" / "assets" / "before-after.svg"
EPS = 0.5
SHOWN = ("Exec-managerial", "Prof-specialty", "Craft-repair", "Handlers-cleaners", "Other-service")
CAPTION = (
    "Occupations in UCI Adult; salary is sensitive. {prior:.0%} of all people earn more than 50K. "
    "With eps {eps:g} no released value may move that by more than a factor of {factor:.2f}; the "
    "values in red would."
)


@dataclass(frozen=True)
class Row:
    """One public value: the share that earns >50K among its records, before and after."""

    before: str
    share_before: float
    after: str
    share_after: float


@dataclass(frozen=True)
class Picture:
    """Some public values of a table, before and after, and the share of all records."""

    prior: float
    rows: list[Row]

    @property
    def caption(self) -> str:
        """Return what the picture shows, in words."""
        return CAPTION.format(prior=self.prior, eps=EPS, factor=math.exp(EPS))

    def outside(self, share: float) -> bool:
        """Return whether a share of >50K, or of the others, is outside the bound."""
        moved = (share / self.prior, (1 - share) / (1 - self.prior))
        return any(lift == 0 or abs(math.log(lift)) > EPS for lift in moved)


def picture() -> Picture:
    """Protect the occupations of UCI Adult and return what happens to those of SHOWN."""
    with tempfile.TemporaryDirectory() as folder:
        table = write_adult(Path(folder))
        joint = loglift.Joint.from_table(table, sensitive="salary", public="occupation")
        release = loglift.protect(table, sensitive="salary", public="occupation", eps=EPS)
        mechanism, labels = release.mechanism, release.mechanism.labels
    if labels is None:
        raise LookupError("a partition has a label for every public value")
    rich, all_of = joint.mass[:, 1].astype(float), joint.mass.sum(axis=1).astype(float)
    rows = []
    for name in SHOWN:
        x = joint.public.index(name)
        members = labels == labels[x]
        share = rich[members].sum() / all_of[members].sum()
        shown = mechanism.released[0].values[labels[x]]
        rows.append(Row(name, rich[x] / all_of[x], str(shown), share))
    return Picture(rich.sum() / all_of.sum(), rows)


def html(made: Picture) -> str:
    """Return the picture as an HTML table."""

    def cell(share: float) -> str:
        mark = ' class="outside"' if made.outside(share) else ""
        return f"<td{mark}>{share:.0%}</td>"

    body = "".join(
        f"<tr><td>{escape(row.before)}</td>{cell(row.share_before)}"
        f'<td class="from">{escape(row.after)}</td>{cell(row.share_after)}</tr>'
        for row in made.rows
    )
    head = (
        "<tr><th>before</th><th>earn &gt;50K</th>"
        '<th class="from">released as</th><th>earn &gt;50K</th></tr>'
    )
    table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
    return f'<div class="before-after" markdown="0">{table}</div>\n\n*{made.caption}*'


def svg(made: Picture) -> str:
    """Return the picture as an SVG image, legible on light and dark pages."""
    left, step = (16, 210, 300, 600), 30

    def line(y: int, texts: tuple[str, str, str, str], marks: tuple[bool, bool]) -> str:
        parts = []
        for i, (x, text) in enumerate(zip(left, texts, strict=True)):
            marked = i % 2 == 1 and marks[i // 2]
            if marked:
                parts.append(f'<rect x="{x - 8}" y="{y - 19}" width="48" height="26" rx="3"/>')
            kind = ' class="on"' if marked else ""
            parts.append(f'<text x="{x}" y="{y}"{kind}>{escape(text)}</text>')
        return "".join(parts)

    lines = [
        line(
            30 + step * (i + 1),
            (row.before, f"{row.share_before:.0%}", row.after, f"{row.share_after:.0%}"),
            (made.outside(row.share_before), made.outside(row.share_after)),
        )
        for i, row in enumerate(made.rows)
    ]
    height = 50 + step * len(made.rows)
    style = (
        "text{font:15px system-ui,sans-serif;fill:#1b1f24}.head{font-weight:700}"
        "rect{fill:#c62828}.on{fill:#fff;font-weight:700}.card{fill:#fff;stroke:#8b949e}"
    )
    head = "".join(
        f'<text x="{x}" y="28" class="head">{text}</text>'
        for x, text in zip(left, ("before", "&gt;50K", "released as", "&gt;50K"), strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="670" height="{height}" '
        f'viewBox="0 0 670 {height}"><title>{escape(made.caption)}</title><style>{style}</style>'
        f'<rect class="card" x="1" y="1" width="668" height="{height - 2}" rx="8"/>'
        f"{head}{''.join(lines)}</svg>\n"
    )


if __name__ == "__main__":
    PLACE.write_text(svg(picture()), "utf-8")
