"""The difference of two mechanisms on a terminal and as JSON, and the sentences that state it.

Long names are cut on the terminal, and only there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from loglift.cuts import Cut
from loglift.display.numbers import exact
from loglift.mechanism.difference import Block, BlockChanges, Change, Difference, Setting
from loglift.mechanism.naming import BLOCK_COLUMN
from loglift.mechanism.words import limit_of, value_words
from loglift.report.document import statements
from loglift.report.sentences.statement import Statement
from loglift.report.terminal import cut, print_statement, shown
from loglift.report.words import either, listed, number_of

MAX_CHANGES = 10  # of each kind, on a terminal
MAX_NAMES = 4  # blocks or values on one side of a change, on a terminal
TOGETHER = (
    "If both tables have the same records, rearranged blocks of the two releases together may tell "
    "more than either bound allows."
)
_FRAME = 7  # cells that the lines of a table of two columns take

_SETTINGS = {
    "bound": "bound",
    "method": "method",
    "sensitive": "sensitive columns",
    "each": "each sensitive column on its own",
    "weights": "survey weights",
    "both": "records bounded as well as weights",
    "intact": "intact columns",
    "min_count": "least records of a released value",
    "shows": "what cells show",
    "types": "types of public columns",
    "bins": "bands",
    "released": "types of released columns",
}


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
            ([_tuple_words(value, between) for value in joined.values], [name(joined.block)])
            for joined in blocks.joined[:MAX_CHANGES]
        ]
        head = ("Blocks with new values", "new values", "block")
        _print_lines(head, lines, len(blocks.joined), out)
    for statement in difference_statements(found):
        print_statement(statement, out)


def difference_document(found: Difference) -> dict[str, Any]:
    """Return what `loglift diff --json` prints."""
    return {**found.as_dict(), "statements": statements(difference_statements(found))}


def difference_statements(found: Difference) -> tuple[Statement, ...]:
    """Say how two mechanisms compare, and what that means for figures of their releases."""
    said = [_compared(found)]
    if found.common and (found.new or found.gone):
        said.append(_other_values(found))
    if found.blocks is not None and (found.blocks.renamed or found.blocks.renumbered):
        said.append(_other_names(found.blocks))
    if found.settings:
        words = "; ".join(
            f"{_SETTINGS[setting.name]}: {before} in the first, {after} in the second"
            for setting in found.settings
            for before, after in [_setting_words(setting)]
        )
        said.append(Statement("plain", "Other settings.", f"{words[0].upper()}{words[1:]}."))
    return tuple(said)


def _compared(found: Difference) -> Statement:
    """Say how the blocks, or the channels, of two mechanisms compare."""
    if not found.common:
        words = "No public value is in both mechanisms, so there is nothing to compare."
        if {"types", "bins"} & {setting.name for setting in found.settings}:
            words += " The types or the bands of their columns differ."
        return Statement("bad", "No common value.", words)
    if found.blocks is not None:
        return _of_blocks(found, found.blocks)
    if found.same_channel is None:
        return Statement("plain", "Two kinds of mechanism.", found.not_compared or "")
    values = _values_of_both(found)
    estimates = "To compare two such releases, estimate p(x) of each: loglift.estimate does so."
    if found.same_channel:
        words = (
            f"Both are randomized, and p(y|x) is the same for {values}. The names of released "
            f"values may differ: they show shares in the table of each. {estimates}"
        )
        return Statement("good", "The same channel.", words)
    words = f"p(y|x) is not the same for {values}. {found.not_compared} {estimates}"
    return Statement("plain", "Another channel.", words)


def _of_blocks(found: Difference, blocks: BlockChanges) -> Statement:
    """Say how two partitions compare, and how to make figures of two releases comparable."""
    on = f"On {_values_of_both(found)}, "
    if blocks.relation == "same":
        words = (
            f"{on}each block of the first has the same values as one block of the second: compare "
            "the two releases block by block."
        )
        return Statement("good", "The same blocks.", words)
    if blocks.relation == "coarser":
        words = (
            f"{on}each block of the first lies in one block of the second. To compare the two "
            "releases, add up blocks of the first that were merged."
        )
        return Statement("plain", "The second is coarser.", words)
    if blocks.relation == "finer":
        words = (
            f"{on}each block of the second lies in one block of the first. To compare the two "
            "releases, add up the parts of blocks that were split."
        )
        return Statement("plain", "The second is finer.", words)
    among = " among those that both know" if found.new or found.gone else ""
    words = (
        f"{on}some blocks of each mechanism are cut by blocks of the other. To compare the two "
        "releases, add up the blocks on each side of a line of the lists: both sides have the "
        f"same values{among}."
    )
    if blocks.rearranged:  # else two blocks that overlap do so in a whole block of one of the two
        words += f" {TOGETHER}"
    return Statement("plain", "Neither is coarser.", words)


def _values_of_both(found: Difference) -> str:
    """Name the values that are compared: all, or those that both mechanisms know."""
    count = number_of(found.common, "public value")
    if not (found.new or found.gone):
        return f"the {count}" if found.common == 1 else f"all {count}"
    return f"the {count} that both know"


def _other_values(found: Difference) -> Statement:
    parts = []
    if found.new:
        count = number_of(len(found.new), "value")
        parts.append(f"{count} {either(len(found.new), 'is', 'are')} in the second only.")
        blocks = found.blocks
        if blocks is not None and len(blocks.joined) > blocks.new:
            parts.append("A block that new values joined covers more than before.")
    if found.gone:
        count = number_of(len(found.gone), "value")
        names = listed([_tuple_words(value, " | ") for value in found.gone], MAX_CHANGES)
        parts.append(f"{count} {either(len(found.gone), 'is', 'are')} in the first only: {names}.")
    return Statement("plain", "Other values.", " ".join(parts))


def _other_names(blocks: BlockChanges) -> Statement:
    parts = []
    renamed, renumbered = len(blocks.renamed), blocks.renumbered
    if renamed:
        parts.append(
            f"{number_of(renamed, 'unchanged block')} {either(renamed, 'has', 'have')} another "
            "name in the second release."
        )
    if renumbered:
        parts.append(
            f"{number_of(renumbered, 'unchanged block')} {either(renumbered, 'has', 'have')} "
            f"another number in {BLOCK_COLUMN}."
        )
    parts.append("Match blocks by their values, which --json has.")
    return Statement("plain", "Other names.", " ".join(parts))


def _setting_words(setting: Setting) -> tuple[str, str]:
    """Return both sides of a setting in words; of mappings only what differs."""
    before, after = setting.before, setting.after
    if isinstance(before, Mapping):
        names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        before, after = ({name: side.get(name) for name in names} for side in (before, after))
    words = _BY_SETTING.get(setting.name, str)
    return words(before), words(after)


def _of_columns(names: Sequence[str] | None) -> str:
    if names is None:
        return "no column"
    return ", ".join(names) if names else "groups given value by value"


def _types(types: Mapping[str, str | None]) -> str:
    """Name columns with their types; those that one side does not have are None there."""
    return ", ".join(f"{name} {kind}" for name, kind in types.items() if kind) or "no column"


def _cuts(cuts: Mapping[str, Cut | None]) -> str:
    found = {name: "not cut" if cut is None else _exactly(cut) for name, cut in cuts.items()}
    return ", ".join(f"{name} {words}" for name, words in found.items())


def _exactly(cut: Cut) -> str:
    """Return how a column is cut, with its edges, so that two cuts never look the same."""
    edges = f" ({cut.option})" if cut.points else ""
    return f"{cut.words}{edges}"


_BY_SETTING: dict[str, Callable[[Any], str]] = {
    "bound": limit_of,
    "sensitive": _of_columns,
    "intact": _of_columns,
    "each": lambda each: "yes" if each else "no",
    "weights": lambda column: column or "no",
    "both": lambda both: "yes" if both else "no",
    "min_count": lambda least: "not set" if least is None else exact(least),
    "types": _types,
    "bins": _cuts,
    "released": _types,
}


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


def _tuple_words(value: Any, between: str) -> str:
    return between.join(map(value_words, value)) if isinstance(value, tuple) else value_words(value)
