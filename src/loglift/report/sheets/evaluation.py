"""All sheets of an evaluation, and its section on a page."""

from __future__ import annotations

from typing import Any

from loglift.readers.evaluation import Evaluation
from loglift.report.sentences.evaluation import evaluation_statements, made_words
from loglift.report.sheets.attack import attack_sheet, minimality_sheet, readers_sheet
from loglift.report.sheets.sheet import Sheet
from loglift.report.sheets.use import columns_sheet, models_sheet, pairs_sheet, queries_sheet

MAX_PAGE_PAIRS = 20


def sheets_of(found: Evaluation, *, pairs: int) -> tuple[Sheet, ...]:
    """Return all sheets of an evaluation; that of the pairs has as many lines as `pairs`."""
    sheets = [columns_sheet(found)]
    if found.pairs:
        sheets.append(pairs_sheet(found.pairs, pairs))
    sheets.append(queries_sheet(found.queries))
    if found.models:
        sheets.append(models_sheet(found))
    for attack in found.attacks:
        sheets.append(attack_sheet(attack, found))
        if attack.readers:
            sheets.append(readers_sheet(attack))
        sheets.append(minimality_sheet(attack, found))
    return tuple(sheets)


def evaluation_parts(found: Evaluation) -> dict[str, Any]:
    """Return what the section of an evaluation shows on the page of a release."""
    return {
        "sheets": {"evaluation": sheets_of(found, pairs=MAX_PAGE_PAIRS)},
        "lead": {"evaluation": made_words(found)},
        "evaluated": evaluation_statements(found),
    }
