"""`--config`: a plan gives the options that the command line does not."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from loglift.cli._sections import SectionedCommand, name_of

HELP = (
    "A plan, release.toml: a file with options, under their long names. Options on the command "
    "line win; what the plan has, such as TABLE, -s and -p, may be left out."
)
config = click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help=HELP)


class PlannedCommand(SectionedCommand):
    """A command that takes --config; keys of the plan that it has no option for are ignored.

    `ignored` are keys that mean something else to this command.
    """

    ignored: frozenset[str] = frozenset()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, with the values of the plan as defaults."""
        given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        path = given.get("config")
        if not path or ctx.resilient_parsing or any(word in args for word in ("-h", "--help")):
            return super().parse_args(ctx, args)
        from loglift.release.plan import read_plan  # noqa: PLC0415, loads when a plan is given

        parameters = {name_of(parameter): parameter for parameter in self.params}
        names = {name for name, found in parameters.items() if found.name in given}
        planned = {
            name: value
            for name, value in _not_replaced(read_plan(path), names).items()
            if name in parameters and name not in self.ignored
        }
        ctx.default_map = {parameters[name].name or "": value for name, value in planned.items()}
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            name = "" if error.param is None else name_of(error.param)
            short = "TABLE" if name == "table" else f"--{name}"
            message = (
                f"the plan {path} does not have {name}: add it there, or give {short} on the "
                "command line"
            )
            raise click.UsageError(message, ctx) from None
        except click.BadParameter as error:
            name = "" if error.param is None else name_of(error.param)
            if name not in planned or name in names:
                raise
            raise click.UsageError(f"the plan {path}: {name}: {error.message}", ctx) from None


def was_given(name: str) -> bool:
    """Whether an option of the running command was given, by the command line or by the plan."""
    source = click.get_current_context().get_parameter_source(name)
    return source in (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)


def _not_replaced(plan: dict[str, Any], given: Collection[str]) -> dict[str, Any]:
    """Return the options of a plan without those that others on the command line replace."""
    from loglift.release.plan import WAYS  # noqa: PLC0415

    gone: set[str] = set()
    for ways in WAYS:
        if any(way & set(given) for way in ways):
            gone |= set().union(*(way for way in ways if not way & set(given)))
    return {name: value for name, value in plan.items() if name not in gone}
