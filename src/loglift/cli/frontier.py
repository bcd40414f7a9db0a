"""`loglift frontier`: what each eps keeps, and the least eps that keeps enough."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loglift.cli import _options as options
from loglift.cli._config import PlannedCommand, config
from loglift.cli._lines import say

if TYPE_CHECKING:
    from loglift.report.sweep import Frontier, LeastEps

SWEEP = "0.1:3:0.1"
FILES = frozenset(f"frontier.{form}" for form in ("json", "csv", "png", "svg", "html"))


class _Frontier(PlannedCommand):
    """The bound and the folder of a plan are those of the release."""

    ignored = frozenset({"eps", "min-information", "output", *options.SWEPT})


@click.command(
    cls=_Frontier,
    epilog=options.examples(
        "loglift frontier adult.parquet -s salary -p education -p occupation",
        "loglift frontier people.csv -s diagnosis -p age --eps 0.5,1,2 -o frontier",
        "loglift frontier people.csv -s diagnosis -p age --min-information 0.9",
        "loglift frontier people.csv -s diagnosis -p age --t 0.05:0.5:0.05",
        "loglift frontier --config release.toml",
    ),
)
@config
@options.table
@options.sensitive
@options.public
@options.bins
@options.weights
@options.each
@options.keeping
@click.option(
    "--eps",
    metavar="FROM:TO:STEP",
    help=f"The eps to try, or a list such as 0.5,1,2.  [default: {SWEEP}]",
)
@options.swept
@click.option(
    "--min-information",
    type=float,
    metavar="SHARE",
    help="Find the least eps that keeps this share of the utility, for example 0.9; 'loglift "
    "protect --min-information' uses it.",
)
@options.min_count
@options.intact
@click.option(
    "--methods",
    default="search",
    show_default=True,
    metavar="LIST",
    help="Methods to compare, separated by commas.",
)
@options.output("Also write the figures as JSON, CSV, PNG, SVG and an HTML page.")
@options.force
@options.as_json
@options.quiet
def frontier(
    table: str,
    eps: str | None,
    methods: str,
    min_information: float | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    config: Path | None,  # noqa: ARG001, `PlannedCommand` has read it
    **choices: Any,
) -> None:
    """Show how much a release of TABLE keeps at each eps, or at each limit of another measure.

    TABLE is a CSV, TSV, Parquet or JSON lines file, or a glob of them. No release is written.

    With --min-information alone, the command only finds the least eps, to 0.005 nats. What search
    keeps never falls as eps grows; with other methods it may.
    """
    from loglift.cli._terminal import console, progress  # noqa: PLC0415, loads when it runs
    from loglift.release.frontier import limit_grid, sweep  # noqa: PLC0415
    from loglift.release.origin import shown_table  # noqa: PLC0415
    from loglift.report.frontier import (  # noqa: PLC0415
        frontier_document,
        print_frontier,
        print_least,
    )
    from loglift.writing import check_directory, refuse_input  # noqa: PLC0415

    names: Any = tuple(name.strip() for name in methods.split(","))
    measure, grid = options.swept_of(eps, choices)
    bounds = limit_grid(grid or SWEEP)
    if output is not None:
        refuse_input(output, table)
        check_directory(output, FILES, force=force)
    if min_information is not None and measure != "eps":
        raise click.UsageError("--min-information finds the least eps: leave other limits out")
    if min_information is not None and len(names) > 1 and not (grid or output):
        message = "--min-information finds the least eps of one method: name one in --methods"
        raise click.UsageError(message)
    swept = min_information is None or bool(grid) or output is not None
    with progress(quiet=quiet) as on_progress:
        found, least = sweep(
            table,
            bounds if swept else (),
            names,
            measure=measure,
            min_information=min_information,
            on_progress=on_progress,
            **choices,
        )
    if output is not None and found is not None:
        _write(found, least, Path(shown_table(table)).name, output, force=force)
    if as_json:
        click.echo(json.dumps(frontier_document(found, least)))
        return
    if found is not None:
        print_frontier(found, console(), shown_table(table))
    if least is not None:
        print_least(least, console())
    if output is not None and not quiet:
        say(f"Written to {output}: {', '.join(sorted(FILES))}.")


def _write(
    found: Frontier, least: LeastEps | None, where: str, output: Path, *, force: bool
) -> None:
    from loglift.report.frontier import (  # noqa: PLC0415
        frontier_document,
        frontier_files,
        frontier_page,
    )
    from loglift.values import pretty  # noqa: PLC0415
    from loglift.writing import whole_directory  # noqa: PLC0415, loads when something is written

    figures = frontier_files(found, where)
    with whole_directory(output, FILES, force=force) as directory:
        (directory / "frontier.json").write_text(pretty(frontier_document(found, least)), "utf-8")
        (directory / "frontier.csv").write_text(found.to_csv(), "utf-8")
        (directory / "frontier.html").write_text(frontier_page(found, where, least), "utf-8")
        for name, content in figures.items():
            (directory / name).write_bytes(content)
