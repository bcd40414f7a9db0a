"""The columns of a table as a mechanism names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loglift.cuts import Cut


@dataclass(frozen=True)
class PublicColumn:
    """A public column: its name, the type of its values, and how it is cut, if it is."""

    name: str
    type: str
    bin: Cut | None = None

    @property
    def banded(self) -> bool:
        """Whether its values are names of bands."""
        return self.bin is not None and self.bin.bands


@dataclass(frozen=True)
class SensitiveColumn:
    """A sensitive column: its name, and how it is cut, if it is.

    `combined` are the groups of values that count as one. It has no other values.
    """

    name: str
    bin: Cut | None = None
    combined: tuple[tuple[Any, ...], ...] = ()


@dataclass(frozen=True)
class EarlierRelease:
    """An earlier release that a mechanism was made to be safe with.

    `sha256` is that of its mechanism.json; `public` are its public columns.
    """

    sha256: str
    public: tuple[str, ...]
