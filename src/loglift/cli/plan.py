"""`loglift plan`: write a first plan for a table, to edit and to run."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loglift.cli import _options as options
from loglift.cli._by_column import listed
from loglift.cli._lines import say

if TYPE_CHECKING:
    from loglift.release.draft import Draft


@click.command(
    epilog=options.examples(
        "loglift plan survey.csv",
        "loglift plan survey.csv -s diagnosis -o plans/release.toml --yes",
    )
)
@options.table
@click.option(
    "-s",
    "--sensitive",
    multiple=True,
    metavar="COL",
    help="A sensitive column, in place of those that are guessed; repeat for several.",
)
@click.option(
    "-p",
    "--public",
    multiple=True,
    metavar="COL",
    help="A public column, in place of those that are guessed; repeat for several.",
)
@click.option(
    "--eps",
    type=float,
    default=1.0,
    show_default=True,
    metavar="NATS",
    help="The bound on |log-lift|.",
)
@options.output(
    "The plan to write.", metavar="FILE", default=Path("release.toml"), show_default=True
)
@click.option("--yes", is_flag=True, help="Do not ask, take what is guessed.")
@options.force
@options.quiet
def plan(
    table: str,
    sensitive: tuple[str, ...],
    public: tuple[str, ...],
    eps: float,
    output: Path,
    yes: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Write a first plan for TABLE: which columns are sensitive, public, or better left out.

    Counts the columns one by one, guesses by names and counts, and on a terminal asks whether the
    guess is right. The plan is a text file with comments: look at it, edit it, then run 'loglift
    protect --config release.toml'. It tells no values of sensitive columns.
    """
    from loglift.cli._terminal import console, progress  # noqa: PLC0415, loads when it runs
    from loglift.promise.bound import Bound  # noqa: PLC0415
    from loglift.release.draft import draft, role_lines  # noqa: PLC0415
    from loglift.report.roles import print_roles  # noqa: PLC0415
    from loglift.report.words import number_of  # noqa: PLC0415
    from loglift.writing import check_file, refuse_input, whole_file  # noqa: PLC0415

    Bound.symmetric(eps)
    refuse_input(output, table)
    check_file(output, force=force)
    with progress(quiet=quiet) as on_progress:
        found = draft(table, on_progress=on_progress)
    guessed = found.guess(sensitive, public)
    if not quiet:
        records = number_of(found.records, "record")
        # Not TABLE itself: an address may have a password in it.
        print_roles(role_lines(guessed), console(), found.where or "the table", records)
    if not yes and sys.stdin.isatty() and sys.stdout.isatty():
        named = {
            role: [g.name for g in guessed if g.role == role] for role in ("sensitive", "public")
        }
        sensitive = _asked("Sensitive columns", sensitive or named["sensitive"], found)
        rest = [name for name in public or named["public"] if name not in sensitive]
        public = _asked("Public columns", rest, found)
        eps = click.prompt("eps, in nats", default=eps, type=click.FloatRange(min=0))
        # A column that stays what it was taken for keeps its reason.
        said = found.guess(sensitive, public)
        pairs = zip(guessed, said, strict=True)
        guessed = tuple(old if old.role == new.role else new for old, new in pairs)
    with whole_file(output, force=force, parents=True) as file:
        file.write_text(found.text(guessed, output.parent, eps=eps, name=output.name), "utf-8")
    if not quiet:
        say(f"Written to {output}. Look at it, then: loglift protect --config {output}")
        if not any(guess.role == "sensitive" for guess in guessed):
            say("No column looks sensitive by its name: name one in the plan first.")


def _asked(question: str, guessed: Sequence[str], found: Draft) -> tuple[str, ...]:
    """Ask for columns, until all that are named exist."""
    from loglift.errors import TableError  # noqa: PLC0415, only where it asks

    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(guessed)
    spaced = {column.name.strip(): column.name for column in found.columns}
    while True:
        answer = click.prompt(f"{question}, with commas", default=line.getvalue() or None)
        names = [name.strip() for name in listed(answer) if name.strip()]
        names = [spaced.get(name, name) for name in names]
        try:
            found.guess(names)
        except TableError as error:
            say(str(error), err=True)
        else:
            return tuple(dict.fromkeys(names))
