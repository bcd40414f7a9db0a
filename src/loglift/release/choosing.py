"""Choosing eps for a table: its counts as one joint to sweep, with the limits of a release."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loglift.joint import Joint
from loglift.merging.intact import GroupsLike
from loglift.merging.merge import Method
from loglift.release.frontier import EPS, Frontier, LeastEps, frontier, least_eps
from loglift.release.learning import (
    Names,
    check_options,
    group_columns,
    groups_of,
    refuse_several,
    sensitive_tables,
)
from loglift.sparse import side_by_side


@dataclass(frozen=True, eq=False)
class Sweepable:
    """The counts of a table as one joint, and the limits a release of it has.

    Several sensitive variables stand side by side, so a least count is taken as many times.
    """

    joint: Joint
    public: tuple[str, ...]
    min_count: int | None
    groups: GroupsLike | None

    def frontier(
        self,
        eps: Iterable[float] = EPS,
        methods: Sequence[Method] = ("search",),
        on_point: Callable[[int], None] = lambda _done: None,
    ) -> Frontier:
        """Sweep eps."""
        if "ordered" in methods:
            refuse_several(self.public)
        limits: dict[str, Any] = {"min_count": self.min_count, "groups": self.groups}
        return frontier(self.joint, eps, methods, on_point=on_point, **limits)

    def least_eps(self, keep: float, method: Method = "search") -> LeastEps:
        """Find the least eps that keeps a share of the information."""
        if method == "ordered":
            refuse_several(self.public)
        return least_eps(self.joint, keep, method, min_count=self.min_count, groups=self.groups)


def sweepable(
    counts: Joint,
    *,
    min_count: int | None = None,
    groups: Names | Mapping[Any, Hashable] | None = None,
    each: bool = False,
) -> Sweepable:
    """Prepare the counts of a table; the arguments are those of `protect`."""
    check_options("all", min_count)
    shown = sensitive_tables(counts, each=each)
    among = groups_of(counts, groups, group_columns(groups, counts.column_names))
    least = None if min_count is None else int(min_count) * len(shown)
    numbered = None if groups is None else among.numbered()
    joint = Joint(side_by_side([table.counts for table in shown]))
    return Sweepable(joint, counts.column_names, least, numbered)
