"""Make a recoding: name the blocks of a partition, or the released values of a channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loglift.errors import MechanismError
from loglift.joint import IntArray
from loglift.mechanism.channel import Channel
from loglift.mechanism.naming import ReleasedColumn, posterior_column, released_column
from loglift.mechanism.recoding import GROUP_COLUMN, PublicColumn, Recoding, SensitiveColumn
from loglift.promise.bound import Bound
from loglift.values import ORDERED_TYPES


def recode(
    public: Sequence[PublicColumn],
    sensitive: Sequence[SensitiveColumn],
    values: Sequence[tuple[Any, ...]],
    blocks: IntArray,
    *,
    orders: Sequence[Sequence[Any]],
    bound: Bound,
    method: str,
    min_count: int | None = None,
    groups: tuple[str, ...] | None = None,
    each: bool = False,
) -> Recoding:
    """Name the blocks of a partition of a table's public values.

    `orders` has the distinct values of each column in the order in which names list them.
    """
    released = [
        released_column(
            column.name,
            column.type,
            _members(values, blocks, i, orders[i]),
            runs=method == "ordered" and column.type in ORDERED_TYPES,
        )
        for i, column in enumerate(public)
    ]
    return Recoding(
        public=tuple(public),
        sensitive=tuple(sensitive),
        each=each,
        bound=bound,
        method=method,
        min_count=min_count,
        groups=groups,
        values=tuple(values),
        blocks=tuple(int(block) for block in blocks),
        released=_numbered(released, int(blocks.max()) + 1),
    )


def recode_channel(
    public: Sequence[PublicColumn],
    sensitive: Sequence[SensitiveColumn],
    values: Sequence[tuple[Any, ...]],
    channel: Channel,
    *,
    bound: Bound,
    method: str,
    min_count: int | None = None,
    each: bool = False,
) -> Recoding:
    """Name the released values of a channel, by the likeliest values of each column."""
    released = [
        posterior_column(
            column.name,
            column.type,
            [_marginal(values, shares, i) for shares in channel.posteriors],
            distinct=len(public) == 1,
        )
        for i, column in enumerate(public)
    ]
    return Recoding(
        public=tuple(public),
        sensitive=tuple(sensitive),
        each=each,
        bound=bound,
        method=method,
        min_count=min_count,
        groups=None,
        values=tuple(values),
        blocks=tuple(range(len(values))),
        released=_numbered(released, channel.size),
        channel=channel,
    )


def _numbered(released: Sequence[ReleasedColumn], size: int) -> tuple[ReleasedColumn, ...]:
    """Add the column that tells released values apart, where there are several columns."""
    if len(released) == 1:
        return tuple(released)
    if GROUP_COLUMN in {column.name for column in released}:
        raise MechanismError(f"a public column is named {GROUP_COLUMN}: rename it")
    return (*released, ReleasedColumn(GROUP_COLUMN, "integer", tuple(range(1, size + 1))))


def _marginal(
    values: Sequence[tuple[Any, ...]], shares: Sequence[tuple[int, float]], column: int
) -> dict[Any, float]:
    """Return the posterior of one column, its likeliest values first."""
    found: dict[Any, float] = {}
    for x, share in shares:
        value = values[x][column]
        found[value] = found.get(value, 0.0) + share
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _members(
    values: Sequence[tuple[Any, ...]], blocks: IntArray, column: int, order: Sequence[Any]
) -> list[tuple[Any, ...]]:
    """Return the distinct values each block has in one column, in the given order."""
    found: list[set[Any]] = [set() for _ in range(int(blocks.max()) + 1)]
    for value, block in zip(values, blocks, strict=True):
        found[block].add(value[column])
    rank = {value: i for i, value in enumerate(order)}
    return [tuple(sorted(members, key=rank.__getitem__)) for members in found]
