"""Codes that stand for a missing value, such as -9: they count as NULL, before anything is cut.

A code is a value of the column. On the command line it is a text: '-9' is the number -9 in a column
of numbers, 'NA' is itself in a file whose other values are numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from loglift.cuts import moment, text_of
from loglift.errors import TableError
from loglift.tables.canonical import Reading, sort_key
from loglift.tables.labels import code_text
from loglift.values import NUMBERS

_MAX_SHOWN = 3  # values of a public column in a message


def codes_among(codes: Iterable[Any], kind: str) -> list[Any]:
    """Return the codes that a column of this type can hold, as values of it."""
    found = [_as(code, kind) for code in codes]
    return [code for code in found if code is not None]


def without_codes(raw: Sequence[Any], reading: Reading, codes: Sequence[Any]) -> list[Any]:
    """Return distinct raw values with None in place of the codes.

    In a file all are texts, of numbers too: '-9.0' is the code -9.
    """
    if not codes:
        return list(raw)
    texts = {text_of(code) for code in codes if isinstance(code, str) or reading != "native"}
    numbers = [*codes_among(codes, "integer"), *codes_among(codes, "float")]
    if reading == "json":
        texts |= {json.dumps(text, ensure_ascii=False) for text in texts}

    def is_code(value: Any) -> bool:
        if isinstance(value, str):
            number = _as(value, "float") if reading != "native" else None
            return value in texts or _among(number, numbers)
        if isinstance(value, bool) or value is None:
            return str(value).lower() in texts
        if isinstance(value, date):
            kind = "datetime" if isinstance(value, datetime) else "date"
            plain = moment(value, zoned=False) if kind == "datetime" else value
            return plain in codes_among(codes, kind)
        return _among(value, numbers)

    return [None if is_code(value) else value for value in raw]


def in_sql(text: str, codes: Sequence[Any]) -> str:
    """Return SQL for a text of a file with NULL in place of the codes."""
    if not codes:
        return text
    texts = [text_of(code) for code in codes]
    quoted = ", ".join(
        "'" + each.replace("'", "''") + "'"
        for each in [*texts, *(json.dumps(each, ensure_ascii=False) for each in texts)]
    )
    numbers = ", ".join(f"'{code!r}'::DOUBLE" for code in codes_among(codes, "float"))
    same = f" OR TRY_CAST({text} AS DOUBLE) IN ({numbers})" if numbers else ""
    return f"CASE WHEN {text} IN ({quoted}){same} THEN NULL ELSE {text} END"


def refuse_other_codes(
    column: str,
    kind: str,
    raw: Sequence[Any],
    reading: Reading,
    codes: Sequence[Any],
    *,
    shown: Sequence[Any] = (),
    labels: Mapping[Any, str] | None = None,
) -> None:
    """Raise for a code that is of another type than its column, and does not occur in it.

    `raw` are the distinct values as the engine gives them, `shown` some that may be told. `labels`
    are the texts that a column shows in place of its codes: these codes are refused, too.
    """
    hidden = {code_text(code) for code, text in (labels or {}).items() if code_text(code) != text}
    for code in codes:
        if text_of(code) in hidden and text_of(code) not in raw:
            raise TableError(
                f"missing (--missing) of {column!r} names the code {text_of(code)}, and the column "
                "shows labels in place of its codes: write the label of that code"
            )
        fits = isinstance(code, str) if kind == "text" else _as(code, kind) is not None
        if fits or without_codes(raw, reading, [code]) != list(raw):
            continue
        few = [text_of(value) for value in sorted(shown, key=sort_key) if value is not None]
        such = f", such as {', '.join(few[:_MAX_SHOWN])}" if few else ""
        raise TableError(
            f"missing (--missing) of {column!r} names {text_of(code)!r}, and the column holds "
            f"{kind} values{such}: give a code of that type"
        )


def _among(number: Any, numbers: Sequence[float]) -> bool:
    if number is None:
        return False
    nan = isinstance(number, float) and math.isnan(number)
    return any(math.isnan(code) if nan else number == code for code in numbers)


def _as(code: Any, kind: str) -> Any:
    """Return a code as a value of a type of numbers or dates; None where it is not one."""
    try:
        if kind in NUMBERS:
            return _number(code, kind)
        if kind == "boolean":
            return {"true": True, "false": False}.get(str(code).lower())
        if kind == "date" and not isinstance(code, datetime):
            return code if isinstance(code, date) else date.fromisoformat(code)
        if kind in ("datetime", "instant"):
            whole = code if isinstance(code, date) else datetime.fromisoformat(code)
            return moment(whole, zoned=False)
    except (TypeError, ValueError, OverflowError):
        return None
    return None


def _number(code: Any, kind: str) -> Any:
    if isinstance(code, (bool, date)):
        return None
    if isinstance(code, int):
        return code if kind == "integer" else float(code)
    number = float(code)
    if kind != "integer":
        return number
    return int(number) if number.is_integer() else None
