"""Names of released values: a set of public values as one readable value of a column.

An untouched value keeps its value and its type. A column in which any block mixes values is
released as text, where a merged value is named by its members in their own order (never by
counts): `Craft-repair | Sales`. Members of an ordered column that follow each other are a range,
`25-34`, `2021-03-01 to 2021-06-30` or `1-12 | 40`; a set that is exactly a node of the column's
taxonomy is named by that node, `Prairie provinces`; a set of all values of the column is `*`. Names
are never cut; screens cut what they show. Two different sets never share a name, and no name is a
text that means an original value. A random released value is named by its likeliest values with
their shares: `Sales 61 % | Tech-support 39 %`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from loglift.cuts import Cut
from loglift.errors import MechanismError
from loglift.joint import Column, IntArray
from loglift.values import ORDERED_TYPES, is_missing

BLOCK_COLUMN = "loglift_block"
SEPARATOR = " | "
WHOLE_COLUMN = "*"
MIN_RUN = 3  # members that follow each other, of a set that has others too, to be a range
MAX_SHARES_SHOWN = 3  # values of a posterior that its name shows


@dataclass(frozen=True)
class ReleasedColumn:
    """A column of the released table: its name, its type, and its value in each block."""

    name: str
    type: str
    values: tuple[Any, ...]


def named_blocks(
    columns: Sequence[Column],
    labels: IntArray,
    *,
    unordered: Collection[str] = (),
    low_and_high: bool = False,
    numbered: bool = True,
) -> tuple[ReleasedColumn, ...]:
    """Name the blocks of a partition of a table's public values, column by column.

    Numbers, dates, times, bands and ordered categories have an order, unless their column is in
    `unordered`. With `low_and_high` a column of ordered values becomes two of its own
    type, its least and largest value in each block, unless a block mixes values with NULL or NaN,
    which no range shows. Where blocks are `numbered`, several columns get one more, the number of
    the block. O(n log n) for each column.
    """
    named: list[ReleasedColumn] = []
    for column in columns:
        sets = _sets(column, labels)
        order = () if column.name in unordered else values_in_order(column)
        if low_and_high and order and column.type in ORDERED_TYPES and not any(map(_mixes, sets)):
            named += _ends(column, sets)
            continue
        named.append(
            released_column(
                column.name,
                column.type,
                sets,
                order=order,
                whole=len(column.values),
                nodes=node_names(column),
                cut=column.bin,
            )
        )
    names = [column.name for column in named]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise MechanismError(f"two released columns are named {twice!r}: rename a public column")
    return _numbered(named) if numbered else tuple(named)


def _sets(column: Column, labels: IntArray) -> list[tuple[Any, ...]]:
    """Return the distinct values of each block, in the order of the column's values."""
    width = len(column.values)
    pairs = np.sort(labels * width + column.codes)
    blocks, codes = np.divmod(pairs[np.diff(pairs, prepend=-1) > 0], width)
    found = list(map(column.values.__getitem__, codes.tolist()))
    sizes = np.bincount(blocks)
    ends = np.cumsum(sizes)
    if sizes.max() == 1:
        return list(zip(found, strict=True))
    sets = list(zip(map(found.__getitem__, (ends - sizes).tolist()), strict=True))
    several = np.flatnonzero(sizes > 1)
    begins = (ends - sizes)[several].tolist()
    for b, begin, end in zip(several.tolist(), begins, ends[several].tolist(), strict=True):
        sets[b] = tuple(found[begin:end])
    return sets


def values_in_order(column: Column) -> tuple[Any, ...]:
    """Return the values of an ordered column in their order, without NULL and NaN; else none."""
    if not (column.ranks or column.banded or column.type in ORDERED_TYPES):
        return ()
    values = [value for value in column.values if not is_missing(value)]
    if column.ranks:
        rank = dict(zip(column.values, column.ranks, strict=True))
        return tuple(sorted(values, key=rank.__getitem__))
    if column.bin is not None and column.banded:  # the band of NaN has no place
        return tuple(value for value in values if column.bin.place(value) is not None)
    return tuple(values) if column.type in ORDERED_TYPES else ()


