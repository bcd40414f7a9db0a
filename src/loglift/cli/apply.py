"""`loglift apply`: a mechanism on new rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import click

from loglift.cli import _options as options


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
@click.option(
    "--unseen",
    type=click.Choice(["refuse", "suppress", "merge"]),
    default="refuse",
    show_default=True,
    help="What to do with values the mechanism does not know; merge: where they are certified.",
)
@options.key
@options.seed
@options.keep
@options.keep_order
@options.force
@options.as_json
@options.quiet
def apply(
    mechanism: str,
    table: str,
    output: Path,
    unseen: Literal["refuse", "suppress", "merge"],
    key: str | None,
    seed: int | None,
    keep: tuple[str, ...],
    keep_order: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Apply MECHANISM (a mechanism.json) to the rows of TABLE.

    TABLE need not have the sensitive columns. The guarantee was checked on the table the
    mechanism was made from; 'loglift verify' checks it on another.
    """
    from loglift import reuse, tables  # noqa: PLC0415, loads when the command runs
    from loglift._output import refuse_existing, refuse_input  # noqa: PLC0415
    from loglift.cli._terminal import stages  # noqa: PLC0415

    refuse_input(output, table)
    refuse_existing(output, force=force)
    with stages(quiet=quiet) as on_stage:
        on_stage("applying")
        applied = reuse.apply(
            mechanism, table, keep=keep, keep_order=keep_order, unseen=unseen, key=key, seed=seed
        )
        on_stage("writing")
        tables.write(applied, output)
        suppressed = reuse.suppressed_records(mechanism, table) if unseen == "suppress" else 0
    options.warn_of_seed(seed)
    if as_json:
        click.echo(json.dumps({"output": str(output), "suppressed_records": suppressed}))
    elif not quiet:
        click.echo(f"Written to {output}; {suppressed:,} records suppressed.")
