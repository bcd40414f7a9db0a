"""The columns of a table as a mechanism names them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PublicColumn:
    """A public column: its name, the type of its values, and the width of its bins, if any."""

    name: str
    type: str
    bin: float | None = None


@dataclass(frozen=True)
class SensitiveColumn:
    """A sensitive column: its name, and the width of its bins, if any; never its values."""

    name: str
    bin: float | None = None
