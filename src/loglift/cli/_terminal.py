"""The consoles of the commands: results on stdout, progress on stderr."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from rich.console import Console
from rich.progress import Progress as Live, SpinnerColumn, TextColumn

from loglift._compute.progress import OnProgress, Progress, compiling_watched, silent

_PIPE_WIDTH = 100  # columns of a table that is not printed on a terminal


class _Output(Console):
    """A console that raises where its reader leaves early, as `head` does."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console() -> Console:
    """Return the console of stdout.

    On a terminal it has the terminal's width and colours. In a pipe it is plain, and as wide as
    the variable COLUMNS says, or 100 columns.
    """
    out = _Output(highlight=False)
    if out.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return out
    return _Output(highlight=False, width=_PIPE_WIDTH)


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[OnProgress]:
    """Show the stage of the work on stderr while the block runs, if stderr is a terminal."""
    err = Console(stderr=True)
    if quiet or not err.is_terminal:
        yield silent
        return
    lock = Lock()
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False))
    with Live(*columns, console=err, transient=True) as live:
        task, stage, compiled = live.add_task("", total=None), "starting ...", 0

        def describe() -> None:
            note = ", compiling loops once for this machine ..." if compiled else ""
            live.update(task, description=f"{stage}{note}")

        def show(progress: Progress) -> None:
            nonlocal stage
            done = "" if progress.total is None else f" {progress.done:,} of {progress.total:,}"
            stage = f"{progress.stage} ...{done}"
            describe()

        def watch(change: int) -> None:
            nonlocal compiled
            with lock:
                compiled += change
            describe()

        describe()
        with compiling_watched(watch):
            yield show
