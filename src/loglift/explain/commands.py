"""What would help, as options of the command line that can be pasted into a shell.

`--bound 'COL=VALUE:none'` takes the bound off a sensitive value, `--combine 'COL=V1,V2'` makes one
of several. Values are written as names show them: NULL is a missing value. In a list they are
quoted as in CSV. No option is offered for what none can say: a combination of several sensitive
columns, a value whose text another value of its column has, a joint that was not counted from a
table.
"""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from loglift.display.numbers import exact
from loglift.joint import Column, Joint
from loglift.mechanism.naming import text_of
from loglift.promise.bound import Bound

# Groups of sensitive values that count as one, by column.
Combined: TypeAlias = Mapping[str, Sequence[Sequence[Any]]]


def bound_options(bound: Bound) -> str:
    """Return the options of a plain bound, such as "--eps 1" or "--lower 1 --upper 2"."""
    return " ".join(f"--{name} {exact(side)}" for name, side in bound.sides.items())


def unbounded_option(joint: Joint, sensitive: Any) -> str | None:
    """Return the option that takes the bound off a sensitive value; None if there is none."""
    found = _column_and_value(joint, sensitive)
    if found is None:
        return None
    column, value = found
    text = _text(column.values, value)
    return None if text is None else f"--bound {_quoted(f'{column.name}={text}:none')}"


def combine_options(
    joint: Joint, groups: Sequence[Sequence[Any]], combined: Combined | None = None
) -> str | None:
    """Return the options that make one sensitive value of each group; None if there are none.

    `combined` are the groups that the values of the joint are made of already, by column. The
    options of these columns stand in place of theirs: a new group that has an old one lists all its
    values, and old groups that stay are repeated.
    """
    found: dict[str, list[list[Any]]] = {}
    columns = {column.name: column for column in joint.sensitive_columns}
    for group in groups:
        members = [_column_and_value(joint, event) for event in group]
        names = {member[0].name for member in members if member is not None}
        if None in members or len(names) != 1:
            return None
        [name] = names
        found.setdefault(name, []).append([member[1] for member in members if member is not None])
    options = []
    for name, parts in found.items():
        inside = _members(columns[name], (combined or {}).get(name, ()))
        taken = {value for part in parts for value in part}
        kept = [list(members) for value, members in inside.items() if value not in taken]
        lists = [[each for v in part for each in inside.get(v, (v,))] for part in parts]
        every = [*columns[name].values, *(each for members in inside.values() for each in members)]
        for values in (*lists, *kept):
            texts = [_text(every, value) for value in values]
            if None in texts:
                return None
            options.append(f"--combine {_quoted(f'{name}={_listed(texts)}')}")
    return " ".join(options) or None


def _column_and_value(joint: Joint, sensitive: Any) -> tuple[Column, Any] | None:
    """Return the column and the value of an event of one sensitive column."""
    if not isinstance(sensitive, dict) or len(sensitive) != 1:
        return None
    [(name, value)] = sensitive.items()
    column = next((each for each in joint.sensitive_columns if each.name == name), None)
    return None if column is None or "=" in name else (column, value)


def _members(column: Column, groups: Sequence[Sequence[Any]]) -> dict[Any, tuple[Any, ...]]:
    """Return the values of each value of a column that stands for a group; see `Joint.combined`."""
    found = {}
    for group in groups:
        words = sorted(" or ".join("NULL" if v is None else str(v) for v in group).split(" or "))
        for value in column.values:
            if isinstance(value, str) and sorted(value.split(" or ")) == words:
                found[value] = tuple(group)
    return found


def _text(values: Sequence[Any], value: Any) -> str | None:
    """Return the text of a value; None where it means another value of the column."""
    text = text_of(value)
    same = [each for each in values if text_of(each) == text]
    return text if all(each is value or each == value for each in same) else None


def _listed(texts: Sequence[str | None]) -> str:
    """Return texts as a line of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(texts)
    return line.getvalue()


def _quoted(text: str) -> str:
    """Return a text quoted for a shell, always: it then ends where the sentence goes on."""
    found = shlex.quote(text)
    return f"'{text}'" if found == text else found
