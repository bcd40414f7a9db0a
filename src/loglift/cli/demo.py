"""`loglift demo`: audit and protect a real table."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from loglift.cli import _options as options
from loglift.cli._lines import say

PUBLIC, SENSITIVE, EPS = ("education", "occupation"), ("salary",), 1.0


@click.command(epilog=options.examples("loglift demo", "loglift demo -o demo"))
@options.output("The directory to write.", default=Path("loglift-demo"), show_default=True)
@options.force
@options.as_json
@options.quiet
@click.pass_context
def demo(context: click.Context, output: Path, force: bool, as_json: bool, quiet: bool) -> None:
    """Audit and protect a real table: the 32,561 records of UCI Adult.

    Writes the table, audits salary against education and occupation, protects it at eps 1, and
    prints what changed and where the report is.
    """
    from loglift.cli.audit import audit  # noqa: PLC0415, loads when the command runs
    from loglift.cli.protect import protect  # noqa: PLC0415
    from loglift.demo import write_adult  # noqa: PLC0415
    from loglift.writing import check_directory, whole_directory  # noqa: PLC0415

    table, names = output / "adult.parquet", {"adult.parquet", "ADULT.md", "release"}
    check_directory(output, names, force=force)
    with whole_directory(output, names, force=force) as directory:
        write_adult(directory)
    columns = {"sensitive": SENSITIVE, "public": PUBLIC, "quiet": quiet}
    if as_json:  # what protect prints
        release = {"output": output / "release", "eps": EPS, "as_json": True}
        context.invoke(protect, table=str(table), **columns, **release)
        return
    given = ["-s", "salary", "-p", "education", "-p", "occupation"]
    _show("loglift", "audit", str(table), *given, "--top", "5")
    context.invoke(audit, table=str(table), top=5, **columns)
    _show("loglift", "protect", str(table), *given, "--eps", "1", "-o", str(output / "release"))
    context.invoke(protect, table=str(table), eps=EPS, output=output / "release", **columns)
    if not quiet:
        say(f"The report: {output / 'release' / 'report.html'}")


def _show(*command: str) -> None:
    click.secho(f"\n$ {shlex.join(command)}", bold=True)
