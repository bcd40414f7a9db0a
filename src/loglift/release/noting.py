"""Noting what a release was asked for, as a plan."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from loglift.cuts import IGNORE, text_of
from loglift.joint import Joint
from loglift.promise.bound import Bound
from loglift.release.options import Options
from loglift.release.places import absolute
from loglift.release.plan import BY_NAME, KEYS, Key, Plan
from loglift.release.sensitive import text_for
from loglift.release.toml import is_plain
from loglift.tables import Table
from loglift.utility.utility import Utility


def plan_of(
    opened: Table,
    options: Options,
    joint: Joint,
    bound: Bound,
    groups: Mapping[str, Sequence[Sequence[Any]]],
    files: Mapping[str, Any],
) -> Plan:
    """Note what a release was asked for.

    `bound` and `groups` name sensitive values as the table has them, and `files` are mechanisms as
    they were given, by the key that names them.
    """
    noting = _Noting()
    if opened.is_file:
        noting.options["table"] = absolute(opened.where)
    plain = {key.of_options: key for key in KEYS if key.of_options}
    for item in fields(Options):
        value, key = getattr(options, item.name), plain.get(item.name)
        default = item.default_factory() if item.default_factory is not MISSING else item.default
        if key is not None and value is not None and value != default:
            noting.note(key, value)
    noting.note_cuts(options)
    if options.bound is not None:
        noting.note_bound(bound, joint, groups, options.ignored)
    for column, values in groups.items():
        known = _values_of(joint, column, groups)
        noting.note_column(
            "combine", column, [[text_for(v, known) for v in group] for group in values]
        )
    for name, given in files.items():
        if given is not None and given != ():
            noting.note(BY_NAME[name], given)
    for name in [name for name, value in noting.options.items() if not is_plain(value)]:
        noting.left_out.append(f"{name} has a name that is not Unicode text")
        del noting.options[name]
    return Plan(noting.options, tuple(noting.left_out))


@dataclass
class _Noting:
    """Options on their way into a plan, and what could not be noted."""

    options: dict[str, Any] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def note(self, key: Key, value: Any) -> None:
        """Note an option; what a plan cannot hold is left out, with the reason."""
        if key.kind == "columns":
            for column, item in value.items():
                self.note_column(key.name, column, _path_of(item) if key.path else item)
            return
        if isinstance(value, Utility):
            self.left_out.append(f"{key.name} was given as a Utility")
        elif isinstance(value, Mapping):
            self.left_out.append(f"{key.name} was given value by value, as a mapping")
        elif key.path:
            several = isinstance(value, Sequence) and not isinstance(value, str)
            found = [_path_of(each) for each in (value if several else [value])]
            if None in found:
                self.left_out.append(f"{key.name} was given as an object, not as a file")
            else:
                self.options[key.name] = found if key.kind == "texts" else found[0]
        else:
            self.options[key.name] = list(map(str, value)) if key.kind == "texts" else value

    def note_column(self, name: str, column: str, value: Any) -> None:
        """Note what an option says about a column, in a table of its own."""
        option = f"{name} of column {column!r}"
        if not isinstance(column, str) or "=" in column:
            self.left_out.append(f"{option}: its name cannot be written before a = sign")
        elif value is None:
            self.left_out.append(f"{option} was given as an object, not as a file")
        elif not is_plain(value):
            self.left_out.append(f"{option} has values that a text cannot name")
        else:
            self.options.setdefault(name, {})[column] = value

    def note_cuts(self, options: Options) -> None:
        """Note how columns are cut, and the codes that count as missing."""
        for column, cut in options.bins.items():
            if cut.bands:
                self.note_column("bin", column, cut.option if cut.width is None else cut.width)
        codes: dict[str, list[Any]] = {
            column: [code if is_plain(code) else text_of(code) for code in cut.missing]
            for column, cut in options.bins.items()
            if cut.missing
        }
        for column in options.ignored:
            codes.setdefault(column, []).append(IGNORE)
        for column, found in codes.items():
            self.note_column("missing", column, found)

    def note_bound(
        self,
        bound: Bound,
        joint: Joint,
        groups: Mapping[str, Sequence[Sequence[Any]]],
        ignored: Sequence[str],
    ) -> None:
        """Note a bound as the options that give it; NULL that is ignored is noted as missing."""
        self.options |= bound.sides
        for each in bound.requirements:
            name, limit = each.option.removeprefix("--"), each.limit
            alpha = each.document().get("alpha")
            self.options[name] = limit if alpha is None else f"{alpha!r}={limit!r}"
        by_column: dict[str, dict[Any, Any]] = {}
        for entry in bound.values:
            column = str(entry.column)
            if entry.value is None and column in ignored:
                continue
            text = text_for(entry.value, _values_of(joint, column, groups))
            sides_of = ["none" if math.isinf(s) else s for s in (entry.lower, entry.upper)]
            both = sides_of[0] if sides_of[0] == sides_of[1] else sides_of
            by_column.setdefault(column, {})[text] = both
        for column, values in by_column.items():
            self.note_column("bound", column, values)


def _values_of(
    joint: Joint, column: str, groups: Mapping[str, Sequence[Sequence[Any]]]
) -> list[Any]:
    """Return the values of a sensitive column, those that were combined among them."""
    [found] = [each for each in joint.sensitive_columns if each.name == column]
    return [*found.values, *(value for group in groups.get(column, ()) for value in group)]


def _path_of(given: Any) -> str | None:
    """Return a path that was given as an absolute one; None for any other object."""
    return absolute(os.fspath(given)) if isinstance(given, (str, os.PathLike)) else None
