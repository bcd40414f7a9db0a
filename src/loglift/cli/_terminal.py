"""What every command prints with: results on stdout, progress and notes on stderr."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_PIPE_WIDTH = 100  # what a table is laid out for when nobody is looking


class _Output(Console):
    """A console whose reader may leave early, as `head` does."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console() -> Console:
    """Stdout, at the terminal's width and colours; in a pipe plain, as wide as COLUMNS says."""
    out = _Output(highlight=False)
    if out.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return out
    return _Output(highlight=False, width=_PIPE_WIDTH)


@contextmanager
def progress(what: str, total: int, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar on stderr while the block runs; nothing unless stderr is a terminal."""
    err = Console(stderr=True)
    bar = Progress(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=quiet or not err.is_terminal,
    )
    with bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)


@contextmanager
def stages(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show on stderr what is being done while the block runs; nothing unless it is a terminal."""
    err = Console(stderr=True)
    if quiet or not err.is_terminal:
        yield lambda _stage: None
        return
    with err.status("starting") as status:
        yield lambda stage: status.update(f"{stage} ...")
