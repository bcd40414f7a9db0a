"""`loglift verify`: whether a mechanism holds on a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from loglift.cli import _options as options

if TYPE_CHECKING:
    from loglift.release.apply import Unseen


@click.command(
    epilog="Examples: 'loglift verify release/mechanism.json adult.parquet', 'loglift verify "
    "release/mechanism.json new.csv --unseen suppress'."
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

    What is checked is what 'loglift apply' with the same --unseen would release.

    Exit code 0 if every released value is within the mechanism's bound, 1 if not. With
    --confidence, TABLE holds fresh records, a random sample that had no say in the mechanism, and
    the code is 0 only if the bound is certified for their population.
    """
    from loglift.cli._terminal import console, stages  # noqa: PLC0415
    from loglift.release import apply as reuse  # noqa: PLC0415, loads when the command runs
    from loglift.report.terminal import print_certificate  # noqa: PLC0415

    with stages(quiet=quiet) as on_stage:
        on_stage("counting")
        certificate = reuse.verify(mechanism, table, unseen=unseen, confidence=confidence)
    if as_json:
        click.echo(json.dumps(certificate.as_dict(), ensure_ascii=False))
    else:
        print_certificate(certificate, console())
    if not certificate.holds or (certificate.population and not certificate.population.holds):
        raise click.exceptions.Exit(1)
