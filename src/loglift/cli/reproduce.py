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
    from loglift.paper.study import Recipe, Study

STUDIES = ("subset-size", "promises")


@click.command(
    epilog=options.examples(
        "loglift reproduce",
        "loglift reproduce --draws 200 -o figures",
        "loglift reproduce --json > points.json",
        "loglift reproduce --methods complete,greedy,search,exact,randomized",
        "loglift reproduce --study subset-size -o subset-size",
        "loglift reproduce --study promises --draws 2",
    )
)
@click.option(
    "--study",
    type=click.Choice(STUDIES),
    help="In place of the paper's figures: what a limit on the values of a block costs, or what "
    "each promise keeps and what it implies for the others.",
)
@click.option(
    "--draws",
    type=int,
    metavar="N",
    help="How many random joints to draw. Default: 1000; with --study as many as take a minute.",
)
@click.option(
    "--seed", default=0, show_default=True, metavar="N", help="Seed of the random joints."
)
@click.option(
    "--methods",
    metavar="LIST",
    help="The methods to run: the paper's complete and greedy, loglift's search, exact and "
    "randomized, and response (subset random response). Default: complete,greedy.",
)
@click.option(
    "--other-draws",
    type=int,
    metavar="N",
    help="How many of the joints loglift's own methods run on; each takes seconds. Default: 20.",
)
@options.output(
    "Also write figures (PNG, SVG, an HTML page) and points.json; with --study, points.csv, too."
)
@options.force
@options.as_json
@options.quiet
def reproduce(
    study: str | None,
    draws: int | None,
    seed: int,
    methods: str | None,
    other_draws: int | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Reproduce the paper: Example 1, Table 1 and the three figures.

    Draws random joints of 20 public and 13 sensitive values, protects each with complete merging
    and with Algorithm 1 at ten eps, and compares every printed number with the paper's: z is the
    difference in standard errors. --study looks into what the paper leaves open, on such joints.
    """
    from loglift.cli._terminal import console, progress  # noqa: PLC0415
    from loglift.paper import reproduction  # noqa: PLC0415
    from loglift.paper.figures import FIGURES  # noqa: PLC0415
    from loglift.paper.other_methods import OTHER_DRAWS  # noqa: PLC0415
    from loglift.paper.tables import print_reproduction, print_study  # noqa: PLC0415
    from loglift.writing import check_directory  # noqa: PLC0415, loads when the command runs

    recipe = None if study is None else _recipe(study, methods, other_draws)
    files = {*FIGURES, "points.json"} if recipe is None else recipe.files
    if output is not None:
        check_directory(output, files, force=force)
    result: Reproduction | Study
    with progress(quiet=quiet) as on_progress:
        if recipe is not None:
            result = recipe.run(recipe.draws if draws is None else draws, seed, on_progress)
        else:
            drawn = reproduction.PAPER_DRAWS if draws is None else draws
            own = OTHER_DRAWS if other_draws is None else other_draws
            result = reproduction.reproduce(
                drawn,
                seed,
                methods=[name.strip() for name in (methods or "complete,greedy").split(",")],
                other_draws=min(drawn, own),
                on_progress=on_progress,
            )
    if output is not None:
        _write(result, output, files, force=force)
    if as_json:
        click.echo(json.dumps(result.as_dict()))
        return
    if isinstance(result, reproduction.Reproduction):
        print_reproduction(result, console())
    else:
        print_study(result, console())
    if output is not None and not quiet:
        say(f"Written to {output}: {', '.join(sorted(files))}.")


def _recipe(study: str, methods: str | None, other_draws: int | None) -> Recipe:
    """Return the recipe of a study; raise for options that it does not have."""
    from loglift.paper import promise_study, subset_size  # noqa: PLC0415, loads when asked for

    if methods is not None or other_draws is not None:
        raise click.UsageError("--methods and --other-draws are not for a --study: leave them out")
    return {"subset-size": subset_size.RECIPE, "promises": promise_study.RECIPE}[study]


def _write(result: Reproduction | Study, output: Path, files: set[str], *, force: bool) -> None:
    from loglift.paper.figures import write_figures  # noqa: PLC0415
    from loglift.paper.study import Study  # noqa: PLC0415
    from loglift.values import pretty  # noqa: PLC0415
    from loglift.writing import whole_directory  # noqa: PLC0415, loads when something is written

    with whole_directory(output, files, force=force) as directory:
        if isinstance(result, Study):
            result.write(directory)
            return
        write_figures(result, directory)
        (directory / "points.json").write_text(pretty(result.as_dict()), "utf-8")
