"""`loglift frontier`: what is kept at each eps, and the eps that keeps enough."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loglift.cli import _options as options

if TYPE_CHECKING:
    from loglift.release.frontier import Frontier, LeastEps

SWEEP = "0.1:3:0.1"
FILES = frozenset(f"frontier.{form}" for form in ("json", "csv", "png", "svg", "html"))


@click.command(
    epilog="Examples: 'loglift frontier adult.parquet -s salary -p education -p occupation', "
    "'loglift frontier people.csv -s diagnosis -p age --eps 0.5,1,2 --methods search,greedy -o "
    "frontier', 'loglift frontier people.csv -s diagnosis -p age --keep 0.9' (the least eps that "
    "keeps 90 %; 'protect --keep-information 0.9' uses it)."
)
@options.table
@options.sensitive
@options.public
@click.option(
    "--eps", metavar="FROM:TO:STEP", help=f"The eps to try, or a list: 0.5,1,2.  [default: {SWEEP}]"
)
@click.option(
    "--methods", default="search", show_default=True, help="Methods to compare, with commas."
)
@click.option(
    "--keep",
    type=float,
    metavar="SHARE",
    help="Find the least eps that keeps this share of the information, say 0.9.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the figures as JSON, CSV, PNG, SVG and an HTML page.",
)
@click.option("--min-count", type=int, metavar="K", help="As in 'loglift protect'.")
@click.option("--groups", multiple=True, metavar="COL", help="As in 'loglift protect'.")
@options.each
@options.bins
@options.force
@options.as_json
@options.quiet
def frontier(
    table: str,
    eps: str | None,
    methods: str,
    keep: float | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **choices: Any,
) -> None:
    """Show how much information a release of TABLE keeps at each eps.

    Nothing is released. With --keep alone only the least eps is looked for, to 0.005 nats. What
    search keeps never falls as eps grows; the other methods are shown as they are.
    """
    from loglift.cli._terminal import console, progress  # noqa: PLC0415
    from loglift.release import protect as pipeline  # noqa: PLC0415, loads when the command runs
    from loglift.release.frontier import checked_share, eps_grid  # noqa: PLC0415
    from loglift.report.frontier import print_frontier, print_least  # noqa: PLC0415
    from loglift.writing import check_directory, refuse_input  # noqa: PLC0415

    names: Any = tuple(name.strip() for name in methods.split(","))
    bounds = eps_grid(eps or SWEEP)
    if output is not None:
        refuse_input(output, table)
        check_directory(output, FILES, force=force)
    share = None if keep is None else checked_share(keep)
    if share is not None and len(names) > 1 and not (eps or output):
        message = "--keep looks for the least eps of one method: name one in --methods"
        raise click.UsageError(message)
    swept = pipeline.sweep(table, **choices)
    found = least = None
    if share is None or eps or output:
        with progress("sweeping eps", len(bounds) * len(names), quiet=quiet) as advance:
            found = swept.frontier(bounds, names, advance)
    if share is not None:
        least = swept.least_eps(share, names[0])
    if output is not None and found is not None:
        _write(found, least, Path(table).name, output, force=force)
    if as_json:
        click.echo(json.dumps(_document(found, least)))
        return
    if found is not None:
        print_frontier(found, console(), table)
    if least is not None:
        print_least(least, console())
    if output is not None and not quiet:
        click.echo(f"Written to {output}: {', '.join(sorted(FILES))}.")


def _document(found: Frontier | None, least: LeastEps | None) -> dict[str, Any]:
    document: dict[str, Any] = {} if found is None else found.as_dict()
    if least is not None:
        document["least_eps"] = {
            "asked": least.asked,
            "eps": least.eps,
            "kept": least.kept,
            "leakage": least.mechanism.leakage,
            "method": least.mechanism.method,
        }
    return document


def _write(
    found: Frontier, least: LeastEps | None, where: str, output: Path, *, force: bool
) -> None:
    from loglift.report.frontier import frontier_page, write_figures  # noqa: PLC0415
    from loglift.values import pretty  # noqa: PLC0415
    from loglift.writing import whole_directory  # noqa: PLC0415, loads when something is written

    figures = write_figures(found, where)
    with whole_directory(output, FILES, force=force) as directory:
        (directory / "frontier.json").write_text(pretty(_document(found, least)), "utf-8")
        (directory / "frontier.csv").write_text(found.to_csv(), "utf-8")
        (directory / "frontier.html").write_text(frontier_page(found, where, least), "utf-8")
        for name, content in figures.items():
            (directory / name).write_bytes(content)
