"""What changed between two mechanisms over the same public columns.

Two partitions are compared on the values that both know. Connect a block of the first with a block
of the second where they share such a value; the connected components of this graph are the smallest
sets of blocks that have the same values on both sides. A component is

- one block and one block: *unchanged*;
- several of the first and one of the second: *merged*;
- one of the first and several of the second: *split*;
- several and several: *rearranged*.

The second partition is coarser than the first iff each component has one block of the second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from loglift.errors import MechanismError
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.naming import BLOCK_COLUMN, as_text
from loglift.values import encoded

Kind: TypeAlias = Literal["partition", "channel"]
Relation: TypeAlias = Literal["same", "coarser", "finer", "neither"]
Value: TypeAlias = tuple[Any, ...]

NO_BLOCKS = (
    "Both mechanisms are randomized and have no blocks: all that is compared is whether p(y|x) is "
    "the same."
)
TWO_KINDS = (
    "The {} mechanism merges values, the {} one is randomized and has no blocks: only their values "
    "and settings are compared."
)


@dataclass(frozen=True)
class Side:
    """One of the two mechanisms: its kind, and how many values it knows and releases."""

    kind: Kind
    public_values: int
    released_values: int


@dataclass(frozen=True)
class Block:
    """A block: what it shows in each released column, and all its public values."""

    shows: Mapping[str, Any]
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Change:
    """Blocks of the first and of the second mechanism with the same values that both know."""

    before: tuple[Block, ...]
    after: tuple[Block, ...]


@dataclass(frozen=True)
class Joined:
    """New values, and the block of the second mechanism that has them."""

    values: tuple[Any, ...]
    block: Block


@dataclass(frozen=True)
class BlockChanges:
    """What became of the blocks of a partition, on the public values that both partitions know.

    Attributes
    ----------
    relation
        What the second partition is beside the first: the "same", "coarser" (each block of the
        first lies in one block of the second), "finer", or "neither"; None without a common value.
    unchanged
        The number of blocks that have the same values in both.
    merged
        Several whole blocks of the first that are one block of the second.
    split
        One block of the first that is several whole blocks of the second.
    rearranged
        Several blocks of the first that are several blocks of the second, and no fewer of them
        have the same values on both sides.
    renamed
        Unchanged blocks that are released under another name; empty where either release shows
        values in place of blocks.
    renumbered
        How many unchanged blocks have another number in loglift_block.
    gone
        How many blocks of the first have no value that the second knows.
    new
        How many blocks of the second have no value that the first knows.
    joined
        The blocks of the second that have new values.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> people = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "n"), ("c", "n")]
    >>> table = pl.DataFrame(people, schema=["job", "ill"], orient="row")
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.5)
    >>> later = loglift.protect(table, sensitive="ill", public="job", eps=0.1)
    >>> blocks = loglift.diff(release, later).blocks
    >>> blocks.relation, blocks.unchanged
    ('same', 2)
    """

    relation: Relation | None
    unchanged: int
    merged: tuple[Change, ...]
    split: tuple[Change, ...]
    rearranged: tuple[Change, ...]
    renamed: tuple[Change, ...]
    renumbered: int
    gone: int
    new: int
    joined: tuple[Joined, ...]


@dataclass(frozen=True)
class Setting:
    """A setting that differs: its name, what it is in the first mechanism, and in the second."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True, repr=False)
