"""The `loglift` command: finds a subcommand, loads it, and turns errors into exit codes."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from loglift._version import __version__
from loglift.cli._interrupt import EXIT_CODE, MESSAGE, ExitOnSignal, RaiseOnSignal
from loglift.cli._lines import say
from loglift.errors import InputError, UnsafeError

# The module of each command has its name, and is loaded when the command runs.
COMMANDS = {
    "plan": "Write a first plan for a table, to edit and to run.",
    "audit": "Measure what the public columns reveal about the sensitive ones.",
    "protect": "Rewrite the public columns so that no value reveals too much.",
    "apply": "Apply a mechanism to new rows.",
    "verify": "Check a mechanism on a table in exact arithmetic.",
    "diff": "Show what changed between two mechanisms.",
    "frontier": "Show how much each eps keeps.",
    "evaluate": "Measure what readers and attackers can do with a release.",
    "demo": "Audit and protect a real table: UCI Adult.",
    "reproduce": "Reproduce the paper: Example 1, Table 1 and the three figures.",
}
EXIT_BAD_INPUT = 2
EXIT_UNSAFE = 3
# New objects until Python looks for unused cycles: a million values are as many objects, in no
# cycle, and with Python's own thresholds a tenth of the time went there.
_GC_THRESHOLDS = (100_000, 20, 20)


class _Commands(click.Group):
    """Loads a command's module only when it runs, so that --help and --version stay instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002, click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"loglift.cli.{cmd_name}"), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(self, *args: Any, **options: Any) -> Any:
        with ExitOnSignal():
            return super().main(*args, **options)

    def invoke(self, ctx: click.Context) -> object:
        gc.set_threshold(*_GC_THRESHOLDS)
        from loglift._compute.threads import stop_on_error  # noqa: PLC0415, --version has no threads

        with RaiseOnSignal() as signals:
            try:
                with stop_on_error():  # the process ends when all its threads have ended
                    result = super().invoke(ctx)
                if sys.stdout is not None:  # None where standard output is closed
                    sys.stdout.flush()
            except BrokenPipeError:  # the reader of the output left, as `head` does
                _close_stdout()
            except (KeyboardInterrupt, Exception) as error:
                # Libraries turn an interrupt into errors of their own.
                if signals.came or isinstance(error, KeyboardInterrupt):
                    say(f"Error: {MESSAGE}", err=True)
                    ctx.exit(EXIT_CODE)
                if isinstance(error, (InputError, UnsafeError)):
                    say(f"Error: {error}", err=True)
                    ctx.exit(EXIT_BAD_INPUT if isinstance(error, InputError) else EXIT_UNSAFE)
                if isinstance(error, (OSError, UnicodeError)):
                    say(f"Error: {error}", err=True)
                    _close_stdout()
                    ctx.exit(EXIT_BAD_INPUT)
                raise
            else:
                return result
            return None


def _close_stdout() -> None:
    """Discard what is still buffered: Python would report an error at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="loglift")
def main() -> None:
    """Publish data without giving secrets away.

    The lift p(s|x)/p(s) says how much a public value x moves belief about a sensitive value s.
    loglift measures it and bounds it.
    """
