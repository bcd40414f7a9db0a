"""`loglift evaluate`: what readers can do with a release, and what an attacker can."""

from __future__ import annotations

import json
from pathlib import Path

import click

from loglift.cli import _options as options
from loglift.cli._lines import say


@click.command(
    epilog=options.examples(
        "loglift evaluate adult.parquet release",
        "loglift evaluate people.csv release --for income --report evaluation.html",
        "loglift evaluate people.csv release/mechanism.json --json",
        "loglift evaluate t.csv release --known region --given 2025/mechanism.json",
    )
)
@click.argument("original", metavar="ORIGINAL")
@click.argument("release", metavar="RELEASE")
@click.option(
    "--for",
    "purposes",
    multiple=True,
    metavar="COL",
    help="A column of ORIGINAL, released or not, that readers want to predict from the public "
    "columns. Repeat for several. Columns that passed through are always predicted.",
)
@click.option(
    "--known",
    multiple=True,
    metavar="COL",
    help="A column of ORIGINAL that an attacker knows of a person; repeat for several. Those that "
    "RELEASE was made with always belong to them.",
)
@click.option(
    "--given",
    multiple=True,
    metavar="MECHANISM",
    help="The mechanism.json of an earlier release of the same records, which an attacker reads "
    "too; repeat for several.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="The seed of draws, shuffles, samples and queries: the same seed gives the same figures.",
)
@options.report("Also write the figures as an HTML page.")
@options.force
@options.as_json
@options.quiet
def evaluate(
    original: str,
    release: str,
    purposes: tuple[str, ...],
    known: tuple[str, ...],
    given: tuple[str, ...],
    seed: int,
    report: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure what readers can do with RELEASE, and what an attacker can.

    ORIGINAL is the table that was protected, a file or a table of a database. RELEASE is the
    directory that 'loglift protect' wrote, or a mechanism.json.

    Every figure is beside the same one of ORIGINAL and of a trivial release, in which each public
    column is shuffled on its own: columns, pairs of columns, count queries, models, and attacks.
    The figures are for the custodian: they are measured with the sensitive columns.

    Models need scikit-learn: pip install 'loglift[evaluate]'.
    """
    from loglift.cli._terminal import console, progress  # noqa: PLC0415, loads when it runs
    from loglift.release import evaluate as recipe  # noqa: PLC0415
    from loglift.release.origin import shown_table  # noqa: PLC0415
    from loglift.report.evaluation import (  # noqa: PLC0415
        evaluation_document,
        evaluation_page,
        print_evaluation,
    )
    from loglift.writing import check_file, refuse_input, whole_file  # noqa: PLC0415

    if report is not None:
        refuse_input(report, original)
        check_file(report, force=force)
    with progress(quiet=quiet) as on_progress:
        found = recipe.evaluate(
            original,
            release,
            purposes=purposes,
            known=known,
            given=given,
            seed=seed,
            on_progress=on_progress,
        )
    if report is not None:
        with whole_file(report, force=force, parents=True) as file:
            file.write_text(evaluation_page(found, Path(shown_table(original)).name), "utf-8")
    if as_json:
        click.echo(json.dumps(evaluation_document(found), ensure_ascii=False))
        return
    print_evaluation(found, console(), shown_table(original))
    if report is not None and not quiet:
        say(f"Written to {report}.")
