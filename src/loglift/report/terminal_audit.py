"""An audit as text for a terminal: one line for each value, column and pair of columns.

Names that are too long for the screen are cut there, and only there: the page and `--json` have
them whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from loglift.audit.audit import Audit
from loglift.audit.columns import ColumnLeakage, worst_first
from loglift.audit.readers import ReaderAudit
from loglift.audit.risks import Driver, Risk
from loglift.display.numbers import nats, percent
from loglift.explain.suggest import Suggestion
from loglift.mechanism.words import value_words
from loglift.promise.bound import Bound
from loglift.report.notions import TITLE as NOTIONS_TITLE, by_direction, notion_lines
from loglift.report.sentences.audit import pairs_left_out_words
from loglift.report.sentences.explanation import (
    GROUPED,
    cap_words,
    nothing_to_group,
    suggested_lines,
)
from loglift.report.sentences.population import interval_text
from loglift.report.summary import Summary
from loglift.report.terminal import cut, print_statement, shown
from loglift.report.words import (
    context_words,
    event_words,
    events_words,
    first_of,
    listed,
    number_of,
)

MAX_RISKS = 10
MAX_DRIVERS = 5
MAX_COLUMNS = 10
MAX_PAIRS = 5
MAX_CONTEXTS = 5  # of each reader
_GAP = 2  # spaces between columns, and before a line below its head
_LEAST_SHARE = 0.4  # of the room for names that a second name gets, if it needs so much


def print_audit(summary: Summary, out: Console, where: str, *, top: int = MAX_RISKS) -> None:
    """Print what a table reveals: figures, riskiest values, drivers, columns, verdict.

    `top` limits the riskiest values. Twelve columns take 42 to 46 lines of 80 cells.
    """
    audit = summary.audit
    if audit is None:
        raise TypeError("only the summary of an audit has an audit")
    out.print(shown(f"{where}: {number_of(audit.records, 'record')}"), style="bold")
    _print_figures(audit, out)
    if audit.riskiest[:top]:
        _print_riskiest(audit, audit.riskiest[:top], out)
    if audit.drivers:
        _print_drivers(audit.drivers, audit.bound, out)
    if audit.columns:
        _print_columns(audit.columns, out)
    for reader in audit.readers:
        _print_reader(reader, out)
    _print_notions(audit, out)
    if audit.pairs_left_out:
        out.print(pairs_left_out_words(audit.pairs_left_out))
    of_rows = not summary.keeps_rows
    for cap in audit.caps[:1]:
        out.print(shown(cap_words(cap, of_rows=of_rows)))
    for statement in summary.statements:
        print_statement(statement, out)
    if audit.suggestion is not None:
        _print_suggestion(audit.suggestion, out, of_rows=of_rows)


def _print_figures(audit: Audit, out: Console) -> None:
    """Print the columns, how many values they have, and what these tell."""
    together = ", each on its own" if audit.each else ""
    table = Table.grid(padding=(0, _GAP, 0, 0))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    table.add_row("public", shown(listed(audit.public)))
    table.add_row("sensitive", shown(f"{listed(audit.sensitive)}{together}"))
    out.print(table)
    values = f"{audit.public_values:,} x {audit.sensitive_values:,} values"
    figures = {
        "H(X)": audit.entropy_public,
        "H(S)": audit.entropy_sensitive,
        "I(S;X)": audit.information,
        "leakage": audit.leakage,
    }
    told = (Text.assemble((name, "dim"), f" {nats(size)}") for name, size in figures.items())
    out.print(Text("   ").join((Text(values), *told)) + Text(" nats"))


def _print_riskiest(audit: Audit, risks: Sequence[Risk], out: Console) -> None:
    """Print the riskiest values, one on each line: Female · 20 · Sales."""
    between = " · " if out.encoding.startswith("utf") else " | "
    alone = audit.sensitive[0] if len(audit.sensitive) == 1 else None
    beyond = ["in the population"] if risks[0].population is not None else []
    lines = []
    for risk in risks:
        event = event_words(risk.sensitive) if alone is None else value_words(risk.sensitive[alone])
        interval = [] if risk.population is None else [interval_text(risk.population)]
        lines.append(
            [
                between.join(map(value_words, risk.value.values())),
                f"{risk.does} {event}",
                nats(risk.omega),
                *interval,
                f"{risk.records:,}",
                f"{risk.records_with:,}",
                f"{risk.expected:,.1f}",
            ]
        )
    title = first_of("Riskiest values", len(risks), audit.public_values)
    numbers = ["omega", *beyond, "records", "found", "expected"]
    _print_lines([title, "what it does", *numbers], lines, out, names=2)


def _print_drivers(drivers: Sequence[Driver], bound: Bound | None, out: Console) -> None:
    what = "values outside the bound" if bound else "values moving it most"
    title = first_of("Sensitive values behind it", MAX_DRIVERS, len(drivers))
    lines = [
        [event_words(driver.sensitive), *(f"{n:,}" for n in numbers)]
        for driver in drivers[:MAX_DRIVERS]
        for numbers in [(driver.records_with, driver.values, driver.records)]
    ]
    _print_lines([title, "records", what, "their records"], lines, out)


def _print_columns(columns: Sequence[ColumnLeakage], out: Console) -> None:
    """Print the columns that leak most on their own, and the pairs that do."""
    bounded = columns[0].share_at_risk is not None
    numbers = ["values", "leakage (nats)", "records at risk" if bounded else "in records"]
    single = [column for column in columns if len(column.columns) == 1]
    pairs = [column for column in columns if len(column.columns) > 1]
    title = first_of("Public columns on their own", MAX_COLUMNS, len(single))
    lines = [_column(column) for column in worst_first(single)[:MAX_COLUMNS]]
    between = None
    if pairs:
        between = len(lines), first_of("Pairs of them", MAX_PAIRS, len(pairs))
        lines += [_column(column) for column in worst_first(pairs)[:MAX_PAIRS]]
    _print_lines([title, *numbers], lines, out, between=between)


def _print_reader(reader: ReaderAudit, out: Console) -> None:
    """Print what readers gain who know more, for the things they may know that gain most."""
    bounded = reader.holds is not None
    title = first_of(f"What {reader.readers} gain", MAX_CONTEXTS, reader.contexts)
    numbers = ["records", "knew (nats)", "leakage (nats)"]
    lines = [
        [
            context_words(risk.knows),
            f"{risk.records:,.0f}",
            nats(risk.before),
            nats(risk.leakage),
            *([percent(risk.share_at_risk or 0)] if bounded else []),
        ]
        for risk in reader.contexts_listed[:MAX_CONTEXTS]
    ]
    _print_lines([title, *numbers, *(["at risk"] if bounded else [])], lines, out)


def _print_notions(audit: Audit, out: Console) -> None:
    """Print the figures of other notions, one line for those that are good if large or small."""
    table = Table.grid(padding=(0, _GAP, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for good, figures in by_direction(notion_lines(audit.notions)).items():
        table.add_row(" " * _GAP + good, figures)
    out.print(NOTIONS_TITLE, style="bold")
    out.print(table)


def _column(column: ColumnLeakage) -> list[str]:
    share = column.share_at_risk
    records = f"{column.records:,}" if share is None else percent(share)
    return [" x ".join(column.columns), f"{column.values:,}", nats(column.leakage), records]


def _print_lines(
    head: Sequence[str],
    lines: Sequence[Sequence[Any]],
    out: Console,
    *,
    names: int = 1,
    between: tuple[int, str] | None = None,
) -> None:
    """Print lines below their head, the first cells of each, its `names`, cut to the width.

    `between` is another head for the first cell, and the number of the lines above it.
    """
    rows = [[shown(cell) for cell in line] for line in (head, *lines)]
    for row in rows[1:]:
        row[0].pad_left(_GAP)
    if between is not None:
        rows.insert(between[0] + 1, [Text(between[1]), *(Text() for _ in head[1:])])
    widths = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    room = out.width - sum(widths[names:]) - _GAP * (len(head) - 1)
    if names > 1:
        widths[1] = max(1, min(widths[1], max(int(_LEAST_SHARE * room), room - widths[0])))
        room -= widths[1]
    widths[0] = max(1, min(widths[0], room))
    heads = {0} if between is None else {0, between[0] + 1}
    table = Table.grid(padding=(0, _GAP, 0, 0))
    for place in range(len(head)):
        table.add_column(justify="left" if place < names else "right", no_wrap=True)
    for number, row in enumerate(rows):
        cells = [cut(cell, widths[place], out) for place, cell in enumerate(row)]
        table.add_row(*cells, style="bold" if number in heads else None)
    out.print(table)


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
    for line in suggested_lines(suggestion):
        out.print(shown(line), soft_wrap=True)
