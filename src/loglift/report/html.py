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
from loglift.report.words import guarantee, limit_of, nats, percent

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


def _parameters(result: Protected) -> list[list[Any]]:
    certificate = result.certificate
    return [
        ["public columns", ", ".join(result.audit.public)],
        ["sensitive columns", ", ".join(result.audit.sensitive)],
        ["bounded", "each on its own" if certificate.each else "their joint value"],
        ["bound", limit_of(certificate.bound)],
        ["method", certificate.method],
        ["certified for the population", released_population(certificate)],
        ["least records of a value", certificate.min_count or "not asked for"],
        ["hash of the counts (SHA-256)", certificate.counts_sha256],
    ]


def _rows(rows: Iterable[list[Any]], *, numbers_from: int) -> str:
    lines = []
    for row in rows:
        cells = [
            f"<td{_NUMBER if i >= numbers_from else ''}>{escape(str(cell))}</td>"
            for i, cell in enumerate(row)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join(lines)
