"""The difference of two mechanisms on a terminal and as JSON.

Long names are cut on the terminal, and only there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from loglift.mechanism.difference import Block, Change, Difference
from loglift.mechanism.naming import BLOCK_COLUMN
from loglift.mechanism.words import value_words
from loglift.report.document import statements
from loglift.report.sentences.difference import MAX_CHANGES, difference_statements, tuple_words
from loglift.report.terminal import cut, print_statement, shown
from loglift.report.words import listed

MAX_NAMES = 4  # blocks or values on one side of a change, on a terminal
_FRAME = 7  # cells that the lines of a table of two columns take


def print_difference(found: Difference, out: Console, where: str) -> None:
    """Print the figures of both mechanisms, the blocks and values that changed, what that means."""
    out.print(shown(f"{where}: {listed(found.public)}"), style="bold")
    out.print(_figures(found))
    blocks = found.blocks
    if blocks is not None and found.common:
        between = " · " if out.encoding.startswith("utf") else " | "

        def name(block: Block) -> str:
            return _block_name(block, between)

        kinds = {
            "Merged blocks": blocks.merged,
            "Split blocks": blocks.split,
            "Rearranged blocks": blocks.rearranged,
            "Renamed blocks": blocks.renamed,
        }
        for title, changes in kinds.items():
            lines = [
                (list(map(name, change.before)), list(map(name, change.after)))
                for change in changes[:MAX_CHANGES]
            ]
            _print_lines((title, "first", "second"), lines, len(changes), out)
        lines = [
            ([tuple_words(value, between) for value in joined.values], [name(joined.block)])
            for joined in blocks.joined[:MAX_CHANGES]
        ]
        head = ("Blocks with new values", "new values", "block")
        _print_lines(head, lines, len(blocks.joined), out)
    for statement in difference_statements(found):
        print_statement(statement, out)


def difference_document(found: Difference) -> dict[str, Any]:
    """Return what `loglift diff --json` prints."""
    return {**found.as_dict(), "statements": statements(difference_statements(found))}


def _figures(found: Difference) -> Table:
    """Return the numbers of values and blocks on both sides."""
    table = Table()
    table.add_column("")
    for side in ("first", "second"):
        table.add_column(side, justify="right")
    sides = (found.before, found.after)
    rows = [
        ("public values", found.before.public_values, found.after.public_values),
        ("  only here", len(found.gone), len(found.new)),
    ]
    blocks = found.blocks
    if blocks is None:
        kinds = ["blocks" if side.kind == "partition" else "random values" for side in sides]
        table.add_row("released as", *kinds)
    released = found.before.released_values, found.after.released_values
    rows.append(("blocks" if blocks else "released values", *released))
    if blocks is not None:
        rows += [
            ("  unchanged", blocks.unchanged, blocks.unchanged),
            ("  merged", *_numbers(blocks.merged)),
            ("  split", *_numbers(blocks.split)),
            ("  rearranged", *_numbers(blocks.rearranged)),
            ("  of values only here", blocks.gone, blocks.new),
        ]
    for name, first, second in rows:
        if first or second:
            table.add_row(name, f"{first:,}", f"{second:,}")
    return table


def _numbers(changes: Sequence[Change]) -> tuple[int, int]:
    """Return how many blocks changed, and how many they became."""
    return sum(len(c.before) for c in changes), sum(len(c.after) for c in changes)


def _print_lines(
    head: tuple[str, str, str],
    lines: Sequence[tuple[Sequence[str], Sequence[str]]],
    size: int,
    out: Console,
) -> None:
    """Print a table of two columns, with the first of `size` changes; nothing without a change."""
    if not lines:
        return
    title, *columns = head
    table = Table(title=f"{title} ({size:,})", title_justify="left", show_lines=True)
    for name in columns:
        table.add_column(name, no_wrap=True)
    cells = [[_cell_lines(names) for names in line] for line in lines]
    widths = [max(line.cell_len for row in cells for line in row[i]) for i in (0, 1)]
    room = max(2, out.width - _FRAME)
    least = min(widths[1], room // 2)
    widths[0] = min(widths[0], room - least)
    widths[1] = min(widths[1], room - widths[0])
    for row in cells:
        shortened = ([cut(line, widths[i], out) for line in row[i]] for i in (0, 1))
        table.add_row(*(Text("\n").join(part) for part in shortened))
    out.print(table)
    if size > len(lines):
        out.print(f"and {size - len(lines):,} more; --json has all.")


def _cell_lines(names: Sequence[str]) -> list[Text]:
    """Return names on lines of their own; of many the first, and the number of others."""
    found = [shown(name) for name in names[:MAX_NAMES]]
    more = len(names) - MAX_NAMES
    return [*found, Text(f"and {more:,} more", style="dim")] if more > 0 else found


def _block_name(block: Block, between: str) -> str:
    """Return what a block shows, after its number where it has one: "#12 Bern · 25-34"."""
    cells = [value_words(cell) for name, cell in block.shows.items() if name != BLOCK_COLUMN]
    number = f"#{block.shows[BLOCK_COLUMN]} " if BLOCK_COLUMN in block.shows else ""
    return number + between.join(cells)
