"""What long work tells its caller while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Progress:
    """A stage of the work; `done` of `total` parts are done, where the total is known."""

    stage: str
    done: int = 0
    total: int | None = None


OnProgress: TypeAlias = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Do nothing: the default of `on_progress`."""
