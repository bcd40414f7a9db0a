"""Options that several commands share, and what they mean."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from loglift.cli._lines import say

if TYPE_CHECKING:
    from loglift.promise.bound import Bound

Command = TypeVar("Command", bound=Callable[..., Any])


def examples(*lines: str) -> str:
    """Return the end of a help text: examples, each on a line of its own to copy."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


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
    help="Bound each sensitive column on its own, not their combinations.",
)
confidence = click.option(
    "--confidence",
    type=float,
    metavar="LEVEL",
    help="Certify the bound for the population that the records are a random sample of, at this "
    "confidence, for example 0.95.",
)
as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object and nothing else."
)
quiet = click.option("--quiet", is_flag=True, help="Print neither progress nor the names of files.")
force = click.option("--force", is_flag=True, help="Replace the output if it exists.")
passthrough = click.option(
    "--passthrough",
    multiple=True,
    metavar="COL",
    help="Another column to release as it is, not protected; repeat for several.",
)
intact = click.option(
    "--intact",
    multiple=True,
    metavar="COL",
    help="A public column whose values are never merged with different ones; repeat for several.",
)
min_count = click.option(
    "--min-count", type=int, metavar="K", help="Every released value covers at least K records."
)
unseen = click.option(
    "--unseen",
    type=click.Choice(["refuse", "suppress", "merge"]),
    default="refuse",
    show_default=True,
    help="Public values the mechanism does not know: fail, suppress them, or merge them into the "
    "block certified for them, which a mechanism made with --confidence has.",
)
key = click.option(
    "--key",
    metavar="COL",
    help="For a release that is drawn (randomized, or --as values): the column that identifies a "
    "person. Records with the same key and the same public value get the same draw.",
)
draw_seed = click.option(
    "--draw-seed",
    type=int,
    metavar="N",
    help="For a release that is drawn, for tests only: the seed of the draws.",
)
keep_order = click.option(
    "--keep-order",
    is_flag=True,
    help="Do not shuffle the rows. Their order may link them to the input.",
)
escape_formulas = click.option(
    "--escape-formulas",
    is_flag=True,
    help="In CSV: put a ' before texts that begin with = + - or @, which spreadsheets run as "
    "formulas. Without this option a warning on stderr names the columns with such texts.",
)


def warn_of_formulas(columns: Sequence[str], file: Path) -> None:
    """Warn on stderr of columns of a written CSV file with texts that spreadsheets run."""
    if columns:
        say(
            f"Warning: {', '.join(columns)} in {file}: some texts begin with = + - or @, which "
            "spreadsheets run as formulas; --escape-formulas puts a ' before them.",
            err=True,
        )


def warn_of_seed(draw_seed: int | None) -> None:
    """Warn on stderr that a release drawn with a seed must not be published."""
    if draw_seed is not None:
        from loglift.release.draws import SEEDED  # noqa: PLC0415, loads when it is needed

        say(f"Warning: {SEEDED}", err=True)


def bound(command: Command) -> Command:
    """Add --eps, --lower and --upper, --beta, and --bound for single sensitive values."""
    command = click.option(
        "--bound",
        "value_bounds",
        multiple=True,
        metavar="COL=VALUE:NATS",
        help="The bound of one sensitive value: 'ill=HIV:0.3', 'ill=flu:0.5,1' (lower, upper), or "
        "'ill=NULL:none' for no bound. Repeat for several.",
    )(command)
    command = click.option(
        "--beta",
        type=float,
        metavar="B",
        help="Enhanced beta-likeness: belief rises at most by the factor 1 + min(B, -log p(s)).",
    )(command)
    for name, words in (
        ("--upper", "The most a log-lift may rise, in nats; alone: falls are not bounded."),
        ("--lower", "The most a log-lift may fall, in nats; alone: rises are not bounded."),
        ("--eps", "The bound on |log-lift|, in nats: belief moves by at most the factor e^eps."),
    ):
        command = click.option(name, type=float, metavar="NATS", help=words)(command)
    return command


