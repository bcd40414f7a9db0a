"""An evaluation on a terminal, on a page of its own, and as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from loglift.readers.evaluation import Evaluation
from loglift.report.document import statements
from loglift.report.page import PRIVATE, Section, put_together
from loglift.report.sentences.evaluation import evaluation_statements, made_words
from loglift.report.sheets.evaluation import MAX_PAGE_PAIRS, sheets_of
from loglift.report.terminal import print_statement, shown

READERS, ATTACKER = "What readers can do with it", "What an attacker can"
MAX_TERMINAL_PAIRS = 10
MAX_UNBROKEN = 24  # characters of a name that a terminal does not break


def print_evaluation(found: Evaluation, out: Console, where: str) -> None:
    """Print an evaluation: the sheets, then what they come to."""
    out.print(shown(f"{where}: {made_words(found)}"), style="bold")
    for sheet in sheets_of(found, pairs=MAX_TERMINAL_PAIRS):
        out.print()
        table = Table(title=shown(sheet.title), title_justify="left")
        first, *others = sheet.head
        longest = max(len(word) for row in sheet.rows for word in row[0].split())
        table.add_column(first, overflow="fold", min_width=min(longest, MAX_UNBROKEN))
        for name in others:
            table.add_column(name, justify="right")
        for row in sheet.rows:
            table.add_row(*(shown(cell) if cell else "" for cell in row))
        table.caption, table.caption_justify = sheet.says, "left"
        out.print(table)
        for note in sheet.notes:
            out.print(shown(note))
    out.print()
    for statement in evaluation_statements(found):
        print_statement(statement, out)


def evaluation_page(found: Evaluation, where: str) -> str:
    """Return an evaluation as one self-contained HTML page."""
    sheets = sheets_of(found, pairs=MAX_PAGE_PAIRS)
    return put_together(
        f"Evaluation of a release of {where}",
        PRIVATE,
        [
            Section("readers", READERS, "evaluation.html"),
            Section("attacker", ATTACKER, "evaluation.html"),
        ],
        evaluation_statements(found),
        sheets={
            "readers": [sheet for sheet in sheets if not sheet.is_attack],
            "attacker": [sheet for sheet in sheets if sheet.is_attack],
        },
        lead={"readers": made_words(found)},
    )


def evaluation_document(found: Evaluation) -> dict[str, Any]:
    """Return what `loglift evaluate --json` prints."""
    return {**found.as_dict(), "statements": statements(evaluation_statements(found))}
