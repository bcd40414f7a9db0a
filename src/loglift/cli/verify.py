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
        "loglift verify first/mechanism.json second/mechanism.json adult.parquet",
    )
)
@click.argument("mechanisms", metavar="MECHANISM...", nargs=-1, required=True)
@options.table
@options.unseen
@click.option(
    "--known",
    multiple=True,
    metavar="COL",
    help="A column that readers may know of a person, beside those that the mechanism names; "
    "repeat for several.",
)
@options.confidence
@options.as_json
@options.quiet
def verify(
    mechanisms: tuple[str, ...],
    table: str,
    unseen: Unseen,
    known: tuple[str, ...],
    confidence: float | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Count TABLE again and check MECHANISM on it in exact arithmetic.

    MECHANISM is a mechanism.json, or the folder of a release that has one.

    It checks the values that 'loglift apply' with the same --unseen would release.

    With several, it checks each of them and all of them together: releases of the same records, of
    which readers have all. All together must be within the bound of those that were made with
    --given all others, or of each where there is none; a coarser edition of another one adds
    nothing. Records with values that one of them does not know were not in that release.

    The exit code is 0 if every released value is within the mechanism's bound, and 1 if not. With
    --confidence, it is 0 only if the bound is certified for the population of TABLE; TABLE must be
    a random sample of records that the mechanism was not made from.
    """
    if len(mechanisms) > 1:
        if confidence is not None or unseen != "refuse":
            raise click.UsageError(
                "--confidence and --unseen are for one mechanism: leave them out with several"
            )
        _verify_together(mechanisms, table, known, as_json=as_json, quiet=quiet)
        return
    from loglift.cli._terminal import console, progress  # noqa: PLC0415, loads when it runs
    from loglift.release import verify as recipe  # noqa: PLC0415
    from loglift.report.document import check_document  # noqa: PLC0415
    from loglift.report.terminal import print_certificate  # noqa: PLC0415

    with progress(quiet=quiet) as on_progress:
        certificate = recipe.verify(
            mechanisms[0],
            table,
            unseen=unseen,
            known=known,
            confidence=confidence,
            on_progress=on_progress,
        )
    if as_json:
        click.echo(json.dumps(check_document(certificate), ensure_ascii=False))
    else:
        print_certificate(certificate, console())
    if not certificate.holds or (certificate.population and not certificate.population.holds):
        raise click.exceptions.Exit(1)


def _verify_together(
    mechanisms: tuple[str, ...], table: str, known: tuple[str, ...], *, as_json: bool, quiet: bool
) -> None:
    """Check several releases of the same records, each and all together."""
    from loglift.cli._terminal import console, progress  # noqa: PLC0415, loads when it runs
    from loglift.release.together import verify_together  # noqa: PLC0415
    from loglift.report.document import together_document  # noqa: PLC0415
    from loglift.report.terminal import print_together  # noqa: PLC0415

    with progress(quiet=quiet) as on_progress:
        check = verify_together(mechanisms, table, known=known, on_progress=on_progress)
    if as_json:
        click.echo(json.dumps(together_document(check), ensure_ascii=False))
    else:
        print_together(mechanisms, check, console())
    if not check.holds:
        raise click.exceptions.Exit(1)
