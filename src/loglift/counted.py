"""What all that is done to a table begins with: its columns by name, and their counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loglift.errors import TableError
from loglift.learning import Names

if TYPE_CHECKING:
    from loglift.tables import Counts


def as_columns(names: Names) -> tuple[str, ...]:
    """Return one column or several as a tuple."""
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, Iterable):
        raise TableError(f"columns are named by a text or a list of texts, got {names!r}")
    return tuple(names)


def refuse_sensitive(passed: Sequence[str], sensitive: Sequence[str], hint: str = "") -> None:
    """Refuse to pass a protected column through, in whatever case its name is written."""
    folded = {name.casefold() for name in sensitive}
    for name in passed:
        if name.casefold() in folded:
            raise TableError(f"column {name!r} is sensitive: it cannot be kept{hint}")


def refuse_key(key: str | None, public: Sequence[str], sensitive: Sequence[str]) -> None:
    """Refuse a key that is protected or released: the draws would depend on S, or on X alone."""
    if key is not None and key.casefold() in {name.casefold() for name in (*public, *sensitive)}:
        raise TableError(
            f"the key {key!r} is a public or sensitive column: name one that tells people apart, "
            "or none"
        )


def counted(
    table: Any,
    public: Names,
    sensitive: Names,
    bins: Mapping[str, float] | None,
    types: Sequence[str | None] | None = None,
) -> Counts:
    """Count a table, of which every sensitive column has something to protect."""
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    counts = engine.count(table, public, sensitive, bins=bins, types=types)
    for j, name in enumerate(counts.sensitive_columns):
        if len({value[j] for value in counts.sensitive}) == 1:
            raise TableError(
                f"the sensitive column {name!r} has the same value in every record: there is "
                "nothing to protect, leave it out"
            )
    return counts
