"""Print one message: a single line, wrapped between words on a terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap

import click


def say(message: str, *, err: bool = False) -> None:
    """Print a message on stdout, or on stderr; only a terminal gets line breaks in it."""
    stream = sys.stderr if err else sys.stdout
    if stream is not None and stream.isatty():
        columns = shutil.get_terminal_size().columns
        message = textwrap.fill(message, columns, break_long_words=False, break_on_hyphens=False)
    click.echo(message, err=err)
