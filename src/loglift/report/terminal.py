"""Summaries as text and tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from loglift.audit.audit import Audit
from loglift.audit.columns import ColumnLeakage
from loglift.audit.risks import Driver, Risk
from loglift.certify.certificate import EXPECTED, Certificate, ReleasedValue
from loglift.explain.binding import Limit
from loglift.explain.explain import Explanation
from loglift.explain.suggest import Suggestion
from loglift.mechanism.naming import text_of
from loglift.promise.bound import Bound
from loglift.report.columns import HEAD, column_lines
from loglift.report.population import interval_text
from loglift.report.statements import (
    BINDING,
    COLUMNS_TITLE,
    GROUPED,
    HINTS_TITLE,
    Statement,
    cap_words,
    check_statements,
    explanation_words,
    fewest_words,
    hint_words,
    kept_name,
    more_title,
    nothing_to_group,
    pairs_left_out_words,
    remedy_words,
    rows_kept_name,
)
from loglift.report.summary import Summary
from loglift.report.words import event_words, events_words, listed, nats, number_of, percent

MAX_DRIVERS = 10
MAX_LIMITS = 5
MAX_UNSAFE = 20
MAX_COLUMNS = 120  # columns and pairs of them: all of 15 columns
_COLOURS = {"good": "green", "bad": "red", "plain": "bold"}


def print_release(summary: Summary, out: Console, where: str) -> None:
    """Print before and after, what holds, what to know besides, and why it keeps no more."""
    before, after, certificate = summary.before, summary.after, summary.certificate
    if before is None or after is None or certificate is None:
        raise TypeError("only the summary of a release has a before and an after")
    out.print(shown(f"{where}: {number_of(certificate.records, 'record')}"), style="bold")
    table = Table()
    table.add_column("")
    for column in ("before", "after"):
        table.add_column(column, justify="right")
    table.add_row("leakage (nats)", nats(before.leakage), nats(after.leakage))
    table.add_row("values", f"{before.values:,}", f"{after.values:,}")
    if not summary.keeps_rows:
        table.add_row(kept_name(summary.goal), percent(1), percent(certificate.goal_share))
    table.add_row("information (nats)", nats(before.information), nats(after.information))
    table.add_row(rows_kept_name(summary.goal), percent(before.kept), percent(after.kept))
    table.add_row(
        fewest_words(drawn=certificate.drawn),
        f"{before.fewest_records:,}",
        f"{after.fewest_records:,}",
    )
    out.print(table)
    out.print(_kept_columns(certificate))
    for statement in summary.statements:
        print_statement(statement, out)
    for note in summary.notes:
        out.print(note)
    if summary.explanation is not None:
        _print_explanation(summary, summary.explanation, out)


def print_audit(summary: Summary, out: Console, where: str) -> None:
    """Print what a table reveals: figures, riskiest values, drivers, columns, verdict."""
    audit = summary.audit
    if audit is None:
        raise TypeError("only the summary of an audit has an audit")
    out.print(shown(f"{where}: {number_of(audit.records, 'record')}"), style="bold")
    out.print(_figures(audit))
    if audit.riskiest:
        out.print(_riskiest(audit.riskiest))
    if audit.drivers:
        out.print(_drivers(audit.drivers, audit.bound))
    if audit.columns:
        out.print(_columns(audit.columns))
    if audit.pairs_left_out:
        out.print(pairs_left_out_words(audit.pairs_left_out))
    of_rows = not summary.keeps_rows
    for cap in audit.caps[:1]:
        out.print(shown(cap_words(cap, of_rows=of_rows)))
    for statement in summary.statements:
        print_statement(statement, out)
    if audit.suggestion is not None:
        _print_suggestion(audit.suggestion, out, of_rows=of_rows)


def print_certificate(certificate: Certificate, out: Console) -> None:
    """Print whether a mechanism holds, and the released values that do not."""
    unsafe = [value for value in certificate.values if not value.safe]
    if unsafe:
        _print_unsafe(unsafe, certificate.min_count or 0, out)
    first, *others = check_statements(certificate)
    print_statement(first, out)
    if certificate.drawn:
        out.print(EXPECTED)
    for statement in others:
        print_statement(statement, out)


def print_statement(statement: Statement, out: Console) -> None:
    """Print a statement, its headline in colour."""
    headline, text = (escape(shown(part).plain) for part in (statement.headline, statement.text))
    out.print(f"[{_COLOURS[statement.tone]}]{headline}[/] {text}")


def shown(value: Any) -> Text:
    """Return a value of a table as text without control characters."""
    text = text_of(value)
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return Text(safe)


def _print_unsafe(unsafe: Sequence[ReleasedValue], least: float, out: Console) -> None:
    """Print released values outside the bound, or with fewer than `least` records."""
    table = Table(title="Released values that are not safe", title_justify="left")
    for name in unsafe[0].shows:
        table.add_column(shown(name), overflow="fold")
    table.add_column("records", justify="right")
    table.add_column("leakage", justify="right")
    table.add_column("because it", overflow="fold")
    for value in unsafe[:MAX_UNSAFE]:
        why = shown(f"{value.direction} {event_words(value.tightest)}")
        if value.records < least:
            why = Text(f"has fewer than {number_of(least, 'record')}")
        cells = [shown(item) for item in value.shows.values()]
        table.add_row(*cells, f"{value.records:,}", nats(value.leakage), why)
    out.print(table)


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
        found = f"{risk.records_with:,} found, {risk.expected:,.1f} expected"
        does = shown(f"{risk.does} {event_words(risk.sensitive)} ({found})")
        cells = [shown(value) for value in risk.value.values()]
        beyond = [] if risk.population is None else [interval_text(risk.population)]
        table.add_row(*cells, nats(risk.omega), *beyond, f"{risk.records:,}", does)
    return table


def _drivers(drivers: tuple[Driver, ...], bound: Bound | None) -> Table:
    what = "outside the bound because of it" if bound else "that move it most"
    table = Table(title="Sensitive values behind it", title_justify="left")
    table.add_column("sensitive value", overflow="fold")
    table.add_column("records with it", justify="right")
    table.add_column(f"values {what}", justify="right")
    table.add_column("their records", justify="right")
    for driver in drivers[:MAX_DRIVERS]:
        numbers = (driver.records_with, driver.values, driver.records)
        table.add_row(shown(event_words(driver.sensitive)), *(f"{n:,}" for n in numbers))
    if len(drivers) > MAX_DRIVERS:
        table.caption = f"and {len(drivers) - MAX_DRIVERS} more"
    return table


def _columns(columns: tuple[ColumnLeakage, ...]) -> Table:
    more = len(columns) - MAX_COLUMNS
    table = Table(title="Public columns on their own", title_justify="left")
    table.add_column("columns", overflow="fold")
    bounded = columns[0].share_at_risk is not None
    for name in ("values", "leakage (nats)", *(["records at risk"] if bounded else [])):
        table.add_column(name, justify="right")
    first = sorted(columns, key=lambda column: -column.leakage) if more > 0 else columns
    for column in first[:MAX_COLUMNS]:
        share = [] if column.share_at_risk is None else [percent(column.share_at_risk)]
        names = shown(" x ".join(column.columns))
        table.add_row(names, f"{column.values:,}", nats(column.leakage), *share)
    if more > 0:
        table.caption = f"those that leak most; {more:,} more are in --json and --report"
    return table


def _kept_columns(certificate: Certificate) -> Table:
    """Return what became of each public column, and of whole rows where there are several.

    What the release says about other columns, where that was asked for, stands below.
    """
    table = Table(title=COLUMNS_TITLE, title_justify="left")
    table.add_column("column", overflow="fold")
    for name in HEAD:
        table.add_column(name.replace(" ", "\n"), justify="right", no_wrap=True)
    for line in column_lines(certificate):
        table.add_row(shown(line.name), *line.texts, end_section=line.ends_section)
    return table


def _print_explanation(summary: Summary, explanation: Explanation, out: Console) -> None:
    """Print which limits bind, what caps the release, and what would help."""
    if explanation.kept >= 1:
        return
    if explanation.limits:
        out.print(_limits(explanation.limits))
    for sentence in explanation_words(explanation, of_rows=not summary.keeps_rows):
        out.print(shown(sentence))
    remedies = [remedy_words(remedy) for remedy in explanation.remedies]
    hints = [hint_words(hint, len(summary.public)) for hint in explanation.hints]
    for title, lines in ((more_title(summary.goal), remedies), (HINTS_TITLE, hints)):
        if lines:
            out.print(f"{title}:")
        for line in lines:
            out.print(Padding(shown(line), (0, 0, 0, 2)))


def _limits(limits: tuple[Limit, ...]) -> Table:
    table = Table(title="Why it keeps no more", title_justify="left")
    table.add_column("sensitive value", overflow="fold")
    for name in ("records with it", "binds below", "binds above", "kept without it"):
        table.add_column(name, justify="right")
    for limit in limits[:MAX_LIMITS]:
        without = "" if limit.kept_without is None else percent(limit.kept_without)
        numbers = (limit.records_with, limit.lower_blocks, limit.upper_blocks)
        value = shown(event_words(limit.sensitive))
        table.add_row(value, *(f"{number:,}" for number in numbers), without)
    more = len(limits) - MAX_LIMITS
    table.caption = BINDING + (f" {more:,} more bind." if more > 0 else "")
    table.caption_justify = "left"
    return table


def _print_suggestion(suggestion: Suggestion, out: Console, *, of_rows: bool) -> None:
    """Print which sensitive values to release as one, step by step, and what is then kept."""
    if not suggestion.steps:
        out.print(nothing_to_group(suggestion.kept, of_rows=of_rows))
        return
    table = Table(title="Sensitive values to group", title_justify="left")
    table.add_column("step", justify="right")
    table.add_column("one value for", overflow="fold")
    kept = "kept of whole rows" if of_rows else "kept"
    table.add_column(kept, justify="right", no_wrap=True)
    table.add_row("", "as they are", percent(suggestion.kept))
    for number, step in enumerate(suggestion.steps, 1):
        table.add_row(str(number), shown(events_words(step.merged)), percent(step.kept))
    out.print(table)
    out.print(GROUPED)
