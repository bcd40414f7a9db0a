"""`loglift reproduce`: the paper's numbers beside ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from loglift.paper.reproduction import Reproduction


@click.command(
    epilog="Examples: 'loglift reproduce', 'loglift reproduce --draws 200 -o figures', "
    "'loglift reproduce --json > points.json', 'loglift reproduce --methods "
    "complete,greedy,search,exact,randomized -o figures'."
)
@click.option("--draws", default=1000, show_default=True, help="How many random joints to draw.")
@click.option("--seed", default=0, show_default=True, help="Seed of the random joints.")
@click.option(
    "--methods",
    default="complete,greedy",
    show_default=True,
    metavar="LIST",
    help="Curves to draw: search, exact and randomized add loglift's own to the paper's two.",
)
@click.option(
    "--other-draws",
    default=20,
    show_default=True,
    help="How many of the joints loglift's own methods run on; they take seconds each.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Directory for the figures (PNG, SVG, one HTML page) and points.json.",
)
@click.option("--force", is_flag=True, help="Replace the output directory if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--quiet", is_flag=True, help="No progress bar and no notes.")
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
    from loglift.paper.others import others_of  # noqa: PLC0415
    from loglift.paper.tables import print_reproduction  # noqa: PLC0415
    from loglift.writing import check_directory  # noqa: PLC0415, loads when the command runs

    if output is not None:
        check_directory(output, _files(), force=force)
    names = [name.strip() for name in methods.split(",")]
    own = min(draws, other_draws)
    steps = draws + (own if others_of(names) else 0)
    with progress("drawing joints", steps, quiet=quiet) as advance:
        result = reproduction.reproduce(draws, seed, advance, methods=names, other_draws=own)
    if output is not None:
        _write(result, output, force=force)
        if not quiet:
            click.echo(f"figures written: {output / 'figures.html'}", err=True)
    if as_json:
        click.echo(json.dumps(result.as_dict()))
    else:
        print_reproduction(result, console())


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
