"""Options that several commands share, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from loglift.cli._by_column import codes_of, cuts_of, files_of, value_bounds_of, weights_of
from loglift.cli._lines import say

if TYPE_CHECKING:
    from loglift.promise.bound import Bound
    from loglift.promise.requirement import Requirement

Command = TypeVar("Command", bound=Callable[..., Any])


def output(words: str, *, metavar: str = "DIR", **more: Any) -> Callable[[Command], Command]:
    """Return the option -o, --output: the file or the directory to write."""
    kind = click.Path(path_type=Path)
    return click.option("-o", "--output", type=kind, metavar=metavar, help=words, **more)


def report(words: str) -> Callable[[Command], Command]:
    """Return the option --report: an HTML page to write."""
    return click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help=words)


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
max_block = click.option(
    "--max-block", type=int, metavar="K", help="At most K public values in every block."
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


# The options of requirements: their names, metavars and help.
_REQUIREMENTS = (
    (
        "--t",
        "T",
        "t-closeness: no event about S changes by more than T in probability.",
    ),
    ("--ordered-t", "T", "t-closeness by the ordered distance, for an ordered sensitive column."),
    ("--l1-lift", "X", "The most that the l1-lift of a released value may be: twice --t."),
    ("--chi2-lift", "X", "The most that the chi-squared-lift of a released value may be."),
    (
        "--alpha-lift",
        "ALPHA=NATS",
        "The most that the alpha-lift of a released value may be, as its log: 2=0.5.",
    ),
    (
        "--average-log-lift",
        "NATS",
        "The most that the log-lift of a released value may be on average over its records.",
    ),
    ("--distinct-l", "L", "l-diversity: at least L different sensitive values in every value."),
    ("--entropy-l", "L", "Entropy l-diversity: as varied as L equally common values, or more."),
)


SWEPT = tuple(name.removeprefix("--") for name, *_ in _REQUIREMENTS if name != "--alpha-lift")


def swept(command: Command) -> Command:
    """Add an option for each requirement that a sweep may limit in place of eps."""
    for name, _, words in reversed(_REQUIREMENTS):
        if name.removeprefix("--") in SWEPT:
            said = f"Limits to try in place of eps. {words}"
            command = click.option(name, metavar="FROM:TO:STEP", help=said)(command)
    return command


def swept_of(eps: str | None, choices: dict[str, Any]) -> tuple[str, str | None]:
    """Take the options of `swept` out of the choices; return what is swept, and its limits."""
    given = {name.replace("-", "_"): choices.pop(name.replace("-", "_")) for name in SWEPT}
    asked = {"eps": eps, **given}
    found = [(measure, grid) for measure, grid in asked.items() if grid is not None]
    if len(found) > 1:
        raise click.UsageError("give one limit to try: --eps, or one of the others")
    return found[0] if found else ("eps", None)


def bound(command: Command) -> Command:
    """Add --eps, --lower and --upper, --beta, limits on other measures, and --bound."""
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
    for name, metavar, words in reversed(_REQUIREMENTS):
        kind = {"--alpha-lift": str, "--distinct-l": int}.get(name, float)
        command = click.option(name, type=kind, metavar=metavar, help=words)(command)
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
    required = _requirements(choices)
    ways = [eps is not None, lower is not None or upper is not None, beta is not None]
    if sum(ways) > 1:
        raise click.UsageError("give --eps, or --lower and --upper, or --beta: one of them")
    if not any(ways):
        if values:
            message = "--bound is for single values: give --eps for the others"
            raise click.UsageError(message)
        return Bound.requiring(*required) if required else None
    if eps is not None:
        found = Bound.symmetric(eps)
    elif beta is not None:
        found = Bound.beta_likeness(beta)
    else:
        found = Bound(math.inf if lower is None else lower, math.inf if upper is None else upper)
    for column, value, sides in value_bounds_of(values):
        found = found.with_values({value: sides}, column)
    return replace(found, requirements=tuple(required))


def _requirements(choices: dict[str, Any]) -> list[Requirement]:
    """Take the options of requirements out of the choices and return them."""
    from loglift.promise.catalogue import (  # noqa: PLC0415, loads when the command runs
        BY_KEY,
        alpha_lift_from,
    )

    given = {key: choices.pop(key) for key in BY_KEY}
    return [
        alpha_lift_from(limit) if key == "alpha_lift" else BY_KEY[key](limit)
        for key, limit in given.items()
        if limit is not None
    ]


def knowing(command: Command) -> Command:
    """Add the options about readers who know more: --known and --given."""
    for option in (
        click.option(
            "--given",
            multiple=True,
            metavar="MECHANISM",
            help="The mechanism.json, or the folder, of an earlier release of the same records, "
            "which readers have, too; repeat for several.",
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
    """Add --combine COL=V1,V2; `groups_of` reads it."""
    return click.option(
        "--combine",
        multiple=True,
        metavar="COL=V1,V2,...",
        help="Count several values of a sensitive column as one, for example 'ill=NULL,unknown'; "
        "repeat for several. Nothing is promised about telling them apart.",
    )(command)


def bins(command: Command) -> Command:
    """Add --bin COL=CUT and --missing COL=CODES; the command gets two dictionaries."""
    command = click.option(
        "--missing",
        multiple=True,
        metavar="COL=CODE,...",
        callback=codes_of,
        help="Codes that count as missing (NULL): 'income=-9,-8'; with 'ignore' among them, a "
        "sensitive column has no bound for NULL: 'ill=ignore'. Repeat for several.",
    )(command)
    return click.option(
        "--bin",
        "bins",
        multiple=True,
        metavar="COL=CUT",
        callback=cuts_of,
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
            callback=files_of,
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
            callback=weights_of,
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
