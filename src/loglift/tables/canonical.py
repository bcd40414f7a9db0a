"""Values of a table as plain Python values: their types, their canonical form, their order.

Engines disagree about types ('1' and '1.0', NaN and null, Timestamp and datetime). These functions
make them agree, on the distinct values only.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, Literal, TypeAlias
from uuid import UUID

import numpy as np

from loglift.errors import TableError
from loglift.values import type_names

# The form in which an engine gives values to Python: in its own type, as the text of a CSV field,
# or as the text of a JSON value.
Reading: TypeAlias = Literal["native", "text", "json"]

_INTEGER = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
# Longer digit strings are identifiers; Python itself refuses to convert them by default.
_MAX_INTEGER_DIGITS = 4000
MAX_DECIMAL_DIGITS = 38  # of a decimal, in DuckDB, Polars, Arrow and Spark alike


def native(value: Any) -> Any:  # noqa: PLR0911 - one line a type
    """Return `value` as a canonical Python value.

    There is one NaN (the object `math.nan`, so that look-ups find it) and one zero; a decimal
    without fractional digits is an integer; an instant is in UTC.
    """
    if value is None or type(value) in (str, bool, int, date, bytes):
        return value
    if isinstance(value, np.generic) and not isinstance(value, np.longdouble):
        return native(value.item())
    if isinstance(value, float):
        return math.nan if math.isnan(value) else float(value) + 0.0
    if isinstance(value, Decimal):
        return int(value) if value.as_tuple().exponent == 0 else value
    if isinstance(value, datetime):
        return value if value.tzinfo is None else value.astimezone(UTC)
    if isinstance(value, time) and value.tzinfo is None:
        return value
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, (str, UUID)):
        return str(value)
    zoned = " with a zone" if isinstance(value, time) else ""
    raise TableError(
        f"a value of type {type(value).__name__}{zoned} cannot be a public or sensitive value: "
        "convert its column to numbers, texts or dates"
    )


def common_type(values: Iterable[Any], column: str) -> str:
    """Return the one type of a column's canonical values; a column of NULLs is text."""
    names = type_names(values)
    if len(names) > 1 and names <= {"integer", "float"}:
        return "float"
    if len(names) > 1:
        raise TableError(
            f"column {column!r} mixes values of the types {', '.join(sorted(names))}: convert it "
            "to one type, for example text"
        )
    return names.pop() if names else "text"


def decode(
    raw: Sequence[Any], reading: Reading, column: str, expected: str | None = None
) -> tuple[str, list[Any]]:
    """Return the type name of a column and its values in canonical form.

    With `expected`, texts are read as that type; a text that is not of that type stays a text.
    """
    if reading == "text":
        name = expected or infer(raw)
        return name, _mapped(raw, lambda text: parse(text, name))
    if reading == "json":
        values = _mapped(raw, lambda text: _from_json(text, column))
    else:
        values = _natives(raw)
    name = common_type(values, column)
    if reading == "json" and name == "text" and expected in (None, "date"):
        name = expected or ("date" if infer(values) == "date" else "text")
        values = [parse(value, name) for value in values]
    if name == "float":
        values = [_as_float(value, column) for value in values]
    return name, values


def infer(texts: Iterable[str | None]) -> str:
    """Return the type of which all texts are the canonical form, so that reading changes no text.

    Integers as Python writes them (not '007', '+1' or '1_000'), ISO dates, 'true' and 'false',
    floats as Python writes them (not '0.50' or '1e5'); anything else is text.
    """
    found = {text for text in texts if text is not None}
    for name in ("integer", "date", "boolean", "float"):
        if found and all(type(parse(text, name)) is not str for text in found):
            finite = name != "float" or any(math.isfinite(float(text)) for text in found)
            return name if finite else "text"
    return "text"


def parse(text: str | None, name: str) -> Any:
    """Return the value of type `name` of which `text` is the canonical form, or else the text."""
    if text is None:
        return None
    if name == "integer" and _INTEGER.fullmatch(text) and len(text) < _MAX_INTEGER_DIGITS:
        return int(text)
    if name == "date" and _DATE.fullmatch(text):
        return _parse_date(text)
    if name == "boolean" and text in ("true", "false"):
        return text == "true"
    if name == "float":
        return _parse_float(text)
    return text


def sort_key(value: Any) -> tuple[int, Any]:
    """Return the place of a value in its column: NULL, then NaN, then by value.

    Texts come last: a column read as an expected type may hold texts that are not of it.
    """
    if value is None:
        return (0, 0)
    if value is math.nan:  # noqa: PLW0177 - there is only one, see `native`
        return (1, 0)
    return (3, value) if type(value) is str else (2, value)


def _natives(raw: Sequence[Any]) -> list[Any]:
    """Return values in canonical form; those of one type that is canonical are as they are."""
    kinds = set(map(type, raw)) - {type(None)}
    if len(kinds) <= 1 and kinds <= {str, bool, int, date, bytes}:
        return list(raw)
    return _mapped(raw, native)


def _mapped(raw: Sequence[Any], function: Callable[[Any], Any]) -> list[Any]:
    memo: dict[Hashable, Any] = {}
    values = []
    for item in raw:
        try:
            if item not in memo:
                memo[item] = function(item)
            values.append(memo[item])
        except TypeError:  # lists and dicts are unhashable: `native` refuses them with a hint
            values.append(function(item))
    return values


def _from_json(text: str | None, column: str) -> Any:
    try:
        value = None if text is None else json.loads(text)
    except ValueError:  # Python refuses to convert integers of thousands of digits
        raise TableError(
            f"column {column!r} holds a number that is too long: write it as text"
        ) from None
    if isinstance(value, (list, dict)):
        raise TableError(
            f"column {column!r} is nested (a list or an object): take a plain field out of it first"
        )
    return native(value)


def _as_float(value: Any, column: str) -> Any:
    if type(value) is not int:
        return value
    if int(float(value)) != value:
        raise TableError(
            f"column {column!r} mixes floats with integers too large for a float: "
            "convert it to text"
        )
    return float(value)


def _parse_date(text: str) -> date | str:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text


def _parse_float(text: str) -> float | str:
    try:
        value = float(text)
    except ValueError:
        return text
    return native(value) if repr(value) == text != "-0.0" else text