class Difference:
    """What changed between two mechanisms over the same public columns.

    Public values are tuples where there are several columns, in the order that the first mechanism
    has its columns in. Everything is in the order of the values in the two files.

    Attributes
    ----------
    public
        The names of the public columns.
    before, after
        The two mechanisms: "partition" or "channel", and how many values they know and release.
    common
        The number of public values that both know.
    new
        The public values that only the second knows.
    gone
        The public values that only the first knows.
    blocks
        What became of the blocks, a `BlockChanges`: `.relation`, `.unchanged`, `.merged`, `.split`,
        `.rearranged`, `.renamed` and more. None if one of the two is a channel.
    not_compared
        Why `blocks` is None, in words.
    same_channel
        For two channels: whether p(y|x) is exactly the same for each value that both know, whatever
        the released values are called. None otherwise, and without a common value.
    settings
        The settings that differ, each with `.name`, `.before` and `.after`: "bound", "method",
        "sensitive", "each", "weights", "both", "intact", "min_count", "shows" (groups, values or
        random values), "types" (of public columns), "bins" (widths), and "released" (types of
        released columns).

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> people = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "n"), ("c", "n")]
    >>> table = pl.DataFrame(people, schema=["job", "ill"], orient="row")
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.5)
    >>> later = loglift.protect(table, sensitive="ill", public="job", eps=2)
    >>> loglift.diff(release, later).common
    3
    """

    public: tuple[str, ...]
    before: Side
    after: Side
    common: int
    new: tuple[Any, ...]
    gone: tuple[Any, ...]
    blocks: BlockChanges | None
    not_compared: str | None
    same_channel: bool | None
    settings: tuple[Setting, ...]

    def __repr__(self) -> str:
        relation = self.not_compared if self.blocks is None else self.blocks.relation
        return (
            f"Difference({relation}; public values in both: {self.common}, new: {len(self.new)}, "
            f"gone: {len(self.gone)}, settings that differ: {len(self.settings)})"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form; infinite numbers are "inf"."""
        found: dict[str, Any] = encoded(self)
        return found


def difference(first: Mechanism, second: Mechanism) -> Difference:
    """Compare two mechanisms over the same public columns; O(n) for n public values.

    Raises `MechanismError` where the names of the columns differ; their order may differ.
    """
    _refuse_other_columns(first.column_names, second.column_names)
    places = [second.column_names.index(name) for name in first.column_names]
    values = tuple(tuple(value[i] for i in places) for value in second.tuples)
    old = {value: row for row, value in enumerate(first.tuples)}
    new = {value: row for row, value in enumerate(values)}
    before, after = _side(first), _side(second)
    blocks, same, reason = None, None, None
    if before.kind != after.kind:
        order = ("first", "second") if before.kind == "partition" else ("second", "first")
        reason = TWO_KINDS.format(*order)
    elif before.kind == "partition":
        blocks = _block_changes(first, second, old, new)
    else:
        reason = NO_BLOCKS
        same = _same_channel(first, second, [(old[v], new[v]) for v in old if v in new])
    return Difference(
        public=first.column_names,
        before=before,
        after=after,
        common=len(old.keys() & new.keys()),
        new=_plain(value for value in new if value not in old),
        gone=_plain(value for value in old if value not in new),
        blocks=blocks,
        not_compared=reason,
        same_channel=same,
        settings=tuple(_settings(first, second)),
    )


def _refuse_other_columns(first: Sequence[str], second: Sequence[str]) -> None:
    """Raise `MechanismError` if the public columns have different names."""
    only = {
        "first": [name for name in first if name not in second],
        "second": [name for name in second if name not in first],
    }
    said = [
        f"only the {side} has {', '.join(map(repr, only[side]))}" for side in only if only[side]
    ]
    if said:
        raise MechanismError(
            f"the public columns of the two mechanisms differ: {'; '.join(said)}. Compare "
            "mechanisms of the same public columns; where a column was renamed, make one of them "
            "again with the same name"
        )


def _side(mechanism: Mechanism) -> Side:
    kind: Kind = "channel" if mechanism.labels is None else "partition"
    return Side(kind, len(mechanism.public), mechanism.size)


def _block_changes(
    first: Mechanism, second: Mechanism, old: Mapping[Value, int], new: Mapping[Value, int]
) -> BlockChanges:
    """Compare two partitions; `old` and `new` have the rows of their values."""
    labels, others = first.partition.tolist(), second.partition.tolist()
    pairs = [(labels[old[value]], others[new[value]]) for value in old if value in new]
    names = [column.name for column in first.released]
    before, after = _blocks(first, labels, old, names), _blocks(second, others, new, names)
    changes = [
        Change(tuple(before[i] for i in left), tuple(after[j] for j in right))
        for left, right in _components(pairs)
    ]
    unchanged = [change for change in changes if _shape(change) == (False, False)]
    named = first.shares is None and second.shares is None
    newcomers: dict[int, list[Value]] = {}
    for value, row in new.items():
        if value not in old:
            newcomers.setdefault(others[row], []).append(value)
    return BlockChanges(
        relation=_relation(changes),
        unchanged=len(unchanged),
        merged=tuple(change for change in changes if _shape(change) == (True, False)),
        split=tuple(change for change in changes if _shape(change) == (False, True)),
        rearranged=tuple(change for change in changes if _shape(change) == (True, True)),
        renamed=tuple(c for c in unchanged if named and _names(c.before) != _names(c.after)),
        renumbered=sum(named and _number(c.before) != _number(c.after) for c in unchanged),
        gone=len(before) - len({i for i, _ in pairs}),
        new=len(after) - len({j for _, j in pairs}),
        joined=tuple(Joined(_plain(found), after[j]) for j, found in newcomers.items()),
    )


def _blocks(
    mechanism: Mechanism, labels: Sequence[int], rows: Mapping[Value, int], names: Sequence[str]
) -> dict[int, Block]:
    """Return the blocks that have public values, by their number; columns in the order of names."""
    members: dict[int, list[Value]] = {}
    for value, row in rows.items():
        members.setdefault(labels[row], []).append(value)
    place = {name: i for i, name in enumerate(names)}
    columns = sorted(mechanism.released, key=lambda column: place.get(column.name, len(names)))
    return {
        block: Block({column.name: column.values[block] for column in columns}, _plain(found))
        for block, found in members.items()
    }


def _components(pairs: Sequence[tuple[int, int]]) -> list[tuple[list[int], list[int]]]:
    """Return the connected components of a bipartite graph: the nodes on its two sides.

    Components and nodes are in the order in which the pairs first name them.
    """
    edges = list(dict.fromkeys(pairs))
    beside: dict[tuple[int, int], list[tuple[int, int]]] = {}  # a node is (side, number)
    for i, j in edges:
        beside.setdefault((0, i), []).append((1, j))
        beside.setdefault((1, j), []).append((0, i))
    component: dict[tuple[int, int], int] = {}
    found: list[tuple[list[int], list[int]]] = []
    for i, _ in edges:
        waiting = [] if (0, i) in component else [(0, i)]
        found += [([], [])] if waiting else []
        while waiting:
            node = waiting.pop()
            if node not in component:
                component[node] = len(found) - 1
                waiting += beside[node]
    for node in beside:
        found[component[node]][node[0]].append(node[1])
    return found


def _shape(change: Change) -> tuple[bool, bool]:
    """Return whether a change has several blocks of the first, and of the second."""
    return len(change.before) > 1, len(change.after) > 1


def _relation(changes: Sequence[Change]) -> Relation | None:
    shapes = {_shape(change) for change in changes}
    if not shapes:
        return None
    if shapes == {(False, False)}:
        return "same"
    if not any(after for _, after in shapes):
        return "coarser"
    return "neither" if any(before for before, _ in shapes) else "finer"


def _names(blocks: Sequence[Block]) -> dict[str, Any]:
    """Return what a single block shows, as text: 25 and "25" are one name."""
    [block] = blocks
    return {name: as_text(cell) for name, cell in block.shows.items() if name != BLOCK_COLUMN}


def _number(blocks: Sequence[Block]) -> Any:
    """Return the number of a single block in the released table; None without numbers."""
    [block] = blocks
    return block.shows.get(BLOCK_COLUMN)


def _same_channel(
    first: Mechanism, second: Mechanism, rows: Sequence[tuple[int, int]]
) -> bool | None:
    """Whether p(y|x) is the same in given rows of two channels, up to the order of y."""
    if not rows:
        return None
    left, right = zip(*rows, strict=True)
    return _outputs(first, left) == _outputs(second, right)


def _outputs(mechanism: Mechanism, rows: Sequence[int]) -> Counter[tuple[tuple[int, int], ...]]:
    """Return p(.|x) of each released value in the given rows x, in whole numbers."""
    channel = mechanism.exact_channel
    if channel is None:
        raise MechanismError(
            "only channels that were made from the counts of a table are compared: their p(y|x) "
            "are whole numbers over 2^52"
        )
    found: dict[int, list[tuple[int, int]]] = {}
    for place, row in enumerate(rows):
        for y, numerator in channel.rows[row]:
            found.setdefault(y, []).append((place, numerator))
    return Counter(map(tuple, found.values()))


def _settings(first: Mechanism, second: Mechanism) -> Iterator[Setting]:
    """Yield the settings that differ; lists of columns differ by what is in them."""
    before, after = _settings_of(first), _settings_of(second)
    for name, given in before.items():
        other = after[name]
        lists = isinstance(given, tuple) and isinstance(other, tuple)
        if set(given) != set(other) if lists else given != other:
            yield Setting(name, given, other)


def _settings_of(mechanism: Mechanism) -> dict[str, Any]:
    shows = "groups" if mechanism.shares is None else "values"
    released = mechanism.released if mechanism.shares is None else mechanism.members
    return {
        "bound": mechanism.bound,
        "method": mechanism.method,
        "sensitive": mechanism.sensitive_names,
        "each": mechanism.each,
        "weights": mechanism.weights,
        "both": mechanism.both,
        "intact": mechanism.intact,
        "min_count": mechanism.min_count,
        "shows": "random values" if mechanism.labels is None else shows,
        "types": {column.name: column.type for column in mechanism.columns},
        "bins": mechanism.bins,
        "released": {column.name: column.type for column in released},
    }


def _plain(values: Iterator[Value] | Sequence[Value]) -> tuple[Any, ...]:
    """Return public values as they are in a mechanism: of one column, without a tuple."""
    return tuple(value[0] if len(value) == 1 else value for value in values)
