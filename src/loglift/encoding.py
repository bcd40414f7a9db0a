"""Values and results as JSON: values keep their types, and large files are written fast."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from loglift.errors import MechanismError

PLAIN = frozenset({str, int, bool, type(None)})  # what JSON knows as they are


def encode(value: Any) -> Any:
    """Return a value in JSON, with its type: what JSON cannot tell apart is tagged by its type."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, datetime):
        return {"datetime": value.isoformat()}
    if isinstance(value, (date, time)):
        return {type(value).__name__: value.isoformat()}
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode("ascii")}
    raise MechanismError(f"a value of type {type(value).__name__} cannot be written to JSON")


def decode(value: Any) -> Any:
    """Return the value `encode` wrote."""
    if not isinstance(value, dict):
        if isinstance(value, list):
            raise MechanismError("a value is a list")
        return value
    [(tag, text)] = value.items()
    return _DECODERS[tag](text)


def _float(text: str) -> float:
    return math.nan if text == "nan" else float(text)


_DECODERS = {
    "float": _float,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "decimal": Decimal,
    "bytes": base64.b64decode,
}


def encoded(value: Any) -> Any:
    """Return nested results in JSON: values with their types, infinite numbers as "inf"."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, float):
        return str(value) if math.isinf(value) else encode(value)
    if isinstance(value, dict):
        return {key: encoded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [encoded(item) for item in value]
    if is_dataclass(value):
        return {field.name: encoded(getattr(value, field.name)) for field in fields(value)}
    return encode(value)


def pretty(document: Mapping[str, Any]) -> str:
    """Return the text of a file: a line for each key, and for each part of a list of parts.

    With an indent, json would write number by number in Python, which takes seconds for many.
    """
    lines = [f" {json.dumps(key)}: {_laid_out(value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _laid_out(value: Any) -> str:
    if isinstance(value, (list, tuple)) and any(isinstance(v, (list, dict)) for v in value):
        return "[\n  " + ",\n  ".join(_compact(item) for item in value) + "\n ]"
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
