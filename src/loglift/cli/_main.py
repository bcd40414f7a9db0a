"""The `loglift` command: finds a subcommand, loads it, and turns errors into exit codes."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from loglift._version import __version__
from loglift.errors import InputError, UnsafeError

# Each is a module of this package with a click command of the same name, loaded when it is called.
COMMANDS = {
    "reproduce": "Reproduce the paper: Example 1, Table 1 and the three figures.",
}
EXIT_BAD_INPUT = 2
EXIT_UNSAFE = 3


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

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except InputError as error:
            _say(error)
            ctx.exit(EXIT_BAD_INPUT)
        except UnsafeError as error:
            _say(error)
            ctx.exit(EXIT_UNSAFE)
        except BrokenPipeError:  # the reader of our output has left: nothing to tell anyone
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)


def _say(error: Exception) -> None:
    click.echo(f"Error: {error}", err=True)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="loglift")
def main() -> None:
    """Publish data without giving secrets away.

    The lift p(s|x)/p(s) says how much a public value x moves belief about a sensitive value s.
    loglift measures it and bounds it.
    """
