"""Summaries as tables for a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from loglift.audit.audit import Audit, ColumnLeakage, Driver, Risk
from loglift.certify.certificate import EXPECTED, Certificate, ReleasedValue
from loglift.mechanism.naming import text_of
from loglift.promise.bound import Bound
from loglift.release.learning import Protected
from loglift.report.population import (
    audited_population,
    interval_text,
    released_population,
    verified_population,
)
from loglift.report.words import (
    CHANNEL_NOTE,
    MECHANISM_NOTE,
    bounded_words,
    cap_words,
    left_out_words,
    limit_of,
    listed,
    nats,
    not_covered,
    nothing_left,
    number_of,
    percent,
    proven_words,
    released_words,
    sensitive_released,
    unseen_words,
)

_MOST_DRIVERS = 10
_MOST_UNSAFE = 20
_MOST_COLUMNS = 120  # and pairs of them: all of 15


def print_audit(audit: Audit, out: Console, where: str) -> None:
    """Print what a table gives away: figures, riskiest values, drivers, columns, verdict."""
    out.print(shown(f"{where}: {audit.records:,} records"), style="bold")
    out.print(_figures(audit))
    if audit.riskiest:
        out.print(_riskiest(audit.riskiest))
    if audit.drivers:
        out.print(_drivers(audit.drivers, audit.bound))
    if audit.columns:
        out.print(_columns(audit.columns))
    if audit.pairs_left_out:
        out.print(left_out_words(audit.pairs_left_out))
    if audit.caps:
        out.print(shown(cap_words(audit.caps[0])))
    out.print(verdict(audit))
    if audit.population is not None:
        out.print(audited_population(audit))


def print_protected(result: Protected, out: Console, where: str) -> None:
    """Print before and after, and what a reader has to know about kept columns."""
    certificate, before = result.certificate, result.audit
    out.print(shown(f"{where}: {certificate.records:,} records"), style="bold")
    table = Table()
    table.add_column("")
    for column in ("before", "after"):
        table.add_column(column, justify="right")
    kept = 1 - certificate.nmil
    table.add_row("leakage (nats)", nats(before.leakage), nats(certificate.leakage))
    table.add_row("values", f"{before.public_values:,}", f"{len(certificate.values):,}")
    table.add_row("information (nats)", nats(certificate.entropy), nats(certificate.utility))
    table.add_row("information kept", percent(1), percent(kept))
    random = certificate.method == "randomized"
    fewest = "fewest records expected of a value" if random else "fewest records of a value"
    table.add_row(fewest, "", f"{min(v.records for v in certificate.values):,}")
    out.print(table)
    released, belief = _plain(released_words(certificate)), _plain(bounded_words(certificate))
    out.print(
        f"[green]Safe[/]: no released value of {released} moves {belief}, checked exactly on "
        f"{certificate.records:,} records."
    )
    if certificate.keeps_nothing:
        left = nothing_left(before, certificate.bound, len(certificate.values), drawn=random)
        out.print(f"[yellow]Nothing is left to analyse.[/] {left}")
    proven = proven_words(result.mechanism, certificate.entropy)
    out.print(f"Kept {percent(kept)} of the information; {proven}.")
    out.print(CHANNEL_NOTE if random else MECHANISM_NOTE)
    if certificate.population is not None:
        out.print(released_population(certificate))
    if result.kept_audit is not None:
        out.print(_kept_note(result.kept_audit))
    shown_too = sensitive_released(certificate)
    if shown_too is not None:
        out.print(f"[yellow]Not protected[/]: {_plain(shown_too)}")


def print_certificate(certificate: Certificate, out: Console) -> None:
    """Print whether a mechanism holds, and the released values that do not."""
    released, belief = _plain(released_words(certificate)), _plain(bounded_words(certificate))
    unsafe = [value for value in certificate.values if not value.safe]
    least = certificate.min_count
    checked = (
        f"checked exactly on {number_of(certificate.records, 'record')}; leakage "
        f"{nats(certificate.leakage)} nats."
    )
    if unsafe:
        _print_unsafe(unsafe, least or 0, out)
        few = f" or have fewer than {number_of(least, 'record')}" if least else ""
        out.print(
            f"[red]Does not hold[/]: {len(unsafe):,} of {len(certificate.values):,} released "
            f"values of {released} move {belief}{few}, {checked}"
        )
    else:
        none = _none_of(len(certificate.values), released)
        enough = f" Each has at least {number_of(least, 'record')}." if least else ""
        out.print(f"[green]Holds[/]: {none} {belief}, {checked}{enough}")
    if certificate.method == "randomized":
        out.print(EXPECTED)
    if certificate.unseen_records:
        out.print(unseen_words(certificate))
    if certificate.population is not None:
        out.print(verified_population(certificate.population, certificate.bound))
    uncovered = not_covered(certificate, "the other columns of the table")
    if uncovered is not None:
        out.print(_plain(uncovered))


def _print_unsafe(unsafe: Sequence[ReleasedValue], least: int, out: Console) -> None:
    """Print released values outside the bound, or with fewer than `least` records."""
    table = Table(title="Released values that are not safe", title_justify="left")
    for name in unsafe[0].shows:
        table.add_column(shown(name), overflow="fold")
    table.add_column("records", justify="right")
    table.add_column("leakage", justify="right")
    table.add_column("because it", overflow="fold")
    for value in unsafe[:_MOST_UNSAFE]:
        why = Text(f"{value.direction} ").append_text(_sensitive(value.tightest))
        if value.records < least:
            why = Text(f"has fewer than {number_of(least, 'record')}")
        cells = [shown(item) for item in value.shows.values()]
        table.add_row(*cells, f"{value.records:,}", nats(value.leakage), why)
    out.print(table)


def _none_of(values: int, released: str) -> str:
    if values == 1:
        return f"the one released value of {released} does not move"
    return f"none of the {values:,} released values of {released} moves"


def verdict(audit: Audit) -> str:
    """Say in a sentence whether the table is within the bound."""
    if audit.bound is None:
        return f"Leakage {nats(audit.leakage)} nats: {_factor(audit.leakage)}."
    limit = limit_of(audit.bound)
    if audit.holds:
        return f"[green]Holds[/]: every value is within {limit}."
    return (
        f"[red]Does not hold[/]: {audit.values_at_risk:,} of {audit.public_values:,} values, with "
        f"{percent(audit.share_at_risk or 0)} of the records, "
        f"{'is' if audit.values_at_risk == 1 else 'are'} outside {limit}."
    )


def shown(value: Any) -> Text:
    """Return a value of a table as text that can do nothing to a terminal."""
    text = text_of(value)
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return Text(safe)


def _figures(audit: Audit) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(justify="right")
    table.add_column(style="dim")
    table.add_column(justify="right")
    public, sensitive = listed(audit.public), listed(audit.sensitive)
    if audit.each:
        sensitive += ", each on its own"
    table.add_row("public", shown(public), "H(X)", f"{audit.entropy_public:.3f} nats")
    table.add_row("values", f"{audit.public_values:,}", "I(S;X)", f"{audit.information:.3f} nats")
    table.add_row("sensitive", shown(sensitive), "H(S)", f"{audit.entropy_sensitive:.3f} nats")
    table.add_row("values", f"{audit.sensitive_values:,}", "leakage", f"{nats(audit.leakage)} nats")
    return table


def _riskiest(risks: tuple[Risk, ...]) -> Table:
    table = Table(title="Riskiest values", title_justify="left")
    for name in risks[0].value:
        table.add_column(shown(name), overflow="fold")
    table.add_column("omega", justify="right")
    if risks[0].population is not None:
        table.add_column("in the population", justify="right")
    table.add_column("records", justify="right")
    table.add_column("what it does", overflow="fold")
    for risk in risks:
        does = Text(f"{risk.does} ").append_text(_sensitive(risk.sensitive))
        does.append(f" ({risk.records_with:,} found, {risk.expected:,.1f} expected)")
        cells = [shown(value) for value in risk.value.values()]
        beyond = [] if risk.population is None else [interval_text(risk.population)]
        table.add_row(*cells, nats(risk.omega), *beyond, f"{risk.records:,}", does)
    return table


def _drivers(drivers: tuple[Driver, ...], bound: Bound | None) -> Table:
    what = "outside the bound because of it" if bound else "moved most by"
    table = Table(title="Sensitive values behind it", title_justify="left")
    table.add_column("sensitive value", overflow="fold")
    table.add_column("records with it", justify="right")
    table.add_column(f"values {what}", justify="right")
    table.add_column("their records", justify="right")
    for driver in drivers[:_MOST_DRIVERS]:
        numbers = (driver.records_with, driver.values, driver.records)
        table.add_row(_sensitive(driver.sensitive), *(f"{number:,}" for number in numbers))
    if len(drivers) > _MOST_DRIVERS:
        table.caption = f"and {len(drivers) - _MOST_DRIVERS} more"
    return table


def _columns(columns: tuple[ColumnLeakage, ...]) -> Table:
    more = len(columns) - _MOST_COLUMNS
    table = Table(title="Public columns on their own", title_justify="left")
    table.add_column("columns", overflow="fold")
    bounded = columns[0].share_at_risk is not None
    for name in ("values", "leakage (nats)", *(["records at risk"] if bounded else [])):
        table.add_column(name, justify="right")
    listed = sorted(columns, key=lambda column: -column.leakage) if more > 0 else columns
    for column in listed[:_MOST_COLUMNS]:
        share = [] if column.share_at_risk is None else [percent(column.share_at_risk)]
        names = shown(" x ".join(column.columns))
        table.add_row(names, f"{column.values:,}", nats(column.leakage), *share)
    if more > 0:
        table.caption = f"those that leak most; {more:,} more are in --json and --report"
    return table


def _plain(words: str) -> str:
    """Return words that hold names of a table, for a sentence with markup."""
    return escape(shown(words).plain)


def _kept_note(audit: Audit) -> str:
    kept = _plain(", ".join(audit.public[1:]))
    if audit.holds:
        return (
            f"Kept as they are: {kept}. Together with the released values they stay inside the "
            "bound."
        )
    return (
        f"[yellow]Not protected[/]: {kept}. Together with the released values they leak "
        f"{nats(audit.leakage)} nats; {percent(audit.share_at_risk or 0)} of the records are "
        "outside the bound."
    )


def _sensitive(value: dict[str, Any]) -> Text:
    text = Text()
    for i, (name, item) in enumerate(value.items()):
        text.append(", " if i else "").append_text(shown(f"{name} = ")).append_text(shown(item))
    return text


def _factor(leakage: float) -> str:
    if math.isinf(leakage):
        return "some value rules a sensitive value out"
    return f"the most revealing value moves belief by a factor of {math.exp(leakage):.2f}"
