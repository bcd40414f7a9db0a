"""What long work tells its caller while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Progress:
    """A stage of the work; `done` of `total` parts are done, where the total is known."""

    stage: str
    done: int = 0
    total: int | None = None


OnProgress: TypeAlias = Callable[[Progress], None]
OnCompiling: TypeAlias = Callable[[int], None]

_watchers: list[OnCompiling] = []


def silent(_: Progress) -> None:
    """Do nothing: the default of `on_progress`."""


@contextmanager
def compiling_watched(watcher: OnCompiling) -> Iterator[None]:
    """Call `watcher(1)` when a loop begins to be compiled, `watcher(-1)` when that ends.

    In all threads, while the block runs; loops that are found compiled on disk are not told of.
    Compiling a loop compiles its parts, so that calls are nested.
    """
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def tell_compiling(change: int) -> None:
    """Tell the watchers that compiling a loop begins (1) or ends (-1)."""
    for watcher in tuple(_watchers):
        watcher(change)
