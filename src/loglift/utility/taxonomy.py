"""Taxonomies: the nodes that the values of a column belong to, from fine to coarse.

    Alberta;      Prairie provinces;  West;  *
    Saskatchewan; Prairie provinces;  West;  *
    Nova Scotia;  Atlantic provinces; East;  *

Each level is a coarser version of the column, so it is a target, and a block that is exactly one
node is named by it. Each node has one parent. The coarsest level often has one node for all values
(ARX writes `*`): it says nothing, so it is left out.
"""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from loglift.errors import UtilityError
from loglift.joint import Column, one_nan
from loglift.utility.target import listed

HEADER = "value"  # the first cell of a CSV file that names its columns
NULL = "NULL"
NULL_TEXTS = (NULL, "")  # how a file writes a missing value


@dataclass(frozen=True)
class Taxonomy:
    """The names of the nodes that each value belongs to, from fine to coarse.

    Made by `read` or `of`. Values are held as texts, as a CSV file has them, and become values of
    a column's type in `matched`.

    Attributes
    ----------
    nodes
        For each value its nodes, one for each level. Levels with one node for all are left out.

    """

    nodes: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Taxonomy:
        """Read a taxonomy from a CSV, JSON or TOML file in UTF-8, with or without a BOM.

        A `.json` or `.toml` file holds one of the mappings that `of` takes. Any other file is CSV:
        one line per value, `value; level 1; level 2; ...` from fine to coarse, as ARX writes its
        hierarchies. The separator is `;` if the first line has one outside quotes, else `,`. A
        first line whose first cell is `value` is a header.

        Raises `UtilityError` if the file cannot be read or is not a taxonomy.
        """
        place = Path(path)
        try:
            text = place.read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise UtilityError(
                f"the taxonomy {place} cannot be read: {error.strerror}: give an existing CSV, "
                "JSON or TOML file"
            ) from None
        except UnicodeDecodeError:
            raise UtilityError(f"the taxonomy {place} is not UTF-8: save it as UTF-8") from None
        try:
            match place.suffix.lower():
                case ".json":
                    return cls.of(_from_json(text))
                case ".toml":
                    return cls.of(_from_toml(text))
                case _:
                    return _checked((row[0], row[1:]) for row in _csv_rows(text))
        except UtilityError as error:
            raise UtilityError(f"the taxonomy {place}: {error}") from None

    @classmethod
    def of(cls, mapping: Mapping[Any, Any]) -> Taxonomy:
        """Return the taxonomy that a mapping describes, in one of three forms.

        - `{value: node}`: one level;
        - `{value: [level 1, level 2, ...]}`: the nodes of each value, from fine to coarse;
        - `{coarse: {fine: [values]}}`: a tree, from coarse to fine, of two levels or more.

        `{node: [values]}` is not among them: it looks like the second form, and is read as such.
        Values may have any type that a table's values have, or be their texts.
        """
        if not isinstance(mapping, Mapping):
            raise UtilityError(
                f"a taxonomy must be a mapping of values to nodes, got {type(mapping).__name__}"
            )
        if any(isinstance(below, Mapping) for below in mapping.values()):
            return _checked(_leaves(mapping, ()))
        return _checked(
            (value, nodes if isinstance(nodes, (list, tuple)) else (nodes,))
            for value, nodes in mapping.items()
        )

    @property
    def levels(self) -> int:
        """The number of levels; 0 if all values have the same nodes."""
        return len(next(iter(self.nodes.values())))

    def matched(self, column: Column) -> tuple[Mapping[Any, str], ...]:
        """Return for each level, from fine to coarse, the node of each value of a column.

        Texts are read as the type of the column: `7`, `07` and `7.0` are the integer 7; dates and
        times are in ISO 8601; booleans are `true` and `false`; bytes are hexadecimal. NULL is
        `NULL` or an empty field; in a column of texts the empty field is NULL only if the taxonomy
        does not have `NULL`. Values of the taxonomy that the column does not have are ignored.

        Raises `UtilityError` if a value of the column is missing, or has different nodes under two
        spellings. O(values of the taxonomy and of the column).
        """
        nodes_of = self._typed(column)
        missing = [_text(value) for value in column.values if one_nan(value) not in nodes_of]
        if missing:
            known = {node for nodes in self.nodes.values() for node in nodes}
            hint = (
                "it has them as nodes, not as values: map each value to its nodes"
                if known.issuperset(missing)
                else "add each of them with its nodes"
            )
            raise UtilityError(
                f"the taxonomy of column {column.name!r} does not have the value"
                f"{'s' if len(missing) > 1 else ''} {listed(missing)}: {hint}"
            )
        return tuple(
            {value: nodes_of[one_nan(value)][level] for value in column.values}
            for level in range(self.levels)
        )

    def _typed(self, column: Column) -> dict[Any, tuple[str, ...]]:
        """Return the nodes of each text, and of the value of the column's type that it means."""
        found: dict[Any, tuple[str, ...]] = dict(self.nodes)
        spelled: dict[Any, str] = {}
        wanted = {one_nan(value) for value in column.values}
        read = _READERS.get(column.type, str)
        for text, nodes in self.nodes.items():
            if text == "" and column.type == "text" and NULL in self.nodes:
                continue  # it is the empty text
            try:
                value = None if text in NULL_TEXTS else one_nan(read(text))
            except (ValueError, ArithmeticError):
                continue  # it means no value of this type
            if value in wanted and found.setdefault(value, nodes) != nodes:
                raise UtilityError(
                    f"the taxonomy of column {column.name!r} has a value twice, as "
                    f"{spelled[value]!r} and {text!r}, with different nodes: keep one"
                )
            spelled[value] = text
        return found


