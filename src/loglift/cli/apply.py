"""`loglift apply`: a mechanism on new rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loglift.cli import _options as options

if TYPE_CHECKING:
    from loglift.release.apply import Unseen


@click.command(
    epilog="Example: 'loglift apply release/mechanism.json new.csv -o new-released.parquet'."
)
@click.argument("mechanism", metavar="MECHANISM")
@options.table
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file to write; .parquet or .csv.",
)
@options.unseen
@options.key
@options.seed
@options.keep
@options.keep_order
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
    seed: int | None,
    keep: tuple[str, ...],
    keep_order: bool,
    escape_formulas: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Apply MECHANISM (a mechanism.json) to the rows of TABLE.

    TABLE need not have the sensitive columns. The guarantee was checked on the table the
    mechanism was made from; 'loglift verify' checks it on another.
    """
    from loglift import tables  # noqa: PLC0415
    from loglift.cli._terminal import stages  # noqa: PLC0415
    from loglift.release import apply as reuse  # noqa: PLC0415, loads when the command runs
    from loglift.writing import check_file, refuse_input  # noqa: PLC0415

    refuse_input(output, table)
    check_file(output, force=force)
    if escape_formulas and output.suffix.lower() != ".csv":
        raise click.UsageError("--escape-formulas: formulas are escaped in CSV only, write a .csv")
    with stages(quiet=quiet) as on_stage:
        on_stage("applying")
        applied = reuse.apply(
            mechanism, table, keep=keep, keep_order=keep_order, unseen=unseen, key=key, seed=seed
        )
        on_stage("writing")
        formulas = tables.write(applied, output, replace=force, escape_formulas=escape_formulas)
        records = 0 if unseen == "refuse" else reuse.unseen_records(mechanism, table)
    options.warn_of_seed(seed)
    options.warn_of_formulas(formulas, output)
    if as_json:
        document = {"output": str(output), "unseen": unseen, "unseen_records": records}
        click.echo(json.dumps(document))
    elif not quiet:
        became = {"suppress": "suppressed", "merge": "with unseen values merged with others"}
        told = f"; {records:,} records {became[unseen]}" if unseen in became else ""
        click.echo(f"Written to {output}{told}.")
