"""Types of values, values as JSON, and checks of numbers given as options.

Tables hold values of the types named here. A mechanism file writes values with their types, and
results of any size are written fast.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import cache
from itertools import chain, islice
from numbers import Integral, Real
from typing import Any

from loglift.errors import InputError, MechanismError

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

_TYPE_NAME_OF: dict[type, str] = {
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

PLAIN = frozenset({str, int, bool, type(None)})  # types that JSON has
_UNCHANGED = PLAIN | {float}  # types that `decode` leaves as they are
PARTS_PER_CHUNK = 10_000  # of a list that a file holds: written at a time
json_text = json.JSONEncoder(ensure_ascii=False).encode  # on one line
quoted: Callable[[str], str] = json.encoder.encode_basestring  # what `json_text` makes of a text


def type_name(value: Any) -> str:
    """Return the type name of a canonical value that is not None."""
    if type(value) is datetime and value.tzinfo is not None:
        return "instant"
    return _TYPE_NAME_OF[type(value)]


def type_names(values: Iterable[Any]) -> set[str]:
    """Return the type names of canonical values; None has no type."""
    some = list(values)
    kinds = set(map(type, some)) - {type(None)}
    if datetime in kinds:  # which may have a zone
        return {type_name(value) for value in some if value is not None}
    return {_TYPE_NAME_OF[kind] for kind in kinds}


def plain(value: Any) -> Any:
    """Return a number, text, time or array of NumPy as Python's own; anything else as it is."""
    if not (hasattr(value, "tolist") and hasattr(value, "dtype")):
        return value
    if value.dtype in ("datetime64[ns]", "timedelta64[ns]"):  # Python counts microseconds
        value = value.astype(f"{value.dtype.kind}8[us]")
    return value.tolist()


def encode(value: Any) -> Any:
    """Return a value in JSON; types that JSON does not have become {type: text}."""
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


def encode_all(values: Iterable[Any]) -> list[Any]:
    """Return values in JSON, each as `encode` does."""
    return [value if type(value) in PLAIN else encode(value) for value in values]


def texts_of(values: Sequence[Any], other: Callable[[Any], Any] = encode) -> Iterator[str]:
    """Yield the JSON text of each value, on one line; fast for texts and integers.

    `other` makes JSON of values of other types.
    """
    kinds = set(map(type, values))
    if kinds <= {str}:
        return map(quoted, values)
    if kinds <= {int}:
        return map(int.__repr__, values)
    return (quoted(v) if type(v) is str else json_text(other(v)) for v in values)


def row_texts(
    columns: Sequence[Sequence[Any]], other: Callable[[Any], Any] = encode
) -> Iterator[str]:
    """Yield each row of some columns, at least one, as the text of a JSON list; see `texts_of`."""
    cells = zip(*(texts_of(column, other) for column in columns), strict=True)
    return map("[{}]".format, map(", ".join, cells))


def decode(value: Any) -> Any:
    """Return the value that `encode` wrote."""
    if not isinstance(value, dict):
        if isinstance(value, list):
            raise MechanismError("a value is a list")
        return value
    [(tag, text)] = value.items()
    return _DECODERS[tag](text)


