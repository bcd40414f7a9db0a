"""`loglift audit`: what a table gives away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from loglift.cli import _options as options


@click.command(
    epilog="Examples: 'loglift audit adult.parquet -s salary -p education -p occupation', "
    "'loglift audit people.csv -s diagnosis -p age --bin age=10 --eps 1' (exit code 1 if the "
    "table is not within eps)."
)
@options.table
@options.sensitive
@options.public
@options.bound
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many of the riskiest values.",
)
@options.confidence
@options.each
@options.bins
@click.option(
    "--suggest",
    is_flag=True,
    help="With a bound: which rare sensitive values to group so that a release keeps more.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write a page to look at, for the custodian: it names sensitive values and counts.",
)
@options.force
@options.as_json
@options.quiet
def audit(
    table: str,
    sensitive: tuple[str, ...],
    public: tuple[str, ...],
    top: int,
    report: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **bounds: Any,
) -> None:
    """Measure what the public columns of TABLE reveal about its sensitive ones.

    TABLE is a CSV, TSV, Parquet or JSON lines file, or a glob of them. With a bound, the exit
    code is 0 if every public value is within it and 1 if not; with --confidence too, 0 only if
    that is certified for the population.
    """
    from loglift.cli._repeat import command_line  # noqa: PLC0415
    from loglift.cli._terminal import console, stages  # noqa: PLC0415
    from loglift.release import protect as pipeline  # noqa: PLC0415, loads when the command runs
    from loglift.report.terminal import print_audit  # noqa: PLC0415
    from loglift.report.terminal_why import print_suggestion  # noqa: PLC0415
    from loglift.writing import check_file, refuse_input, whole_file  # noqa: PLC0415

    if report is not None:
        refuse_input(report, table)
        check_file(report, force=force)
    with stages(quiet=quiet) as on_stage:
        result = pipeline.audit(
            table, sensitive=sensitive, public=public, top=top, on_stage=on_stage, **bounds
        )
    if report is not None:
        from loglift.report.html import render_audit  # noqa: PLC0415, loads when it is written

        with whole_file(report, force=force, parents=True) as file:
            file.write_text(render_audit(result, command=command_line()), "utf-8")
    if as_json:
        click.echo(json.dumps(result.as_dict(), ensure_ascii=False))
    else:
        print_audit(result, console(), table)
        if result.suggestion is not None:
            print_suggestion(result.suggestion, console())
    if result.holds is False or (result.population and result.population.holds is False):
        raise click.exceptions.Exit(1)
