"""`loglift protect`: rewrite a table so that it is safe to publish."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from loglift.cli import _options as options
from loglift.cli._by_column import groups_of
from loglift.cli._config import PlannedCommand, config, was_given
from loglift.cli._lines import say


@click.command(
    cls=PlannedCommand,
    epilog=options.examples(
        "loglift protect adult.parquet -s salary -p education --eps 1 -o release",
        "loglift protect t.csv -s diagnosis -p age --bin age=10 --upper 0.7 -o out",
        "loglift protect t.csv -s ill -p income --missing income=-9 --eps 1 -o out",
        "loglift protect t.csv -s diagnosis -p age --min-information 0.9 -o out",
        "loglift protect t.csv -s ill -p age -p town --eps 1 --intact town -o out",
        "loglift protect t.csv -s ill -p age -p town --eps 1 --for income -o out",
        "loglift protect t.csv -s ill -p age --eps 1 --as values -o out",
        "loglift protect t.csv -s ill -p age --eps 1 --known region -o out",
        "loglift protect t.csv -s ill -p job --eps 1 --given a/mechanism.json -o b",
        "loglift protect t.csv -s ill -p age --eps 1 --bound ill=HIV:0.3 -o out",
        "loglift protect survey.csv -s ill -p age --eps 1 --weights w -o out",
        "loglift protect --config release.toml",
        "loglift protect --config out/release.toml --eps 0.5 -o tighter",
    ),
)
@config
@options.table
@options.sensitive
@options.public
@options.bins
@options.weights
@click.option(
    "--both",
    is_flag=True,
    help="With --weights: keep the bound also where every record counts the same.",
)
@options.each
@options.combine
@options.keeping
@options.bound
@options.knowing
@click.option(
    "--coarser-than",
    metavar="MECHANISM",
    help="The mechanism.json, or the folder, of a finer release: merge whole blocks of it only, "
    "so that both together tell no more than the finer one.",
)
@click.option(
    "--update",
    metavar="MECHANISM",
    help="The mechanism.json, or the folder, of an earlier release: change it as little as makes "
    "the release of this table safe, by merging whole blocks and new values.",
)
@click.option(
    "--min-information",
    type=float,
    metavar="SHARE",
    help="In place of a bound: use the least eps that keeps this share of the utility, for "
    "example 0.9.",
)
@options.confidence
@click.option(
    "--choose-share",
    type=float,
    metavar="SHARE",
    help="With --confidence: the share of the records that choose the mechanism.  [default: 0.4]",
)
@options.min_count
@options.max_block
@options.intact
@click.option(
    "--method",
    type=click.Choice(["search", "exact", "ordered", "greedy", "complete", "randomized"]),
    default="search",
    show_default=True,
    metavar="NAME",
    help="How to choose what to merge: search, exact, ordered, greedy or complete; or randomized, "
    "to draw released values at random.",
)
@click.option(
    "--ordered",
    metavar="COL",
    help="The only public column is ordered: release ranges of it, such as 25-34.",
)
@click.option(
    "--over",
    type=click.Choice(["all", "high-risk"]),
    default="all",
    show_default=True,
    help="Merge any values, or only high-risk values with each other.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="How long exact may take to prove its release the best (60 by default), search to improve "
    "it, or randomized for both.",
)
@click.option(
    "--as",
    "show",
    type=click.Choice(["groups", "values"]),
    default="groups",
    show_default=True,
    help="What a record shows: the members of its block, or one of them, drawn by frequency.",
)
@click.option(
    "--ranges",
    type=click.Choice(["text", "columns"]),
    default="text",
    show_default=True,
    help="Show merged values of an ordered column as 25-34, or as columns age_low and age_high.",
)
@options.key
@options.draw_seed
@options.passthrough
@click.option("--keep-sensitive", is_flag=True, help="Release the sensitive columns too.")
@options.keep_order
@options.output("The directory to write.", required=True)
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["parquet", "csv", "arrow", "dta", "sav", "xlsx"]),
    metavar="NAME",
    help="The format of the released table: parquet, csv, arrow, dta, sav or xlsx.  [default: that "
    "of a Stata, SPSS, Excel or Arrow file, else parquet]",
)
@options.escape_formulas
@click.option(
    "--public-report",
    is_flag=True,
    help="Also write public-report.html, for readers: it says no more than mechanism.json.",
)
@click.option(
    "--evaluate",
    is_flag=True,
    help="Also measure what readers and attackers can do with the release, for the report; see "
    "'loglift evaluate'.",
)
@options.force
@options.as_json
@options.quiet
def protect(
    table: str,
    output: Path,
    file_format: Any,
    escape_formulas: bool,
    config: Path | None,  # noqa: ARG001, `PlannedCommand` has read it
    ordered: str | None,
    public_report: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
    **choices: Any,
) -> None:
    """Rewrite the public columns of TABLE so that no value reveals too much.

    TABLE is a CSV, TSV, Parquet, JSON lines, Arrow, Stata, SPSS or SAS file, a sheet of a workbook
    (book.xlsx::Sheet2), or a table of a database (warehouse.duckdb::people,
    postgresql://user@host/db::people; the password is in PGPASSWORD).

    Writes released.parquet (or another format), codebook.csv (which values each block stands for),
    mechanism.json (for 'loglift apply'), certificate.json and report.html (for the custodian: they
    contain sensitive values), and release.toml, the plan that repeats the release.

    With --as values the records of a block exchange their public values: all counts of the public
    columns stay the same, and what stands next to other columns is true of whole blocks only.

    mechanism.json has no counts, and no sensitive values but those that options name and the edges
    of sensitive bands. eps does not bound what it tells: the choice of what to merge depends on the
    sensitive columns. The released blocks tell the same. Never publish the mechanism.json of a
    randomized release.
    """
    from loglift.cli._repeat import command_line  # noqa: PLC0415, loads when the command runs
    from loglift.cli._terminal import console, progress  # noqa: PLC0415
    from loglift.release import protect as recipe  # noqa: PLC0415
    from loglift.release.origin import shown_table  # noqa: PLC0415
    from loglift.release.result import check_output  # noqa: PLC0415
    from loglift.report.document import document  # noqa: PLC0415
    from loglift.report.terminal import print_release  # noqa: PLC0415
    from loglift.writing import refuse_input  # noqa: PLC0415

    choices["combine"] = groups_of(choices["combine"])
    if ordered is not None:
        _check_ordered(ordered, choices["public"], choices["method"])
        choices["method"] = "ordered"
    coded = choices["show"] == "groups" and choices["method"] != "randomized"
    if escape_formulas and file_format != "csv" and not coded:
        raise click.UsageError("--escape-formulas needs CSV: add --format csv")
    if public_report and choices["method"] == "randomized":
        message = "--public-report shows the mechanism, which is not public if it is randomized"
        raise click.UsageError(message)
    refuse_input(output, table)
    check_output(output, force=force)
    with progress(quiet=quiet) as on_progress:
        release = recipe.protect(
            table,
            bound=options.bound_of(choices),
            explain=True,
            on_progress=on_progress,
            **choices,
        )
        saved = release.save(
            output,
            format=file_format,
            force=force,
            public_report=public_report,
            escape_formulas=escape_formulas,
            command=command_line(),
            on_progress=on_progress,
        )
    options.warn_of_seed(choices["draw_seed"])
    options.warn_of_formulas(saved.formulas, output / saved.files[0])
    if saved.codebook_formulas:
        options.warn_of_formulas(["shown, members"], output / "codebook.csv")
    if as_json:
        written = {"output": str(output), "released": str(output / saved.files[0])}
        click.echo(json.dumps({**document(saved.release.summary), **written}, ensure_ascii=False))
        return
    print_release(saved.release.summary, console(), shown_table(table))
    if not quiet:
        say(f"Written to {output}: {', '.join(saved.files)}.")


def _check_ordered(column: str, public: tuple[str, ...], method: str) -> None:
    """Raise if --ordered is given with another --method, or with several public columns."""
    if method != "ordered" and was_given("method"):
        message = f"--ordered {column} is a method of its own: leave --method {method} out"
        raise click.UsageError(message)
    if public != (column,):
        message = f"--ordered {column}: {column} must be the only public column"
        raise click.UsageError(message)
