"""What is said about sensitive values, put in terms of the values that a table has.

On the command line values are texts: "NULL" is a missing value, "3" the number 3 in a column of
numbers. A value that the table does not have is refused, so that a misspelt one is noticed.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from loglift.errors import BoundError, TableError
from loglift.joint import Column, Joint
from loglift.mechanism.naming import text_of
from loglift.promise.bound import Bound


def combined(
    joint: Joint, combine: Mapping[str, Sequence[Sequence[Any]]]
) -> tuple[Joint, dict[str, tuple[tuple[Any, ...], ...]]]:
    """Return the joint with some sensitive values made one, and the values of each group.

    `combine` maps columns to groups of values. Nothing is promised about telling the values of a
    group apart.
    """
    done: dict[str, tuple[tuple[Any, ...], ...]] = {}
    for name, groups in combine.items():
        column = _column(joint, name, "combine (--combine)")
        found = tuple(tuple(_value(column, value, "combine") for value in each) for each in groups)
        members = [value for group in found for value in group]
        if len(set(members)) < len(members) or not all(len(group) > 1 for group in found):
            raise TableError(
                f"combine (--combine) of {name!r} needs groups of two or more different values, "
                "and each value in one group only"
            )
        joint = joint.combined(name, found)
        if len(joint.sensitive) == 1:
            raise TableError(
                f"combine (--combine) of {name!r} leaves a single sensitive value, of which "
                "nothing can be learned: combine fewer"
            )
        done[name] = found
    return joint, done


def resolved(
    bound: Bound,
    joint: Joint,
    ignored: Sequence[str] = (),
    groups: Mapping[str, Sequence[Sequence[Any]]] | None = None,
) -> Bound:
    """Return the bound with the values that have bounds of their own as the table has them.

    NULL of the `ignored` sensitive columns has no limit: nothing is promised about who has no
    value; these records count in all shares as before. `groups` are the values that were combined.
    """
    entries = []
    for entry in bound.values:
        name = entry.column
        if name is None:
            if len(joint.sensitive_columns) > 1:
                raise BoundError(
                    f"the bound of {entry.value!r} does not say of which sensitive column: "
                    "with_values({...}, column='diagnosis'), --bound 'diagnosis=HIV:0.3'"
                )
            name = joint.sensitive_columns[0].name
        column = _column(joint, name, "bound (--bound)")
        entries.append(replace(entry, value=_value(column, entry.value, "bound"), column=name))
    found = replace(bound, values=tuple(entries))
    for name in ignored:
        if any(None in group for group in (groups or {}).get(name, ())):
            raise TableError(
                f"missing (--missing) ignores NULL of {name!r}, which combine (--combine) makes "
                "one with other values: do one of both"
            )
        if None in _column(joint, name, "missing (--missing)").values:
            found = found.with_values({None: None}, name)
    return found


def _column(joint: Joint, name: Hashable, option: str) -> Column:
    for column in joint.sensitive_columns:
        if column.name == name:
            return column
    names = ", ".join(column.name for column in joint.sensitive_columns)
    raise TableError(f"{option} names {name!r}, which is not a sensitive column: {names}")


def _value(column: Column, value: Any, option: str) -> Any:
    """Return the value of a column that is meant: itself, or the one that has this text."""
    for found in column.values:
        if type(found) is type(value) and (found == value or found is value):
            return found
    for found in column.values:
        if isinstance(value, str) and text_of(found) == value:
            return found
        if not isinstance(value, (str, bool)) and not isinstance(found, bool) and found == value:
            return found
    names = {text_of(found).casefold(): text_of(found) for found in column.values}
    close = get_close_matches(text_of(value).casefold(), names, n=1)
    hint = "write the value as it is in the table"
    if column.mixed:
        hint += ". Values that were combined have one name, such as 'a or b'"
    raise TableError(
        f"{option} (--{option}) names {text_of(value)!r}, which {column.name!r} does not have: "
        + (f"did you mean {names[close[0]]!r}?" if close else hint)
    )


def text_for(value: Any, values: Sequence[Any]) -> str | None:
    """Return the text that names a value on the command line; None if another one has it, too.

    `values` are all values of the column. In a column of texts "NULL" may be both.
    """
    text = text_of(value)
    others = [found for found in values if found is not value and found != value]
    return None if any(text_of(found) == text for found in others) else text