def _ends(column: Column, sets: Sequence[tuple[Any, ...]]) -> list[ReleasedColumn]:
    """Return the least and the largest value of each set as two columns; NULL where it has none."""
    present = [[value for value in members if not is_missing(value)] for members in sets]
    return [
        ReleasedColumn(f"{column.name}_{name}", column.type, tuple(map(of, present)))
        for name, of in (
            ("low", lambda members: members[0] if members else None),
            ("high", lambda members: members[-1] if members else None),
        )
    ]


def named_posteriors(
    columns: Sequence[Column], posteriors: Sequence[Sequence[tuple[int, float]]]
) -> tuple[ReleasedColumn, ...]:
    """Name the released values of a channel by the likeliest values of each column.

    `posteriors` has p(x|y) of each released value y as pairs of the number of x and its share.
    """
    named = []
    for column in columns:
        codes, shown = column.codes.tolist(), []
        for shares in posteriors:
            found: dict[Any, float] = {}
            for x, share in shares:
                value = column.values[codes[x]]
                found[value] = found.get(value, 0.0) + share
            shown.append(dict(sorted(found.items(), key=lambda item: -item[1])))
        named.append(posterior_column(column.name, column.type, shown, distinct=len(columns) == 1))
    return _numbered(named)


def _numbered(released: Sequence[ReleasedColumn]) -> tuple[ReleasedColumn, ...]:
    """Add the column that tells released values apart, where there are several columns."""
    if len(released) == 1:
        return tuple(released)
    if BLOCK_COLUMN in {column.name for column in released}:
        raise MechanismError(f"a public column is named {BLOCK_COLUMN}: rename it")
    numbers = tuple(range(1, len(released[0].values) + 1))
    return (*released, ReleasedColumn(BLOCK_COLUMN, "integer", numbers))


def node_names(column: Column) -> dict[tuple[Any, ...], str]:
    """Return the sets of values that are a node of the column's taxonomy, with the node's name.

    The members of a set are in the order of the column's values. A set that is a node of several
    levels has the name of the finest.
    """
    names: dict[tuple[Any, ...], str] = {}
    for level in column.nodes:
        members: dict[str, list[Any]] = {}
        for value, node in zip(column.values, level, strict=True):
            members.setdefault(node, []).append(value)
        for node, values in members.items():
            names.setdefault(tuple(values), node)
    return names


def released_column(
    name: str,
    type_name: str,
    sets: Sequence[tuple[Any, ...]],
    *,
    order: Sequence[Any] = (),
    whole: int | None = None,
    nodes: Mapping[tuple[Any, ...], str] | None = None,
    cut: Cut | None = None,
) -> ReleasedColumn:
    """Name what each block shows in one column; `sets` are the distinct values of each block.

    Values that follow each other in the `order` of a column form ranges, which its `cut` names if
    they are bands. A set of two or more values that `nodes` names has that name instead, see
    `node_names`; one of `whole` values, all that the column has, is `*`.
    """
    merged = [members for members in sets if len(members) > 1]
    if not merged:
        return ReleasedColumn(name, type_name, tuple(value for (value,) in sets))
    values = list(chain.from_iterable(sets))
    taken = {value for value in values if type(value) is str}
    taken.update(text_of(value) for value in values if type(value) is not str or not value)
    node_of, place = nodes or {}, {value: i for i, value in enumerate(order)}
    names: dict[tuple[Any, ...], str] = {}
    for members in merged:
        if members not in names:
            everything = WHOLE_COLUMN if len(members) == whole else None
            text = everything or node_of.get(members) or _joined(members, place, cut)
            names[members] = _unique(text, taken)
            taken.add(names[members])
    shown = [names[members] if len(members) > 1 else members[0] for members in sets]
    texts = tuple(value if type(value) is str else as_text(value) for value in shown)
    return ReleasedColumn(name, "text", texts)


