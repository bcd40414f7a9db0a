"""`loglift diff`: what changed between two mechanisms."""

from __future__ import annotations

import json

import click

from loglift.cli import _options as options


@click.command(
    epilog=options.examples(
        "loglift diff january/mechanism.json february/mechanism.json",
        "loglift diff old.json new.json --json",
    )
)
@click.argument("first", metavar="FIRST")
@click.argument("second", metavar="SECOND")
@options.as_json
def diff(first: str, second: str, as_json: bool) -> None:
    """Show what changed between two mechanisms, FIRST and SECOND.

    Each is a mechanism.json, or the folder of a release that has one.

    Blocks that are unchanged, merged, split or rearranged on the values that both know; values that
    are new or gone; settings that differ. So you see which figures of two releases can be compared.
    Both must have the same public columns. No table is read.

    At most ten changes of each kind are listed; --json has all.

    The exit code is 0 whatever changed. What this prints is for the custodian: eps does not bound
    what a mechanism tells.
    """
    from loglift.cli._terminal import console  # noqa: PLC0415, loads when it runs
    from loglift.release import diff as recipe  # noqa: PLC0415
    from loglift.report.difference import (  # noqa: PLC0415
        difference_document,
        print_difference,
    )

    found = recipe.diff(first, second)
    if as_json:
        click.echo(json.dumps(difference_document(found), ensure_ascii=False))
        return
    print_difference(found, console(), f"{first} and {second}")
