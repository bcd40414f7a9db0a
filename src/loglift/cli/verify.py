"""`loglift verify`: check a mechanism on a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from loglift.cli import _options as options

if TYPE_CHECKING:
    from loglift.release.apply import Unseen


@click.command(
    epilog=options.examples(
        "loglift verify release/mechanism.json adult.parquet",
        "loglift verify release/mechanism.json new.csv --unseen suppress",
    )
)
@click.argument("mechanism", metavar="MECHANISM")
@options.table
@options.unseen
@options.confidence
@options.as_json
@options.quiet
def verify(
    mechanism: str,
    table: str,
    unseen: Unseen,
    confidence: float | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Count TABLE again and check MECHANISM (a mechanism.json) on it in exact arithmetic.

    It checks the values that 'loglift apply' with the same --unseen would release.

    The exit code is 0 if every released value is within the mechanism's bound, and 1 if not. With
    --confidence, it is 0 only if the bound is certified for the population of TABLE; TABLE must be
    a random sample of records that the mechanism was not made from.
    """
    from loglift.cli._terminal import console, progress  # noqa: PLC0415, loads when it runs
    from loglift.release import verify as recipe  # noqa: PLC0415
    from loglift.report.document import check_document  # noqa: PLC0415
    from loglift.report.terminal import print_certificate  # noqa: PLC0415

    with progress(quiet=quiet) as on_progress:
        certificate = recipe.verify(
            mechanism, table, unseen=unseen, confidence=confidence, on_progress=on_progress
        )
    if as_json:
        click.echo(json.dumps(check_document(certificate), ensure_ascii=False))
    else:
        print_certificate(certificate, console())
    if not certificate.holds or (certificate.population and not certificate.population.holds):
        raise click.exceptions.Exit(1)