def bound_of(choices: dict[str, Any]) -> Bound | None:
    """Take the options of `bound` out of the choices and return the bound; None without any.

    If only one of --lower and --upper is given, the other side is not bounded.
    """
    from loglift.promise.bound import Bound  # noqa: PLC0415, loads when the command runs

    names = ("eps", "lower", "upper", "beta", "value_bounds")
    eps, lower, upper, beta, values = (choices.pop(name) for name in names)
    ways = [eps is not None, lower is not None or upper is not None, beta is not None]
    if sum(ways) > 1:
        raise click.UsageError("give --eps, or --lower and --upper, or --beta: one of them")
    if not any(ways):
        if values:
            message = "--bound is for single values: give --eps for the others"
            raise click.UsageError(message)
        return None
    if eps is not None:
        found = Bound.symmetric(eps)
    elif beta is not None:
        found = Bound.beta_likeness(beta)
    else:
        found = Bound(math.inf if lower is None else lower, math.inf if upper is None else upper)
    for column, value, sides in _value_bounds(values):
        found = found.with_values({value: sides}, column)
    return found


def knowing(command: Command) -> Command:
    """Add the options about readers who know more: --known and --given."""
    for option in (
        click.option(
            "--given",
            multiple=True,
            metavar="MECHANISM",
            help="The mechanism.json of an earlier release of the same records, which readers "
            "have, too; repeat for several.",
        ),
        click.option(
            "--known",
            multiple=True,
            metavar="COL",
            help="A column that readers may know of a person, public or not: the bound is about "
            "them, too. Repeat for several, known in any combination.",
        ),
    ):
        command = option(command)
    return command


weights = click.option(
    "--weights",
    metavar="COL",
    help="A column of survey weights, positive numbers: shares are sums of weights, so the bound "
    "is about the population that the survey stands for. It is not released, unless --passthrough "
    "names it, and then in bands.",
)


def combine(command: Command) -> Command:
    """Add --combine COL=V1,V2; see `groups_of`."""
    return click.option(
        "--combine",
        multiple=True,
        metavar="COL=V1,V2,...",
        help="Count several values of a sensitive column as one, for example 'ill=NULL,unknown'; "
        "repeat for several. Nothing is promised about telling them apart.",
    )(command)


def groups_of(given: tuple[str, ...]) -> dict[str, list[list[str]]]:
    """Return the values that --combine names, in groups for each column."""
    groups: dict[str, list[list[str]]] = {}
    for text in given:
        column, equals, values = text.partition("=")
        group = listed(values)
        if not equals or not column or len(group) < 2:  # noqa: PLR2004, one value is not several
            message = f"--combine {text!r} is not COL=V1,V2 with two values or more"
            raise click.UsageError(message)
        groups.setdefault(column, []).append(group)
    return groups


def _value_bounds(given: tuple[str, ...]) -> list[tuple[str, str, tuple[float, float]]]:
    """Return column, value, and lower and upper bound that each --bound names."""
    found: list[tuple[str, str, tuple[float, float]]] = []
    for text in given:
        column, equals, rest = text.partition("=")
        value, colon, sides = rest.rpartition(":")
        numbers = [
            math.inf if side.strip() == "none" else _number(side, otherwise=-1)
            for side in sides.split(",")
        ]
        if not equals or not column or not colon or len(numbers) > 2 or min(numbers) < 0:  # noqa: PLR2004
            raise click.UsageError(
                f"--bound {text!r} is not COL=VALUE:NATS, for example ill=HIV:0.3, ill=flu:0.5,1 "
                "or ill=NULL:none"
            )
        if any((column, value) == (c, v) for c, v, _ in found):
            message = f"--bound: {value!r} of {column!r} has two bounds, give one"
            raise click.UsageError(message)
        found.append((column, value, (float(numbers[0]), float(numbers[-1]))))
    return found


def bins(command: Command) -> Command:
    """Add --bin COL=CUT and --missing COL=CODES; the command gets two dictionaries."""
    command = click.option(
        "--missing",
        multiple=True,
        metavar="COL=CODE,...",
        callback=_codes,
        help="Codes that count as missing (NULL): 'income=-9,-8'; with 'ignore' among them, a "
        "sensitive column has no bound for NULL: 'ill=ignore'. Repeat for several.",
    )(command)
    return click.option(
        "--bin",
        "bins",
        multiple=True,
        metavar="COL=CUT",
        callback=_cuts,
        help="Cut numbers or dates into bands first: age=10 (width), age=20,40,65 (edges), "
        "'age=20,65:young,adult,old' (with labels), income=quantiles:10, income=..200000 or "
        "age=18..90 (open bands beyond), born=year (or quarter, month, day). Columns of very many "
        "numbers or dates are cut by themselves. Repeat for several.",
    )(command)


