"""How two mechanisms compare, and what that means for figures of their releases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loglift.cuts import Cut
from loglift.display.numbers import exact
from loglift.mechanism.difference import BlockChanges, Difference, Setting
from loglift.mechanism.naming import BLOCK_COLUMN
from loglift.mechanism.words import limit_of, value_words
from loglift.report.sentences.statement import Statement
from loglift.report.words import either, listed, number_of

MAX_CHANGES = 10  # of each kind that are listed
TOGETHER = (
    "If both tables have the same records, rearranged blocks of the two releases together may tell "
    "more than either bound allows."
)

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
        names = listed([tuple_words(value, " | ") for value in found.gone], MAX_CHANGES)
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
    """Say how columns are cut, with the edges, so that two cuts never look the same."""
    found = []
    for name, cut in cuts.items():
        edges = "" if cut is None or not cut.points else f" ({cut.option})"
        found.append(f"{name} {'not cut' if cut is None else cut.words}{edges}")
    return ", ".join(found)


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


def tuple_words(value: Any, between: str) -> str:
    """Return a public value; the values of several columns have `between` between them."""
    return between.join(map(value_words, value)) if isinstance(value, tuple) else value_words(value)
