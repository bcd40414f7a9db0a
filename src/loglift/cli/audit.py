"""`loglift audit`: measure what a table reveals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from loglift.cli import _options as options
from loglift.cli._by_column import groups_of
from loglift.cli._config import PlannedCommand, config
from loglift.cli._lines import say

MAX_LISTED_RISKS = 20  # in the JSON, where --top is not given


@click.command(
    cls=PlannedCommand,
    epilog=options.examples(
        "loglift audit adult.parquet -s salary -p education -p occupation",
        "loglift audit people.csv -s diagnosis -p age --bin age=10 --eps 1",
        "loglift audit people.csv -s diagnosis -p age --eps 1 --report audit.html",
        "loglift audit people.csv -s diagnosis -p age --eps 1 --known region",
        "loglift audit people.csv -s ill -p job --eps 1 --given first/mechanism.json",
        "loglift audit --config release.toml",
    ),
)
@config
@options.table
@options.sensitive
@options.public
@options.bins
@options.weights
@options.each
@options.combine
@options.bound
@options.knowing
@options.confidence
@click.option(
    "--top",
    type=click.IntRange(min=0),
    metavar="N",
    help="How many of the riskiest values to show.  [default: 10, and 20 with --json]",
)
@click.option(
    "--suggest",
    is_flag=True,
    help="With a bound: suggest rare sensitive values to group, so that a release keeps more.",
)
@options.report(
    "Also write an HTML page. It is for the custodian: it has sensitive values and counts."
)
@options.force
@options.as_json
@options.quiet
def audit(
    table: str,
    sensitive: tuple[str, ...],
    public: tuple[str, ...],
    top: int | None,
    report: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    config: Path | None,  # noqa: ARG001, `PlannedCommand` has read it
    **choices: Any,
) -> None:
    """Measure what the public columns of TABLE reveal about its sensitive ones.

    TABLE is a CSV, TSV, Parquet or JSON lines file, or a glob of them. With a bound, the exit
    code is 0 if every public value is within it and 1 if not. With --confidence as well, it is 0
    only if the bound is certified for the population.
    """
    from loglift.cli._repeat import command_line  # noqa: PLC0415, loads when it runs
    from loglift.cli._terminal import console, progress  # noqa: PLC0415
    from loglift.release import audit as recipe  # noqa: PLC0415
    from loglift.release.origin import shown_table  # noqa: PLC0415
    from loglift.report.document import document  # noqa: PLC0415
    from loglift.report.summary import Summary  # noqa: PLC0415
    from loglift.report.terminal_audit import MAX_RISKS, print_audit  # noqa: PLC0415
    from loglift.writing import check_file, refuse_input, whole_file  # noqa: PLC0415

    choices["combine"] = groups_of(choices["combine"])
    if report is not None:
        refuse_input(report, table)
        check_file(report, force=force)
    with progress(quiet=quiet) as on_progress:
        result = recipe.audit(
            table,
            sensitive=sensitive,
            public=public,
            bound=options.bound_of(choices),
            top=MAX_LISTED_RISKS if top is None else top,
            on_progress=on_progress,
            **choices,
        )
    summary = Summary.of_audit(result)
    if report is not None:
        from loglift.report.page import render  # noqa: PLC0415, loads when it is written

        with whole_file(report, force=force, parents=True) as file:
            file.write_text(render(summary, command=command_line()), "utf-8")
    if as_json:
        click.echo(json.dumps(document(summary), ensure_ascii=False))
    else:
        print_audit(summary, console(), shown_table(table), top=MAX_RISKS if top is None else top)
        if report is not None and not quiet:
            say(f"Written to {report}.")
    if result.holds is False or (result.population and result.population.holds is False):
        raise click.exceptions.Exit(1)
