"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

table = click.argument("table", metavar="TABLE")
sensitive = click.option(
    "-s",
    "--sensitive",
    multiple=True,
    required=True,
    metavar="COL",
    help="A sensitive column; repeat for several.",
)
public = click.option(
    "-p",
    "--public",
    multiple=True,
    required=True,
    metavar="COL",
    help="A public column; repeat for several.",
)
each = click.option(
    "--each",
    is_flag=True,
    help="Bound every sensitive column on its own instead of their joint value.",
)
confidence = click.option(
    "--confidence",
    type=float,
    metavar="LEVEL",
    help="Certify for the population the records are a random sample of, such as 0.95.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object only.")
quiet = click.option(
    "--quiet", is_flag=True, help="No progress, and no line about what was written."
)
force = click.option("--force", is_flag=True, help="Replace the output if it exists.")
keep = click.option(
    "--keep",
    multiple=True,
    metavar="COL",
    help="Another column to pass through as it is, unprotected; repeat for several.",
)
unseen = click.option(
    "--unseen",
    type=click.Choice(["refuse", "suppress", "merge"]),
    default="refuse",
    show_default=True,
    help="What to do with values the mechanism does not know; merge: where they are certified.",
)
key = click.option(
    "--key",
    metavar="COL",
    help="For random draws: a column that says whose record it is; the same gets the same draw.",
)
seed = click.option(
    "--seed", type=int, metavar="N", help="For random draws: repeat them, for tests only."
)
keep_order = click.option(
    "--keep-order",
    is_flag=True,
    help="Keep the order of the rows; it may link them to the input, so they are shuffled.",
)


escape_formulas = click.option(
    "--escape-formulas",
    is_flag=True,
    help="In CSV: put a ' before texts that begin with = + - or @, which spreadsheets would run as "
    "formulas. Without it such texts are warned of on stderr, also with --quiet.",
)


def warn_of_formulas(columns: Sequence[str], file: Path) -> None:
    """Say on stderr which columns of a written CSV file have texts that spreadsheets run."""
    if columns:
        click.echo(
            f"Warning: {', '.join(columns)} in {file}: some texts begin with = + - or @, which "
            "spreadsheets run as formulas; --escape-formulas puts a ' before them.",
            err=True,
        )


def warn_of_seed(seed: int | None) -> None:
    """Say on stderr that a release drawn with a seed is none."""
    if seed is not None:
        from loglift.release.drawn import SEEDED  # noqa: PLC0415, loads when it is needed

        click.echo(SEEDED, err=True)


def bound(command: Command) -> Command:
    """Add --eps, --lower and --upper."""
    for name, words in (
        ("--upper", "Most a log-lift may rise (nats); alone: no bound downwards."),
        ("--lower", "Most a log-lift may fall (nats); alone: no bound upwards."),
        ("--eps", "The bound on |log-lift| in nats; e^eps is the factor belief may move by."),
    ):
        command = click.option(name, type=float, metavar="NATS", help=words)(command)
    return command


def bins(command: Command) -> Command:
    """Add --bin COL=WIDTH, as a dictionary."""
    return click.option(
        "--bin",
        "bins",
        multiple=True,
        metavar="COL=WIDTH",
        callback=_widths,
        help="Cut a numeric column into intervals of this width first; repeat for several.",
    )(command)


def _widths(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, float]:
    widths: dict[str, float] = {}
    for text in given:
        column, equals, width = text.rpartition("=")
        number = _number(width)
        if not equals or not column or not 0 < number < math.inf:
            message = f"{text!r} is not COL=WIDTH with a positive width, for example age=10"
            raise click.BadParameter(message, context, parameter)
        if column in widths:
            message = f"{column!r} has two widths: give one"
            raise click.BadParameter(message, context, parameter)
        widths[column] = number
    return widths


def _number(text: str) -> float:
    """Return a number, an integer where it is one; zero for anything else."""
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        number = float(text)
        return int(number) if number.is_integer() else number
    return 0
