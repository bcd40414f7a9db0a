"""What all that is done to a table begins with: its columns by name, and their counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loglift.errors import TableError
from loglift.joint import Joint
from loglift.release.learning import Names

if TYPE_CHECKING:
    from loglift.tables.table import Table


def as_columns(names: Names) -> tuple[str, ...]:
    """Return one column or several as a tuple."""
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, Iterable):
        raise TableError(f"columns are named by a text or a list of texts, got {names!r}")
    return tuple(names)


def refuse_sensitive(
    passed: Sequence[str], sensitive: Sequence[str], *, fold: bool, hint: str = ""
) -> None:
    """Refuse to pass a protected column through; with `fold`, in whatever case it is written."""
    for name in passed:
        same = same_name(name, sensitive, fold=fold)
        if same == name:
            raise TableError(f"column {name!r} is sensitive: it cannot be kept{hint}")
        if same is not None:
            raise TableError(
                f"column {name!r} cannot be kept: but for case its name is that of the sensitive "
                f"column {same!r}{hint}"
            )


def refuse_key(key: str | None, protected: Sequence[str], *, fold: bool) -> None:
    """Refuse a key that is public or sensitive: the draws would depend on S, or on X alone."""
    same = None if key is None else same_name(key, protected, fold=fold)
    if same is not None:
        raise TableError(
            f"the key {key!r} is the public or sensitive column {same!r}: name one that tells "
            "people apart, or none"
        )


def refuse_index(opened: Table, protected: Sequence[str]) -> None:
    """Refuse a pandas index that has a protected column: it is released where order is kept."""
    for name in opened.index:
        if name in map(str, protected):
            raise TableError(
                f"the index of the table is {name!r}, a public or sensitive column, and would be "
                "released with its order: take it off with reset_index first"
            )


def same_name(name: str, names: Sequence[str], *, fold: bool) -> str | None:
    """Return which of some names is the same; with `fold`, the same but for case."""
    if name in names:
        return name
    folded = str(name).casefold()
    return next((other for other in names if fold and str(other).casefold() == folded), None)


def counted(
    table: Any,
    public: Names,
    sensitive: Names,
    bins: Mapping[str, float] | None,
    types: Sequence[str | None] | None = None,
) -> Joint:
    """Count a table, of which every sensitive column has something to protect."""
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    counts = engine.count(table, public, sensitive, bins=bins, types=types)
    for column in counts.sensitive_columns:
        if len(column.values) == 1:
            raise TableError(
                f"the sensitive column {column.name!r} has the same value in every record: there is "  # noqa: E501
                "nothing to protect, leave it out"
            )
    return counts
