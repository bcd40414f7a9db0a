"""Releases and checks as text and tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from loglift.certify.certificate import EXPECTED, Certificate
from loglift.certify.released_values import ReleasedValue
from loglift.certify.together import TogetherCheck
from loglift.display.numbers import nats, percent
from loglift.explain.binding import Limit
from loglift.explain.explain import Explanation
from loglift.mechanism.naming import text_of
from loglift.report.columns import HEAD, column_lines
from loglift.report.notions import HEAD as NOTIONS_HEAD, TITLE as NOTIONS_TITLE, notion_lines
from loglift.report.sentences.check import check_statements
from loglift.report.sentences.evaluation import evaluation_statements
from loglift.report.sentences.explanation import (
    BINDING,
    explanation_words,
    hint_words,
    remedy_words,
    unexplained_words,
)
from loglift.report.sentences.readers import together_statements
from loglift.report.sentences.statement import Statement
from loglift.report.sentences.titles import (
    COLUMNS_TITLE,
    HINTS_TITLE,
    fewest_words,
    kept_name,
    more_title,
    rows_kept_name,
)
from loglift.report.summary import Summary
from loglift.report.words import event_words, first_of, number_of

MAX_LIMITS = 5
MAX_UNSAFE = 20
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
    _print_notions(summary, out)
    for statement in summary.statements:
        print_statement(statement, out)
    for note in summary.notes:
        out.print(note)
    if summary.evaluation is not None:
        for statement in evaluation_statements(summary.evaluation):
            print_statement(statement, out)
    if summary.explanation is not None:
        _print_explanation(summary, summary.explanation, out)
    if summary.unexplained is not None:
        out.print(unexplained_words(summary.unexplained))


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


def print_together(names: Sequence[str], check: TogetherCheck, out: Console) -> None:
    """Print whether several releases hold, each on its own, and then all together."""
    checked = zip(names, check.certificates, strict=True)
    for number, (name, certificate) in enumerate(checked, start=1):
        out.print(shown(f"Release {number}: {name}"), style="bold")
        print_certificate(certificate, out)
    out.print("All together", style="bold")
    for statement in together_statements(check):
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


def cut(cell: Text, width: int, out: Console) -> Text:
    """Cut a text to a width in cells; the dots that end it say so."""
    if cell.cell_len <= width:
        return cell
    dots = "…" if out.encoding.startswith("utf") else "..."
    cell.truncate(max(0, width - len(dots)))
    return cell.append(dots)


def _print_unsafe(unsafe: Sequence[ReleasedValue], least: float, out: Console) -> None:
    """Print released values outside the bound, or with fewer than `least` records."""
    title = first_of("Released values that are not safe", MAX_UNSAFE, len(unsafe))
    table = Table(title=title, title_justify="left")
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


def _print_notions(summary: Summary, out: Console) -> None:
    """Print the figures of other notions, before and after."""
    if summary.audit is None or summary.notions is None:
        return
    table = Table(title=NOTIONS_TITLE, title_justify="left")
    table.add_column("notion", overflow="fold")
    for name in ("before", "after"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(NOTIONS_HEAD, no_wrap=True)
    for line in notion_lines(summary.audit.notions, summary.notions):
        table.add_row(line.name, line.before, line.after, line.good)
    out.print(table)


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
            _print_indented(line, out)


def _print_indented(line: str, out: Console) -> None:
    """Print a line two cells in; an option with quotes is not broken, so that it can be copied."""
    if "'" in line or '"' in line:
        out.print(Text("  ") + shown(line), soft_wrap=True)
    else:
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
