"""Groups: public values that may be merged with each other, and with no others.

A partition whose blocks stay within groups is one partition for each group, and

    H(Y) = sum over the groups of the -p(B) log p(B) of their blocks,

so the best of each group are the best together. A block is safe against the whole table's p(s):
a group whose values are unsafe even as one block has no safe partition.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from loglift.errors import PartitionError, UnsafeError
from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.measures.lift import lift_ratios
from loglift.measures.partition import canonical
from loglift.merging.ceiling import ceiling
from loglift.promise.bound import Bound, safe_rows
from loglift.sparse import Cells, Mass, block_sums, by_rows, dense, stacked, take_rows

MassT = TypeVar("MassT", bound=Mass)
GroupsLike: TypeAlias = Mapping[Any, Hashable] | Iterable[Hashable]
# From a mass and the rows of it to partition to the block numbers of these rows; the third array
# has the numbers the rows had before.
Solver: TypeAlias = Callable[[MassT, IntArray, IntArray], IntArray]

_MOST_NAMED = 10


@dataclass(frozen=True, eq=False)
class Groups:
    """The group number of each public value, canonical, and the name of each group."""

    numbers: IntArray
    names: tuple[Hashable, ...]

    @classmethod
    def one(cls, size: int) -> Groups:
        """All values in one group: any may be merged with any."""
        return cls(np.zeros(size, dtype=np.int64), ("all values",))

    def members(self) -> list[IntArray]:
        """Return the rows of each group."""
        order = np.argsort(self.numbers, kind="stable")
        starts = np.searchsorted(self.numbers[order], np.arange(1, len(self.names)))
        return np.split(order, starts)

    def numbered(self) -> list[int] | None:
        """Return the group number of each value as `merge` takes it; None for one group."""
        return self.numbers.tolist() if len(self.names) > 1 else None

    def runs(self) -> Groups:
        """Return the groups cut where rows of another one stand between their rows."""
        begins = np.diff(self.numbers, prepend=-1) != 0
        names = tuple(self.names[number] for number in self.numbers[begins])
        return Groups(np.cumsum(begins) - 1, names)


def as_groups(groups: GroupsLike, public: tuple[Hashable, ...]) -> Groups:
    """Return groups given as one for each public value in row order, or as a mapping of them."""
    names = _of_mapping(groups, public) if isinstance(groups, Mapping) else _of_list(groups)
    if len(names) != len(public):
        raise PartitionError(f"{len(names)} groups for {len(public)} public values: give one each")
    place: dict[Hashable, int] = {}
    try:
        numbers = [place.setdefault(name, len(place)) for name in names]
    except TypeError:
        raise PartitionError("groups must be hashable: use texts, numbers or tuples") from None
    return Groups(np.array(numbers, dtype=np.int64), tuple(place))


def in_groups(mass: MassT, groups: Groups, solver: Solver[MassT]) -> IntArray:
    """Solve each group apart and put the partitions together; canonical block numbers.

    The solver sees the rows of a group and the rest of the table as one more row, so that p(s) is
    the whole table's, at a cost that does not grow with the number of groups.
    """
    labels, used, columns = np.zeros_like(groups.numbers), 0, mass.sum(axis=0)
    for members in groups.members():
        if members.size > 1:
            rows, whole = np.arange(members.size), mass
            if members.size < labels.size:
                part = take_rows(mass, members)
                rest = np.maximum(columns - part.sum(axis=0), 0)[np.newaxis]
                whole = cast("MassT", stacked([part, rest]))
            labels[members] = solver(whole, rows, members)
        labels[members] += used
        used = int(labels[members].max()) + 1
    return canonical(labels)


def ceiling_in_groups(mass: Mass, bound: Bound, groups: Groups) -> float:
    """Return an upper bound on H(Y) over the safe partitions within groups. O(m n log n).

    With a finite lower bound a group of mass p(g) has at most k blocks if k of its values have
    its rarest sensitive value, and k blocks add at most p(g) log k/p(g).
    """
    most = ceiling(mass, bound)
    if math.isinf(bound.lower) or len(groups.names) == 1:
        return most
    p = mass.sum(axis=1) / mass.sum()
    apart = -block_sums(plogp(p), groups.numbers)
    found = block_sums(_ones(mass), groups.numbers)
    blocks = np.maximum(by_rows(lambda rows: rows.min(axis=1), found), 1)
    weights = block_sums(p, groups.numbers)
    return min(most, float(np.minimum(apart, weights * np.log(blocks / weights)).sum()))


def _ones(mass: Mass) -> Mass:
    """One in every cell that is not zero."""
    if isinstance(mass, Cells):
        return mass.mapped(lambda values: np.ones(values.size, dtype=np.int64))
    return (mass > 0).astype(np.int64)


def refuse_unsafe(mass: Mass, bound: Bound, groups: Groups) -> None:
    """Raise `UnsafeError` when a group is unsafe even as one block, naming it and its log-lift."""
    totals = block_sums(mass, groups.numbers)
    hopeless = np.flatnonzero(~safe_rows(totals, bound))
    if not hopeless.size:
        return
    sizes = _beyond(dense(totals), bound)
    worst = hopeless[np.argsort(-sizes[hopeless], kind="stable")]
    named = _listed([f"{groups.names[g]!r} (omega {sizes[g]:.4g})" for g in worst])
    most = sizes[worst[0]]
    wider = (
        "; no wider bound would do" if math.isinf(most) else f", or a bound of {most + 5e-4:.3f}"
    )
    raise UnsafeError(
        f"no safe release: of {len(groups.names)} groups {len(worst)} would be outside the bound "
        f"even as one released value: {named}. What would help: no groups (--groups), or the table "
        f"without the records of these{wider}"
    )


def refuse_small(weight: NDArray[Any], groups: Groups, least: float) -> None:
    """Raise `UnsafeError` when a group has less mass than every block must have."""
    sizes = block_sums(weight, groups.numbers)
    small = np.flatnonzero(sizes < least)
    if small.size:
        named = _listed([f"{groups.names[g]!r} ({sizes[g]:,})" for g in small])
        raise UnsafeError(
            f"no release can have {least} records for every value: of {len(groups.names)} groups "
            f"{len(small)} would have fewer: {named}. What would help: no groups (--groups), "
            "the table without the records of these, or fewer records"
        )


def mixes(labels: IntArray, groups: Groups) -> bool:
    """Whether a block holds values of two groups."""
    pairs = np.unique(np.stack([labels, groups.numbers]), axis=1)
    return bool(pairs.shape[1] > labels.max() + 1)


def _beyond(totals: FloatArray, bound: Bound) -> FloatArray:
    """The largest log-lift of each row in the directions that are bounded."""
    with np.errstate(divide="ignore"):
        logs = np.log(lift_ratios(totals))
    sides = [logs] if math.isfinite(bound.upper) else []
    sides += [-logs] if math.isfinite(bound.lower) else []
    largest: FloatArray = np.max(sides, axis=(0, 2))
    return largest


def _of_mapping(groups: Mapping[Any, Hashable], public: tuple[Hashable, ...]) -> list[Hashable]:
    missing = [value for value in public if value not in groups]
    if missing:
        named = _listed([repr(value) for value in missing])
        raise PartitionError(f"{len(missing)} public values have no group: {named}; add them")
    return [groups[value] for value in public]


def _of_list(groups: Iterable[Hashable]) -> list[Hashable]:
    if isinstance(groups, (str, bytes)) or not isinstance(groups, Iterable):
        raise PartitionError(
            f"groups must be a list with one for each public value, or a mapping, got {groups!r}"
        )
    return groups.tolist() if isinstance(groups, np.ndarray) else list(groups)


def _listed(names: list[str]) -> str:
    more = ", ..." if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