def decode_all(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values that `encode_all` wrote."""
    some = tuple(values)
    return some if set(map(type, some)) <= _UNCHANGED else tuple(map(decode, some))


def decode_rows(rows: Sequence[Iterable[Any]]) -> tuple[tuple[Any, ...], ...]:
    """Return the values of each of some lists that `encode_all` wrote."""
    if set(map(type, chain.from_iterable(rows))) <= _UNCHANGED:
        return tuple(map(tuple, rows))
    return tuple(tuple(map(decode, values)) for values in rows)


_DECODERS = {
    "float": lambda text: math.nan if text == "nan" else float(text),  # look-ups need one NaN
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "decimal": Decimal,
    "bytes": base64.b64decode,
}


def encoded(value: Any) -> Any:
    """Return nested results, dataclasses among them, in JSON; infinite numbers are "inf"."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, float):
        return str(value) if math.isinf(value) else encode(value)
    if isinstance(value, dict):
        return {k: v if type(v) in PLAIN else encoded(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [item if type(item) in PLAIN else encoded(item) for item in value]
    kind: Any = type(value)  # mypy does not take a class for Hashable
    names = _field_names(kind)
    if names is None:
        return encode(value)
    own = getattr(value, "document", None)  # a JSON form of its own
    return encoded({name: getattr(value, name) for name in names}) if own is None else own()


def is_missing(value: Any) -> bool:
    """Whether a value is NULL or NaN."""
    return value is None or bool(value != value)  # noqa: PLR0124 - NaN of any type


@cache
def _field_names(kind: Any) -> tuple[str, ...] | None:
    """Return the names of a dataclass's fields; None for any other type."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None


@dataclass(frozen=True)
class Parts:
    """The parts of a list, each as the text of its JSON; they need not be in memory all at once."""

    texts: Iterable[str]


def pretty(document: Mapping[str, Any]) -> str:
    """Return the whole text of a file; see `pieces`."""
    return "".join(pieces(document))


def pieces(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text of a file: one line for each key, and for each part of a list of parts.

    A value may be `Parts` that are written already. With an indent, json writes number by number in
    Python, which takes seconds for long lists.
    """
    yield "{"
    begin = "\n"
    for key, value in document.items():
        yield f"{begin} {json.dumps(key)}: "
        yield from _laid_out(value)
        begin = ",\n"
    yield "\n}\n"


def in_chunks(parts: Iterable[Any], most: int | None = None) -> Iterator[list[Any]]:
    """Yield the parts in lists of at most `most`, by default `PARTS_PER_CHUNK`."""
    rest = iter(parts)
    while chunk := list(islice(rest, most or PARTS_PER_CHUNK)):
        yield chunk


def _laid_out(value: Any) -> Iterator[str]:
    several = isinstance(value, (list, tuple)) and any(isinstance(v, (list, dict)) for v in value)
    if not several and not isinstance(value, Parts):
        yield json_text(value)
        return
    yield "["
    begin = "\n  "
    for chunk in in_chunks(value.texts if isinstance(value, Parts) else map(json_text, value)):
        yield begin + ",\n  ".join(chunk)
        begin = ",\n  "
    yield "\n ]"


def checked_number(
    value: Any,
    name: str,
    *,
    least: float = -math.inf,
    above: float = -math.inf,
    most: float = math.inf,
    below: float = math.inf,
    whole: bool = False,
    error: type[InputError] = InputError,
) -> float:
    """Return an option that must be a number, as int if `whole`, else as float.

    Raises `error` for anything else, booleans and NaN included, and for a number that is not at
    least `least`, above `above`, at most `most` and below `below`; the message names the option and
    the limits that are finite.
    """
    kind: Any = Integral if whole else Real
    number = isinstance(value, kind) and not isinstance(value, bool)
    if not number or value != value:  # noqa: PLR0124 - NaN; math.isnan fails on large integers
        raise error(f"{name} must be {'a whole number' if whole else 'a number'}, got {value!r}")
    inside = (value < below or below == math.inf) and (value > above or above == -math.inf)
    if not (least <= value <= most and inside):
        limits = {"at least": least, "above": above, "at most": most, "below": below}
        said = [f"{word} {limit:.12g}" for word, limit in limits.items() if math.isfinite(limit)]
        said = [f"{least:.12g}"] if least == most else said
        raise error(f"{name} must be {' and '.join(said)}, got {value!r}")
    if whole:
        return int(value)
    try:
        return float(value)
    except OverflowError:  # an integer larger than every float
        return math.inf if value > 0 else -math.inf


def looks_fractional(values: Iterable[Any]) -> bool:
    """Whether the values are numbers or texts of numbers, and not all of them integers."""
    try:
        numbers = [float(value) for value in values if value is not None]
        return any(number != round(number, 0) for number in numbers)
    except (TypeError, ValueError, OverflowError):
        return False
