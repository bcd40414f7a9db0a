"""TOML for writing: Python's standard library reads TOML (`tomllib`) and has no writer.

Texts are written as basic strings on one line. Every character that is not printable is escaped,
line ends and marks that reverse the direction of text among them: a name from a table can neither
end its line nor look like another one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from loglift.errors import InputError

WIDTH = 100  # columns: longer arrays have one item on each line
_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def toml_text(text: str) -> str:
    """Return a text as a basic string of TOML; raises `InputError` for half a surrogate pair."""
    return '"' + "".join(_SHORT.get(char) or _printable(char) for char in text) + '"'


def toml_key(name: str) -> str:
    """Return a key: bare where TOML allows it, else as a text."""
    return name if _BARE.fullmatch(name) else toml_text(name)


def toml_value(value: Any) -> str:
    """Return a boolean, number, text, sequence or mapping as a value of TOML, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return toml_text(value)
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))  # inf and nan are TOML as well
    if isinstance(value, Mapping):
        pairs = (f"{toml_key(name)} = {toml_value(item)}" for name, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    raise InputError(f"a {type(value).__name__} cannot be written to TOML")


def toml_line(name: str, value: Any) -> str:
    """Return `name = value`; a long sequence has one item on each line."""
    line = f"{toml_key(name)} = {toml_value(value)}"
    if len(line) <= WIDTH or isinstance(value, (str, Mapping)) or not isinstance(value, Sequence):
        return line
    items = "".join(f"    {toml_value(item)},\n" for item in value)
    return f"{toml_key(name)} = [\n{items}]"


def toml_comment(text: str) -> str:
    """Return a comment; every line of the text is a line of its own."""
    lines = text.split("\n")
    return "\n".join(f"# {''.join(map(_printable, line))}".rstrip() for line in lines)


def is_plain(value: Any) -> bool:
    """Whether a value can be written and is read back as the same: nested texts and numbers."""
    if isinstance(value, Mapping):
        return all(isinstance(name, str) and is_plain(item) for name, item in value.items())
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        return all(map(is_plain, value))
    if isinstance(value, str):
        return not any("\ud800" <= char <= "\udfff" for char in value)
    return isinstance(value, Real) and not math.isnan(value)


def _printable(char: str) -> str:
    """Return a character, or its escape where it is not printable."""
    if char.isprintable():
        return char
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004, the halves of surrogate pairs
        raise InputError("a text with half of a surrogate pair cannot be written to TOML")
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"  # noqa: PLR2004