def keeping(command: Command) -> Command:
    """Add the options that say what is worth keeping."""
    for option in (
        click.option(
            "--taxonomy",
            "taxonomies",
            multiple=True,
            metavar="COL=FILE",
            callback=_files,
            help="A taxonomy of a public column: CSV lines 'value;level 1;level 2;...' from fine "
            "to coarse, or a JSON or TOML mapping. Its levels are kept, and name merged values.",
        ),
        click.option(
            "--unordered",
            multiple=True,
            metavar="COL",
            help="A public column of numbers, dates or times whose order means nothing.",
        ),
        click.option(
            "--importance",
            multiple=True,
            metavar="COL=W",
            callback=_weights,
            help="The weight of a public column beside the others, which have 1; repeat for "
            "several.",
        ),
        click.option(
            "--for",
            "purposes",
            multiple=True,
            metavar="COL",
            help="A column, released or not, that the public columns are needed for: what they say "
            "about it is kept first. Repeat for several.",
        ),
        click.option(
            "--utility",
            type=click.Choice(["joint", "columns"]),
            help="What is worth keeping: what each column says, or I(X;Y) of whole rows.  "
            "[default: columns, for several public columns or an ordered one]",
        ),
    ):
        command = option(command)
    return command


def _weights(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, float]:
    weights: dict[str, float] = {}
    for text in given:
        column, _, weight = text.rpartition("=")
        number = _number(weight, otherwise=-1)
        if not column or not 0 <= number < math.inf:
            message = f"{text!r} is not COL=W with a weight of 0 or more, for example age=3"
            raise click.BadParameter(message, context, parameter)
        if column in weights:
            raise click.BadParameter(f"{column!r} has two weights: give one", context, parameter)
        weights[column] = number
    return weights


def _files(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    files: dict[str, str] = {}
    for text in given:
        column, equals, file = text.partition("=")
        if not equals or not column or not file:
            message = f"{text!r} is not COL=FILE, for example province=provinces.csv"
            raise click.BadParameter(message, context, parameter)
        if column in files:
            raise click.BadParameter(f"{column!r} has two files: give one", context, parameter)
        files[column] = file
    return files


def _cuts(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    from loglift.cuts import Cut  # noqa: PLC0415, loads when it is needed
    from loglift.errors import TableError  # noqa: PLC0415

    cuts: dict[str, str] = {}
    for text in given:
        column, equals, how = text.partition("=")
        if not equals or not column:
            message = f"{text!r} is not COL=CUT, for example age=10 or age=20,40,65"
            raise click.BadParameter(message, context, parameter)
        try:
            Cut.of(how, column)
        except TableError as error:
            # Labels may hold = signs, as in age=18,65:minor,adult,>=65; so may the column's name.
            column, _, how = text.rpartition("=")
            try:
                Cut.of(how, column)
            except TableError:
                raise click.BadParameter(str(error), context, parameter) from None
        if column in cuts:
            message = f"{column!r} is cut twice: give one --bin for it"
            raise click.BadParameter(message, context, parameter)
        cuts[column] = how
    return cuts


def _codes(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, list[str]]:
    codes: dict[str, list[str]] = {}
    for text in given:
        column, equals, values = text.partition("=")
        found = listed(values)
        if not equals or not column or not all(found) or not found:
            message = f"{text!r} is not COL=CODE,..., for example income=-9,-8 or ill=ignore"
            raise click.BadParameter(message, context, parameter)
        codes.setdefault(column, []).extend(found)
    return codes


def listed(text: str) -> list[str]:
    """Return the texts between commas, some in quotes; none where the quotes cannot be read."""
    with suppress(csv.Error):
        return next(csv.reader([text], skipinitialspace=True, strict=True), [])
    return []


def _number(text: str, *, otherwise: float = 0) -> float:
    """Return the number in a text, as an int if it is whole; `otherwise` if it is not a number."""
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        number = float(text)
        return int(number) if number.is_integer() else number
    return otherwise
