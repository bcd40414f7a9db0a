"""`loglift reproduce`: compare the paper's numbers with ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loglift.cli import _options as options
from loglift.cli._lines import say

if TYPE_CHECKING:
    from loglift.paper.reproduction import Reproduction


@click.command(
    epilog=options.examples(
        "loglift reproduce",
        "loglift reproduce --draws 200 -o figures",
        "loglift reproduce --json > points.json",
        "loglift reproduce --methods complete,greedy,search,exact,randomized",
    )
)
@click.option(
    "--draws", default=1000, show_default=True, metavar="N", help="How many random joints to draw."
)
@click.option(
    "--seed", default=0, show_default=True, metavar="N", help="Seed of the random joints."
)
@click.option(
    "--methods",
    default="complete,greedy",
    show_default=True,
    metavar="LIST",
    help="The methods to run: the paper's complete and greedy, loglift's search, exact and "
    "randomized, and response (subset random response).",
)
@click.option(
    "--other-draws",
    default=20,
    show_default=True,
    metavar="N",
    help="How many of the joints loglift's own methods run on; each takes seconds.",
)
@options.output("Also write the figures (PNG, SVG, an HTML page) and points.json.")
@options.force
@options.as_json
@options.quiet
def reproduce(
    draws: int,
    seed: int,
    methods: str,
    other_draws: int,
    output: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Reproduce the paper: Example 1, Table 1 and the three figures.

    Draws random joints of 20 public and 13 sensitive values, protects each with complete merging
    and with Algorithm 1 at ten eps, and compares every printed number with the paper's: z is the
    difference in standard errors.
    """
    from loglift.cli._terminal import console, progress  # noqa: PLC0415
    from loglift.paper import reproduction  # noqa: PLC0415
    from loglift.paper.tables import print_reproduction  # noqa: PLC0415
    from loglift.writing import check_directory  # noqa: PLC0415, loads when the command runs

    if output is not None:
        check_directory(output, _files(), force=force)
    names = [name.strip() for name in methods.split(",")]
    own = min(draws, other_draws)
    with progress(quiet=quiet) as on_progress:
        result = reproduction.reproduce(
            draws, seed, methods=names, other_draws=own, on_progress=on_progress
        )
    if output is not None:
        _write(result, output, force=force)
    if as_json:
        click.echo(json.dumps(result.as_dict()))
        return
    print_reproduction(result, console())
    if output is not None and not quiet:
        say(f"Written to {output}: {', '.join(sorted(_files()))}.")


def _files() -> set[str]:
    from loglift.paper.figures import FIGURES  # noqa: PLC0415, loads when something is written

    return {*FIGURES, "points.json"}


def _write(result: Reproduction, output: Path, *, force: bool) -> None:
    from loglift.paper.figures import write_figures  # noqa: PLC0415
    from loglift.values import pretty  # noqa: PLC0415
    from loglift.writing import whole_directory  # noqa: PLC0415, loads when something is written

    with whole_directory(output, _files(), force=force) as directory:
        write_figures(result, directory)
        (directory / "points.json").write_text(pretty(result.as_dict()), "utf-8")
