"""Labels of rows and columns: those given, those of a frame, and their checks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence, Set as AbstractSet
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loglift.errors import JointError
from loglift.sparse import Mass, dense
from loglift.values import plain

Empty: TypeAlias = Literal["refuse", "drop"]
# What pandas.crosstab calls the row and the column of sums, unless it is told otherwise.
_MARGIN = "All"
_MIN_SIZE = 3  # rows and columns; of fewer the last may be sums by chance


def labels_of_frame(mass: Any) -> tuple[list[Any] | None, list[Any] | None]:
    """Return the row labels and the column labels of a frame; None where it has no such labels.

    pandas has both; Polars and PyArrow have column names only. No library is imported to find out.
    """
    index: Any = getattr(mass, "index", None)
    columns: Any = getattr(mass, "columns", None)
    if hasattr(index, "tolist") and hasattr(columns, "tolist"):
        return index.tolist(), columns.tolist()
    names = getattr(mass, "column_names", columns)
    return None, names if isinstance(names, list) else None


def refuse_margins(index: list[Any], names: list[Any], mass: Mass) -> None:
    """Refuse a last row or column that is the sum of the others and is named or placed so.

    `pandas.crosstab` makes both, and calls them 'All' unless it is told otherwise.
    """
    rows = dense(mass)
    sides = (("row", index[-1], rows), ("column", names[-1], rows.T))
    sums = [
        (side, last)
        for side, last, cells in sides
        if len(cells) > 1 and np.allclose(cells[-1], cells[:-1].sum(axis=0))
    ]
    for side, last in sums:
        name = last[0] if isinstance(last, tuple) and last else last
        if name == _MARGIN or (len(sums) == len(sides) and min(rows.shape) >= _MIN_SIZE):
            raise JointError(
                f"the {side} {last!r} is the sum of the others, not a value: make the crosstab "
                "without margins"
            )


def checked_variables(variables: Iterable[Hashable] | None) -> list[Hashable] | None:
    """Return the name of the variable of each column as a list; None where all belong to one."""
    if variables is None:
        return None
    if isinstance(variables, (str, bytes)) or not isinstance(variables, Iterable):
        raise JointError(f"variables must be a list with a name for each column, got {variables!r}")
    named = [one_nan(name) for name in variables]
    if not all(isinstance(name, Hashable) for name in named):
        raise JointError("the names of variables must be hashable: use texts or numbers")
    return named


def checked_labels(
    labels: Iterable[Hashable] | None,
    size: int,
    side: str,
    *,
    among: Sequence[Hashable] | None = None,
) -> tuple[Hashable, ...]:
    """Return one label for each value, all different; within each variable that `among` names."""
    if among is not None and len(among) != size:
        raise JointError(f"{len(among)} variables for {size} {side} values: name one for each")
    if labels is None:
        return tuple(range(size))
    if isinstance(labels, (str, bytes, AbstractSet)):
        raise JointError(f"the {side} labels must be a list: give one label per value")
    try:
        given = plain(labels) if isinstance(labels, np.ndarray) else labels
        found = tuple(map(one_nan, given))
        told = found if among is None else tuple(zip(among, found, strict=False))
        distinct = len({"NaN" if _is_nan(label) else label for label in told})
    except TypeError:
        raise JointError(
            f"the {side} labels must be hashable, in a list: use tuples for several columns"
        ) from None
    if len(found) != size:
        raise JointError(f"{len(found)} {side} labels for {size} {side} values: give one each")
    if distinct != size:
        raise JointError(
            f"the {side} label {_first_repeated(told)!r} is repeated: "
            "add up its rows, or rename one"
        )
    return found


def one_nan(label: Any) -> Any:
    """Return a label as Python has it: a NumPy number or text as Python's own, and one NaN for all.

    Look-ups find NaN by identity.
    """
    if isinstance(label, np.generic) and label.dtype.kind in "iufbU":
        label = label.item()
    return math.nan if _is_nan(label) else label


def _is_nan(label: Hashable) -> bool:
    return isinstance(label, float) and math.isnan(label)


def _first_repeated(labels: tuple[Hashable, ...]) -> Hashable:
    counts = Counter("NaN" if _is_nan(label) else label for label in labels)
    return counts.most_common(1)[0][0]


def nonempty(
    sums: NDArray[Any], labels: tuple[Hashable, ...], empty: Empty, side: str
) -> NDArray[np.intp]:
    """Return the rows (or columns) that have mass; raise if the others are to be refused."""
    if not isinstance(empty, str) or empty not in ("refuse", "drop"):
        raise JointError(f"empty_{side} must be 'refuse' or 'drop', got {empty!r}")
    keep = np.flatnonzero(sums > 0)
    if empty == "refuse" and len(keep) < len(labels):
        first = labels[int(np.flatnonzero(sums == 0)[0])]
        raise JointError(
            f"the {side} value {first!r} has no mass ({len(labels) - len(keep)} such in all), so "
            f"no lift is defined for it: Joint(array, empty_{side}='drop') leaves it out"
        )
    return keep
