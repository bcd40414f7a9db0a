"""Cells of a CSV file that a spreadsheet would run as formulas: how to find and escape them.

A spreadsheet recognises a formula by the first character of a cell, whether the field is quoted or
not. A single quote before it makes the cell a text. A number, such as -5, is not a formula.
"""

from __future__ import annotations

import re
from collections.abc import Collection

# Full-width characters begin formulas too, in some languages of the spreadsheet.
_BEGINS = "=+-@\t\r\n＝＋－＠"
_FIRST = f"[{_BEGINS.replace('-', chr(92) + '-')}]"
_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
# Texts that begin with quotes before such a character get one more, so that all stay different.
_ESCAPED = f"'*{_FIRST}"


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run a text."""
    # Of millions of cells few begin so: no regular expression is tried on the others.
    return bool(text) and text[0] in _BEGINS and not re.fullmatch(_NUMBER, text)


def has_formula(texts: Collection[str]) -> bool:
    """Whether a spreadsheet would run one of the texts."""
    firsts = {text[:1] for text in texts} - {""}
    return not firsts.isdisjoint(_BEGINS) and any(map(is_formula, texts))


def escaped(text: str) -> str:
    """Return a text that no spreadsheet runs; different texts stay different."""
    escapes = re.match(_ESCAPED, text) and not re.fullmatch(_NUMBER, text)
    return f"'{text}" if escapes else text


def sql_is_formula(cell: str) -> str:
    """Return SQL for `is_formula` of a text."""
    return f"({_matches(cell, _FIRST)})"


def sql_escaped(cell: str) -> str:
    """Return SQL for `escaped` of a text."""
    return f"CASE WHEN {_matches(cell, _ESCAPED)} THEN '''' || {cell} ELSE {cell} END"


def _matches(cell: str, begins: str) -> str:
    first = begins.replace("'", "''")
    return f"regexp_matches({cell}, '^{first}') AND NOT regexp_full_match({cell}, '{_NUMBER}')"
