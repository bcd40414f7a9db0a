"""Libraries that come with an extra: loaded when a table needs them, or named where they miss."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from loglift.errors import TableError


def needed(module: str, extra: str, what: str) -> Any:
    """Return a module; raise `TableError` with the command that installs it where it is missing.

    `what` begins the message: "Stata files".
    """
    try:
        return import_module(module)
    except ImportError:
        raise TableError(
            f"{what} need the extra {extra!r} ({module.partition('.')[0]} is missing): pip install "
            f"'loglift[{extra}]'"
        ) from None
