"""The custodian's report as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib import resources
from string import Template
from typing import Any

from loglift._version import __version__
from loglift.learning import Protected
from loglift.naming import text_of
from loglift.report.population import released_population
from loglift.report.words import (
    CHANNEL_NOTE,
    cap_words,
    event_words,
    guarantee,
    limit_of,
    nats,
    percent,
    remedy_words,
)
from loglift.why.binding import Limit
from loglift.why.explain import Explanation

_NUMBER = ' class="number"'


def render(result: Protected) -> str:
    """Return the report of a protected table; every text in it is escaped."""
    certificate = result.certificate
    page = resources.files("loglift.report").joinpath("template.html").read_text("utf-8")
    return Template(page).substitute(
        title=escape(f"Release of {', '.join(result.audit.public)}"),
        verdict=escape(_verdict(result)),
        before_after=_rows(_before_after(result), numbers_from=1),
        value_head=_head(result),
        values=_rows(_values(result), numbers_from=len(result.recoding.released)),
        why=_why(result.why),
        guarantee=escape(guarantee(certificate.bound, result.audit.sensitive)),
        parameters=_rows(_parameters(result), numbers_from=2),
        version=escape(__version__),
    )


def _verdict(result: Protected) -> str:
    certificate = result.certificate
    return (
        f"Safe: none of the {len(certificate.values):,} released values moves belief about "
        f"{', '.join(result.audit.sensitive)} beyond {limit_of(certificate.bound)}. "
        f"{percent(1 - certificate.nmil)} of the information is kept."
    )


def _before_after(result: Protected) -> list[list[str]]:
    certificate, before = result.certificate, result.audit
    return [
        ["leakage (nats)", nats(before.leakage), nats(certificate.leakage)],
        ["values", f"{before.public_values:,}", f"{len(certificate.values):,}"],
        ["information (nats)", nats(certificate.entropy), nats(certificate.utility)],
        ["information kept", percent(1), percent(1 - certificate.nmil)],
        ["records", f"{certificate.records:,}", f"{certificate.records:,}"],
    ]


def _head(result: Protected) -> str:
    names = [column.name for column in result.recoding.released]
    texts = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    numbers = ("records", "leakage (nats)")
    texts += "".join(f'<th scope="col"{_NUMBER}>{name}</th>' for name in numbers)
    return texts


def _values(result: Protected) -> Iterable[list[str]]:
    for value in sorted(result.certificate.values, key=lambda value: -value.leakage):
        yield [*map(text_of, value.shows.values()), f"{value.records:,}", nats(value.leakage)]


def _why(why: Explanation | None) -> str:
    """Return the sentences and the table of what binds, as HTML."""
    if why is None:
        return f"<p>{escape(CHANNEL_NOTE)}</p>"
    if why.kept >= 1:
        return "<p>Nothing is lost.</p>"
    said = [cap_words(cap) for cap in why.caps[:1]]
    said += [f"What would keep more: {remedy_words(remedy)}." for remedy in why.remedies]
    paragraphs = "\n".join(f"<p>{escape(text)}</p>" for text in said)
    head = ("records with it", "binds below", "binds above", "kept without it")
    cells = "".join(f'<th scope="col"{_NUMBER}>{name}</th>' for name in head)
    rows = _rows(map(_limit, why.limits), numbers_from=1)
    return (
        f"{paragraphs}\n<p>A sensitive value binds in a released value that would break its limit "
        "if one of its public values left.</p>\n"
        f'<div class="scroll"><table>\n<thead><tr><th scope="col">sensitive value</th>{cells}'
        f"</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def _limit(limit: Limit) -> list[str]:
    numbers = (limit.records_with, limit.lower_blocks, limit.upper_blocks)
    without = "" if limit.kept_without is None else percent(limit.kept_without)
    return [event_words(limit.sensitive), *(f"{number:,}" for number in numbers), without]


def _parameters(result: Protected) -> list[list[Any]]:
    certificate = result.certificate
    draws = certificate.draws
    return [
        ["public columns", ", ".join(result.audit.public)],
        ["sensitive columns", ", ".join(result.audit.sensitive)],
        ["bounded", "each on its own" if certificate.each else "their joint value"],
        ["bound", limit_of(certificate.bound)],
        ["method", certificate.method],
        *([["draws", draws.note], ["key", draws.key or "none"]] if draws else []),
        ["certified for the population", released_population(certificate)],
        ["least records of a value", certificate.min_count or "not asked for"],
        ["never merged across", _groups(certificate.groups)],
        ["hash of the counts (SHA-256)", certificate.counts_sha256],
    ]


def _groups(groups: tuple[str, ...] | None) -> str:
    if groups is None:
        return "nothing"
    return ", ".join(groups) or "groups given value by value"


def _rows(rows: Iterable[list[Any]], *, numbers_from: int) -> str:
    lines = []
    for row in rows:
        cells = [
            f"<td{_NUMBER if i >= numbers_from else ''}>{escape(str(cell))}</td>"
            for i, cell in enumerate(row)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join(lines)
