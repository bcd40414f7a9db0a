"""The columns of a table and what each is taken for: lines for a terminal and for a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

MAX_NAME_WIDTH = 30  # letters: a longer name moves its own line only
_STYLES = {"sensitive": "red", "public": "green"}


@dataclass(frozen=True)
class RoleLine:
    """What is told of one column, as texts."""

    name: str
    type: str
    values: str
    nulls: str
    role: str
    why: str


def print_roles(lines: Sequence[RoleLine], out: Console, where: str, records: str) -> None:
    """Print a table of the columns."""
    out.print(Text(f"{where}: {records}"), style="bold")
    table = Table()
    table.add_column("column", overflow="fold")
    table.add_column("type")
    table.add_column("values", justify="right")
    table.add_column("NULL", justify="right")
    table.add_column("taken for")
    table.add_column("why", overflow="fold")
    for line in lines:
        role = Text(line.role, _STYLES.get(line.role, "dim"))
        table.add_row(Text(line.name), line.type, line.values, line.nulls, role, Text(line.why))
    out.print(table)


def aligned(lines: Sequence[RoleLine]) -> str:
    """Return the columns as lines of text, aligned."""
    head = RoleLine("column", "type", "values", "NULL", "taken for", "why")
    every = [head, *lines]
    name = min(MAX_NAME_WIDTH, max(len(line.name) for line in every))
    kind, values, nulls, role = (
        max(len(getattr(line, part)) for line in every)
        for part in ("type", "values", "nulls", "role")
    )
    texts = (
        f"{line.name:<{name}}  {line.type:<{kind}}  {line.values:>{values}}  "
        f"{line.nulls:>{nulls}}  {line.role:<{role}}  {line.why}"
        for line in every
    )
    return "\n".join(text.rstrip() for text in texts)
