"""`loglift apply`: apply a mechanism to new rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loglift.cli import _options as options
from loglift.cli._lines import say
from loglift.cli._sections import SectionedCommand

if TYPE_CHECKING:
    from loglift.release.apply import Unseen


@click.command(
    cls=SectionedCommand,
    epilog=options.examples(
        "loglift apply release/mechanism.json new.csv -o new-released.parquet",
        "loglift apply release/mechanism.json new.csv -o new.csv --unseen suppress",
    ),
)
@click.argument("mechanism", metavar="MECHANISM")
@options.table
@options.output(
    "The file to write: .parquet, .csv, .arrow, .dta, .sav or .xlsx.", metavar="FILE", required=True
)
@options.unseen
@options.passthrough
@options.keep_order
@options.key
@options.draw_seed
@options.escape_formulas
@options.force
@options.as_json
@options.quiet
def apply(
    mechanism: str,
    table: str,
    output: Path,
    unseen: Unseen,
    key: str | None,
    draw_seed: int | None,
    passthrough: tuple[str, ...],
    keep_order: bool,
    escape_formulas: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Apply MECHANISM to the rows of TABLE.

    MECHANISM is a mechanism.json, or the folder of a release that has one.

    TABLE need not have the sensitive columns. The bound was checked on the table that the
    mechanism was made from; 'loglift verify' checks it on another table.
    """
    from loglift.cli._terminal import progress  # noqa: PLC0415, loads when the command runs
    from loglift.release import apply as recipe  # noqa: PLC0415
    from loglift.report.words import number_of  # noqa: PLC0415
    from loglift.writing import check_file, refuse_input  # noqa: PLC0415

    refuse_input(output, table)
    check_file(output, force=force)
    if escape_formulas and output.suffix.lower() != ".csv":
        raise click.UsageError("--escape-formulas needs CSV: write to a .csv file")
    with progress(quiet=quiet) as on_progress:
        applied = recipe.apply_to_file(
            mechanism,
            table,
            output,
            passthrough=passthrough,
            keep_order=keep_order,
            unseen=unseen,
            key=key,
            draw_seed=draw_seed,
            replace=force,
            escape_formulas=escape_formulas,
            on_progress=on_progress,
        )
    records = applied.unseen_records
    options.warn_of_seed(draw_seed)
    options.warn_of_formulas(applied.formulas, output)
    if as_json:
        document = {"output": str(output), "unseen": unseen, "unseen_records": records}
        click.echo(json.dumps(document))
    elif not quiet:
        done = {"suppress": " suppressed", "merge": " with unseen values merged with others"}
        unknown = f": {number_of(records, 'record')}{done[unseen]}" if unseen in done else ""
        say(f"Written to {output}{unknown}.")
