"""Results as dataframes: pandas where it is installed, else polars, else PyArrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal

from loglift.errors import InputError

_LIBRARIES: tuple[Literal["pandas", "polars", "pyarrow"], ...] = ("pandas", "polars", "pyarrow")


def frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return columns as a dataframe of the first library that is installed."""
    import narwhals  # noqa: PLC0415, loads when a frame is asked for

    for library in _LIBRARIES:
        if find_spec(library) is not None:
            return narwhals.from_dict(dict(columns), backend=library).to_native()
    raise InputError(
        "a frame needs a library of dataframes: pip install 'loglift[pandas]' or 'loglift[polars]'"
    )


def frame_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows with the same keys as a dataframe."""
    names = list(rows[0]) if rows else []
    return frame({name: [row[name] for row in rows] for name in names})