def posterior_column(
    name: str, type_name: str, posteriors: Sequence[Mapping[Any, float]], *, distinct: bool
) -> ReleasedColumn:
    """Name what each random released value shows in one column: p(x|y), likeliest values first.

    With `distinct` no two released values share a name.
    """
    sure = [next(iter(posterior)) for posterior in posteriors if len(posterior) == 1]
    repeated = distinct and len(set(sure)) < len(sure)
    if len(sure) == len(posteriors) and not repeated:
        return ReleasedColumn(name, type_name, tuple(sure))
    taken = {text_of(value) for posterior in posteriors for value in posterior}
    shown: list[Any] = []
    named: set[Any] = set()
    for posterior in posteriors:
        first = next(iter(posterior))
        if len(posterior) == 1 and not (distinct and as_text(first) in named):
            shown.append(as_text(first))
            named.add(as_text(first))
            continue
        text = _unique(_shares(posterior), taken)
        taken |= {text} if distinct else set()
        shown.append(text)
        named.add(text)
    return ReleasedColumn(name, "text", tuple(shown))


def with_suppressed(column: ReleasedColumn, originals: Iterable[Any] = ()) -> ReleasedColumn:
    """Return the column with one more block, for values never seen; it becomes a text column.

    Its name is neither a released nor an original value of the column.
    """
    texts = tuple(as_text(value) for value in column.values)
    taken = {*texts, *map(text_of, originals)}
    return ReleasedColumn(column.name, "text", (*texts, _unique("(suppressed)", taken)))


def text_of(value: Any) -> str:
    """Return how a value stands inside a name."""
    if type(value) is str:
        return value or "(empty)"
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def as_text(value: Any) -> Any:
    """Return an untouched value in a column that became text; NULL and texts stay as they are."""
    return value if value is None or isinstance(value, str) else text_of(value)


def _joined(members: Sequence[Any], place: Mapping[Any, int], cut: Cut | None) -> str:
    """Return all members; those that follow each other are a range, alone or from three on.

    Bands between edges are one band from two on.
    """
    if not place:
        return SEPARATOR.join(map(text_of, members))
    span = cut.span if cut is not None and cut.bands else _range
    least = 2 if cut is not None and cut.points and not cut.labels else MIN_RUN
    apart = [value for value in members if value not in place]
    ranked = sorted((value for value in members if value in place), key=place.__getitem__)
    runs: list[list[Any]] = []
    for value in ranked:
        if runs and place[value] == place[runs[-1][-1]] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    texts = list(map(text_of, apart)) if runs else [text_of(value) for value in members]
    for run in runs:
        is_range = len(run) >= least or (len(runs) == 1 and len(run) > 1)
        texts += [span(run[0], run[-1])] if is_range else map(text_of, run)
    return SEPARATOR.join(texts)


def _range(first: Any, last: Any) -> str:
    """Name a range by its ends: 25-34, or 2021-03-01 to 2021-06-30."""
    if isinstance(first, int) and first >= 0:
        return f"{first}-{last}"
    return f"{text_of(first)} to {text_of(last)}"


def _shares(posterior: Mapping[Any, float]) -> str:
    """Return the likeliest values with their shares; only a sure one has 100 %."""
    if len(posterior) == 1:
        return f"{text_of(next(iter(posterior)))} 100 %"
    likeliest = list(posterior.items())[:MAX_SHARES_SHOWN]
    texts = [f"{text_of(value)} {_percent(share)}" for value, share in likeliest]
    rest = [f"+{len(posterior) - MAX_SHARES_SHOWN}"] if len(posterior) > MAX_SHARES_SHOWN else []
    return SEPARATOR.join([*texts, *rest])


def _percent(share: float) -> str:
    if share < 0.005:  # noqa: PLR2004, what would be rounded to nothing
        return "<1 %"
    return f"{min(round(100 * share), 99)} %"


def _mixes(members: Sequence[Any]) -> bool:
    """Whether a set has both missing and other values."""
    return len({is_missing(value) for value in members}) > 1


def _unique(name: str, taken: Iterable[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name} #{number}" in taken:
        number += 1
    return f"{name} #{number}"
