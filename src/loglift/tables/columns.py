"""Column names: how callers give them, and which uses of a column are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeAlias

from loglift.errors import TableError
from loglift.joint import Column

if TYPE_CHECKING:
    from loglift.tables.opened import Table

Names: TypeAlias = str | Sequence[str]

_MAX_LISTED_COLUMNS = 12  # in the message about a missing column
_MAX_CLOSE_NAMES = 3


def as_names(names: Names, role: str, *, optional: bool = False) -> tuple[str, ...]:
    """Return one column name or several as a tuple.

    Raises `TableError` when a name is repeated, or when `names` is empty and not `optional`.
    Messages call the columns by their `role`, such as "public".
    """
    if not isinstance(names, Iterable):
        raise TableError(f"{role} columns are named by a text or a list of texts, got {names!r}")
    found = (names,) if isinstance(names, str) else tuple(names)
    if not found and not optional:
        raise TableError(f"no {role} column is named: name at least one")
    for name, times in Counter(found).items():
        if times > 1:
            raise TableError(f"the {role} column {name!r} is named twice: name it once")
    return found


def same_name(name: str, names: Sequence[str], *, fold: bool) -> str | None:
    """Return the one of `names` that equals `name`; with `fold`, upper and lower case are equal."""
    if name in names:
        return name
    folded = str(name).casefold()
    return next((other for other in names if fold and str(other).casefold() == folded), None)


def missing_column(name: str, columns: Sequence[str], where: str) -> TableError:
    """Return the error for a column that the table does not have; it suggests similar names."""
    texts = [str(column) for column in columns]
    folded = {text.casefold().strip(): text for text in texts}
    close = get_close_matches(str(name).casefold().strip(), list(folded), n=_MAX_CLOSE_NAMES)
    parts = [part.strip() for part in str(name).split(",")]
    if len(parts) > 1 and set(parts) <= set(texts):
        repeated = " ".join(f"-p {part}" for part in parts)
        hint = f"repeat the option, as in {repeated} (in Python: {parts})"
    elif close:
        hint = "did you mean " + " or ".join(repr(folded[match]) for match in close) + "?"
    else:
        listed = ", ".join(repr(text) for text in texts[:_MAX_LISTED_COLUMNS])
        more = f", ... ({len(texts)} in all)" if len(texts) > _MAX_LISTED_COLUMNS else ""
        hint = f"its columns are {listed}{more}"
    return TableError(f"{where} has no column {name!r}: {hint}")


def missing_table(name: str, tables: Sequence[str], where: str) -> TableError:
    """Return the error for a table that a database does not have; it suggests similar names."""
    close = get_close_matches(name, tables, n=_MAX_CLOSE_NAMES)
    listed = ", ".join(tables[:_MAX_LISTED_COLUMNS])
    hint = f"it has {listed}" if tables else "it has no tables that you may see"
    if close:
        hint = f"did you mean {' or '.join(close)}?"
    return TableError(f"{where} has no table {name!r}: {hint}")


def refuse_sensitive(
    passthrough: Sequence[str], sensitive: Sequence[str], *, fold: bool, hint: str = ""
) -> None:
    """Raise if a sensitive column would pass through; with `fold`, in any case of its letters."""
    for name in passthrough:
        same = same_name(name, sensitive, fold=fold)
        if same == name:
            raise TableError(f"column {name!r} is sensitive: it cannot be passed through{hint}")
        if same is not None:
            raise TableError(
                f"column {name!r} cannot be passed through: its name differs from the sensitive "
                f"column {same!r} only in upper and lower case{hint}"
            )


def refuse_key(key: str | None, protected: Sequence[str], *, fold: bool) -> None:
    """Raise if the key is a public or sensitive column: draws would depend on S, or on X alone."""
    same = None if key is None else same_name(key, protected, fold=fold)
    if same is not None:
        raise TableError(
            f"the key {key!r} is the public or sensitive column {same!r}: name a column that tells "
            "people apart, or leave the key out"
        )


def refuse_index(opened: Table, protected: Sequence[str]) -> None:
    """Raise if the pandas index has a protected column: the index is released with the order."""
    for name in opened.index:
        if name in map(str, protected):
            raise TableError(
                f"the index of the table is {name!r}, a public or sensitive column, and would be "
                "released with the order of the rows: remove it with reset_index first"
            )


def refuse_constant(sensitive: Sequence[Column]) -> None:
    """Raise if a sensitive column has one value only: then there is nothing to protect."""
    for column in sensitive:
        if len(column.values) == 1:
            raise TableError(
                f"the sensitive column {column.name!r} has the same value in every record: there "
                "is nothing to protect, leave it out"
            )


def refuse_clashes(names: Sequence[str], *, fold: bool) -> None:
    """Raise if a released column has no name, or if two have the same one."""
    seen: dict[str, str] = {}
    for name in names:
        if name == "":  # a column of pandas may have the name 0 or None
            raise TableError("a column that would be released has no name: give it one")
        folded = name.casefold() if fold else name
        if folded in seen:
            raise TableError(
                f"two released columns would be named {seen[folded]!r} and {name!r}, which this "
                "engine takes for the same name: rename one, or leave it out"
            )
        seen[folded] = name
