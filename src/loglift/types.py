"""The types of values: what a table may hold and a mechanism file can say."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

TYPE_NAMES = (
    "integer",
    "float",
    "decimal",
    "boolean",
    "text",
    "date",
    "time",
    "datetime",
    "instant",
    "bytes",
)
NUMBERS = frozenset({"integer", "float", "decimal"})
ORDERED_TYPES = NUMBERS | {"date", "time", "datetime", "instant"}

_NAMES: dict[type, str] = {
    int: "integer",
    float: "float",
    Decimal: "decimal",
    bool: "boolean",
    str: "text",
    date: "date",
    time: "time",
    datetime: "datetime",
    bytes: "bytes",
}


def type_name(value: Any) -> str:
    """Return the type name of a canonical value that is not None."""
    if type(value) is datetime and value.tzinfo is not None:
        return "instant"
    return _NAMES[type(value)]
