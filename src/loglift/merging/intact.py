"""Intact columns: public values are merged within groups only, one for each intact value.

A block is compared with p(s) of the whole table, so a group that is unsafe as one block has no safe
partition.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loglift.errors import PartitionError, UnsafeError
from loglift.joint import FloatArray, IntArray, Joint
from loglift.measures.lift import lift_ratios
from loglift.promise.bipartition import safe_rows
from loglift.promise.bound import Bound
from loglift.promise.knowledge import Knowledge, Released
from loglift.promise.lift import bounded_sides
from loglift.promise.limits import Limits
from loglift.sparse import Mass, block_sums, dense

GroupsLike: TypeAlias = Mapping[Any, Hashable] | Iterable[Hashable]

_MAX_NAMED = 10  # groups or values that a message lists


@dataclass(frozen=True, eq=False)
class Groups:
    """The group number of each public value, canonical, and the name of each group."""

    numbers: IntArray
    names: tuple[Hashable, ...]

    @classmethod
    def of(cls, numbers: IntArray) -> Groups:
        """Return groups that are named by their numbers."""
        return cls(numbers, tuple(range(int(numbers.max()) + 1)))

    def members(self) -> list[IntArray]:
        """Return the rows of each group."""
        order = np.argsort(self.numbers, kind="stable")
        starts = np.searchsorted(self.numbers[order], np.arange(1, len(self.names)))
        return np.split(order, starts)

    def runs(self) -> Groups:
        """Return the groups cut into runs of neighbouring rows."""
        begins = np.diff(self.numbers, prepend=-1) != 0
        names = tuple(self.names[number] for number in self.numbers[begins])
        return Groups(np.cumsum(begins) - 1, names)


def as_groups(intact: GroupsLike, public: tuple[Hashable, ...]) -> Groups:
    """Return the groups that `intact` names: one for each public value in row order, or a mapping.

    Raises `PartitionError` when a public value has no group.
    """
    names = _of_mapping(intact, public) if isinstance(intact, Mapping) else _of_list(intact)
    if len(names) != len(public):
        raise PartitionError(
            f"intact has {len(names)} groups for {len(public)} public values: give one each"
        )
    place: dict[Hashable, int] = {}
    try:
        numbers = [place.setdefault(name, len(place)) for name in names]
    except TypeError:
        raise PartitionError("intact must hold hashable values: texts, numbers or tuples") from None
    return Groups(np.array(numbers, dtype=np.int64), tuple(place))


def refuse_unsafe(mass: Mass, bound: Bound | Limits, groups: Groups) -> None:
    """Raise `UnsafeError` when a group is unsafe even as one block, naming it and its log-lift."""
    totals = block_sums(mass, groups.numbers)
    hopeless = np.flatnonzero(~safe_rows(totals, bound))
    if not hopeless.size:
        return
    sizes = _largest_log_lifts(dense(totals), bound)
    worst = hopeless[np.argsort(-sizes[hopeless], kind="stable")]
    named = _listed([f"{groups.names[g]!r} (omega {sizes[g]:.4g})" for g in worst])
    most = sizes[worst[0]]
    wider = (
        "; no wider bound helps" if math.isinf(most) else f", or use a bound of {most + 5e-4:.3f}"
    )
    raise UnsafeError(
        f"no safe release: of {len(groups.names)} intact groups {len(worst)} are outside the bound "
        f"even as one released value: {named}. What would help: leave out intact (--intact), or "
        f"leave out the records of these groups{wider}"
    )


def refuse_told(
    joint: Joint, bound: Bound, knowledge: Sequence[Knowledge], groups: Groups | None
) -> None:
    """Raise `UnsafeError` where readers who know more are told too much whatever is merged."""
    size = len(joint.public)
    whole = Released.together(size) if groups is None else Released(groups.numbers)
    for each in knowledge:
        safe = each.promise(size, bound.on(joint)).blocks(whole.numbers).safe()
        if safe.all():
            continue
        most = each.leakage(Released.together(size))
        if groups is None or most > each.leakage(whole) - 1e-12:
            raise UnsafeError(
                f"no safe release: {each.name} are outside the bound before anything is released, "
                f"by a leakage of {most:.4g} nats"
                + ("" if math.isfinite(most) else ": a sensitive value is ruled out")
                + ". What would help: a wider bound, or one sensitive value of several (--combine)"
            )
        named = _listed([repr(groups.names[g]) for g in np.flatnonzero(~safe)])
        raise UnsafeError(
            f"no safe release: of {len(groups.names)} intact groups {int((~safe).sum())} tell "
            f"{each.name} too much even as one released value: {named}. What would help: leave out "
            "intact (--intact), or leave out the records of these groups"
        )


def refuse_small(weight: NDArray[Any], groups: Groups, least: float) -> None:
    """Raise `UnsafeError` when a group has less mass than every block must have."""
    sizes = block_sums(weight, groups.numbers)
    small = np.flatnonzero(sizes < least)
    if small.size:
        named = _listed([f"{groups.names[g]!r} ({sizes[g]:,})" for g in small])
        raise UnsafeError(
            f"no release can have {least} records for every value: of {len(groups.names)} intact "
            f"groups {len(small)} have fewer: {named}. What would help: leave out intact "
            "(--intact), leave out the records of these groups, or use a smaller min_count"
        )


def _largest_log_lifts(totals: FloatArray, bound: Bound | Limits) -> FloatArray:
    """Return the largest size of a log-lift of each row, on the sides that are bounded."""
    with np.errstate(divide="ignore"):
        logs = np.log(lift_ratios(totals))
    lower, upper = bounded_sides(bound, totals.shape[1])
    largest: FloatArray = np.hstack([logs[:, upper], -logs[:, lower]]).max(axis=1)
    return largest


def _of_mapping(intact: Mapping[Any, Hashable], public: tuple[Hashable, ...]) -> list[Hashable]:
    missing = [value for value in public if value not in intact]
    if missing:
        named = _listed([repr(value) for value in missing])
        raise PartitionError(f"intact names no group for {len(missing)} public values: {named}")
    return [intact[value] for value in public]


def _of_list(intact: GroupsLike) -> list[Hashable]:
    if isinstance(intact, (str, bytes)) or not isinstance(intact, Iterable):
        raise PartitionError(
            "intact must be a list with a group for each public value, or a mapping, "
            f"got {intact!r}"
        )
    return intact.tolist() if isinstance(intact, np.ndarray) else list(intact)


def _listed(names: list[str]) -> str:
    more = ", ..." if len(names) > _MAX_NAMED else ""
    return ", ".join(names[:_MAX_NAMED]) + more
