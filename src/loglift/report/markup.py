"""Pieces of HTML, every text in them escaped, and pages put together from files of this room."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from string import Template
from typing import Any

from loglift._version import __version__

# What ends a script, or a line of one, may not stand in its data as it is.
_DANGEROUS = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


@dataclass(frozen=True)
class Section:
    """A part of a page: its address in the page, its title, and its HTML."""

    id: str
    title: str
    body: str


@dataclass(frozen=True)
class Page:
    """A page before it is put together; `verdict` and the sections are HTML, the rest is text."""

    title: str
    audience: str
    private: bool
    verdict: str
    sections: tuple[Section, ...]
    data: Any


def put_together(page: Page) -> str:
    """Return the page as one self-contained HTML document: no other file, no network."""
    sections = "\n".join(
        f'<section id="{s.id}" aria-labelledby="{s.id}-title">\n<h2 id="{s.id}-title">'
        f"{escape(s.title)}</h2>\n{s.body}\n</section>"
        for s in page.sections
    )
    links = (f'<li><a href="#{s.id}">{escape(s.title)}</a></li>' for s in page.sections)
    text = fill(
        "template.html",
        title=escape(page.title),
        audience=escape(page.audience),
        audience_kind="private" if page.private else "open",
        verdict=page.verdict,
        nav="\n".join(links),
        sections=sections,
        footer=escape(f"{page.audience} Made by loglift {__version__}."),
        data=script_data(page.data),
        css=_file("report.css"),
        js=_file("report.js"),
    )
    return text.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair is no text


def fill(name: str, **parts: str) -> str:
    """Return a template of this room with its parts in place."""
    return Template(_file(name)).substitute(parts)


def script_data(data: Any) -> str:
    """Return data as JSON that no name in it can break out of."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_DANGEROUS)


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of plain text."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def bullets(items: Iterable[str]) -> str:
    """Return a list of plain texts."""
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"


def table(
    head: Sequence[str], rows: Iterable[Sequence[Any]], *, label: str, numbers_from: int = 1
) -> str:
    """Return a table that scrolls sideways where it must; the first cell of a row names it."""
    kinds = ["" if i < numbers_from else ' class="number"' for i in range(len(head))]
    top = "".join(
        f'<th scope="col"{kind}>{escape(name)}</th>' if name else "<td></td>"
        for name, kind in zip(head, kinds, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{_cell(cell)}</th>' if i == 0 else f"<td{kind}>{_cell(cell)}</td>"
            for i, (cell, kind) in enumerate(zip(row, kinds, strict=True))
        )
        + "</tr>"
        for row in rows
    )
    header = f"<thead><tr>{top}</tr></thead>\n" if any(head) else ""
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(label)}">'
        f"<table>\n{header}<tbody>\n{body}\n</tbody></table></div>"
    )


def _cell(cell: Any) -> str:
    return f"<bdi>{escape(str(cell))}</bdi>"


def _file(name: str) -> str:
    return resources.files("loglift.report").joinpath(name).read_text("utf-8")
