"""What the recipe tells the report besides figures: where a release comes from, some rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Origin:
    """When a release was made, and from which input; for the custodian.

    Attributes
    ----------
    made_on
        The date.
    name
        The name of the input file, or the pattern of several, without its folder; None for a
        dataframe.
    files
        The number of input files.
    sha256
        The SHA-256 of the bytes of the input files, one after the other in the order of their
        names; None for a dataframe, and for a file that changed after it was read.
    keeps_order
        Whether the released rows have the order of the input.

    """

    made_on: date
    name: str | None = None
    files: int = 0
    sha256: str | None = None
    keeps_order: bool = False


@dataclass(frozen=True)
class Preview:
    """Some released rows as texts, drawn at random, in no order of the input."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