def _checked(entries: Iterable[tuple[Any, Iterable[Any]]]) -> Taxonomy:
    """Return the taxonomy of these values and their nodes, after all checks."""
    found: dict[str, tuple[str, ...]] = {}
    for value, given in entries:
        text = _text(value)
        if text in found:
            raise UtilityError(f"the value {text!r} occurs twice: keep one")
        found[text] = tuple(_node(node, text) for node in given)
    if not found:
        raise UtilityError("there are no values: give each value with its nodes, fine to coarse")
    first, nodes_of_first = next(iter(found.items()))
    for text, nodes in found.items():
        if not nodes:
            raise UtilityError(
                f"the value {text!r} has no node: write value; level 1; level 2; ... with "
                "semicolons or commas, or a mapping of values to nodes"
            )
        if len(nodes) != len(nodes_of_first):
            raise UtilityError(
                f"the value {first!r} has {len(nodes_of_first)} and {text!r} has {len(nodes)} "
                "nodes: give every value one node for each level"
            )
    levels = list(zip(*found.values(), strict=True))
    for number, (fine, coarse) in enumerate(pairwise(levels), start=1):
        parents: dict[str, str] = {}
        for node, parent in zip(fine, coarse, strict=True):
            if parents.setdefault(node, parent) != parent:
                raise UtilityError(
                    f"the node {node!r} of level {number} is under {parents[node]!r} and under "
                    f"{parent!r} of level {number + 1}: give it one parent, or use two names"
                )
    # Each node has one parent, so levels with a single node come last.
    kept = sum(len(set(level)) > 1 for level in levels)
    return Taxonomy({text: nodes[:kept] for text, nodes in found.items()})


def _leaves(
    tree: Mapping[Any, Any], above: tuple[Any, ...]
) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield each value of a nested mapping with its nodes, from fine to coarse."""
    for node, below in tree.items():
        nodes = (node, *above)
        if isinstance(below, Mapping):
            yield from _leaves(below, nodes)
        elif isinstance(below, (list, tuple)):
            yield from ((value, nodes) for value in below)
        else:
            raise UtilityError(
                f"{node!r} is followed by {below!r}: a nested mapping {{coarse: {{fine: "
                "[values]}} must end in lists of values (quote keys with dots in TOML)"
            )


def _text(value: Any) -> str:
    """Return a value as a CSV file has it."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return NULL
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if not isinstance(value, (str, int, float, Decimal)):
        raise UtilityError(
            f"{value!r} cannot be a value of a column: give a text, a number, a date or a time"
        )
    return str(value)


def _node(node: Any, value: str) -> str:
    """Return the name of a node of a value, without spaces around it."""
    if not isinstance(node, (str, int, float)) or isinstance(node, bool):
        raise UtilityError(f"the value {value!r} has the node {node!r}: name nodes by texts")
    name = str(node).strip()
    if not name:
        raise UtilityError(
            f"the value {value!r} has a node without a name: name its node at every level"
        )
    return name


def _csv_rows(text: str) -> list[list[str]]:
    """Return the fields of each line of a CSV file that is not blank, without the header."""
    tried = csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True)
    try:
        semicolons = len(next(filter(None, tried), [])) > 1
    except csv.Error:  # the first line has a quoted field that no semicolon follows
        semicolons = False
    separator = ";" if semicolons else ","
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        rows = list(filter(None, lines))
    except csv.Error as error:
        raise UtilityError(f"line {lines.line_num} is not CSV: {error}") from None
    return rows[1:] if rows and rows[0][0] == HEADER else rows


def _from_json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except UtilityError:
        raise
    except (ValueError, RecursionError) as error:
        raise UtilityError(f"it is not JSON: {error}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; a key that occurs twice is refused, not overwritten."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise UtilityError(f"the key {key!r} occurs twice: keep one")
        found[key] = value
    return found


def _from_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UtilityError(f"it is not TOML, or has a key twice: {error}") from None


def _number(text: str) -> Decimal:
    """Return a finite number, which equals the int, float or Decimal of the same value."""
    number = Decimal(text)
    if not number.is_finite():
        raise ValueError(text)
    return number


def _boolean(text: str) -> bool:
    lowered = text.lower()
    if lowered not in ("true", "false"):
        raise ValueError(text)
    return lowered == "true"


_READERS: dict[str, Callable[[str], Any]] = {
    "integer": _number,
    "decimal": _number,
    "float": float,
    "boolean": _boolean,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "datetime": datetime.fromisoformat,
    "instant": datetime.fromisoformat,
    "bytes": bytes.fromhex,
}
