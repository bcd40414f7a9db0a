"""What a sweep merges again and again: a joint, its goal, and one merge at each bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from loglift import tables
from loglift._compute.kernels import many_problems
from loglift._compute.progress import OnProgress, Progress, silent
from loglift.errors import InputError, JointError, MechanismError
from loglift.joint import Joint, as_joint
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.intact import GroupsLike
from loglift.merging.merge import SEARCHING, Method, Promised, merge
from loglift.merging.search import default_iterations
from loglift.promise.bound import Bound
from loglift.release.goal import goal_of, with_taxonomies
from loglift.release.options import options_of
from loglift.release.sensitive import ignoring
from loglift.tables.columns import Names
from loglift.utility.utility import Utility

ITERATIONS_DIVISOR = 4  # a quarter of the iterations of `merge`: warm starts make up for them
PLAIN = Bound.symmetric(0.0)  # no sensitive value has a bound of its own


@dataclass(frozen=True, eq=False)
class Counted:
    """The joint to sweep, the groups that are not to be merged, and what is worth keeping.

    `like` has the sensitive values that are not bounded.
    """

    joint: Joint
    groups: GroupsLike | None
    goal: Utility
    like: Bound = PLAIN


def joint_of(
    source: Joint | ArrayLike | Any,
    sensitive: Names | None = None,
    public: Names | None = None,
    *,
    each: bool = False,
    bins: Mapping[str, Any] | None = None,
    intact: Names | GroupsLike | None = None,
    utility: Utility | Literal["joint", "columns"] | None = None,
    on_progress: OnProgress = silent,
    **of_table: Any,
) -> Counted:
    """Count a table, or take the given joint; `of_table` are options that only a table has."""
    if sensitive is None and public is None:
        for name, value in {"bins": bins, **of_table}.items():
            if value:
                raise InputError(f"{name} are for tables, and this is a joint: leave them out")
        try:
            given = as_joint(source)
        except JointError as error:
            if isinstance(source, (list, tuple, np.ndarray)):
                raise
            raise JointError(
                f"{error}; for a table name its sensitive and public columns"
            ) from None
        if isinstance(utility, Utility):
            goal = utility
        else:
            goal = Utility.columns() if utility == "columns" else Utility.joint()
        return Counted(given.apart() if each else given, intact, goal)
    if sensitive is None or public is None:
        raise InputError("a table needs its sensitive and its public columns: name both")
    options = options_of(
        sensitive=sensitive,
        public=public,
        eps=0.0,  # not used: the sweep has its own
        bound=None,
        intact=cast("Names | None", intact),
        bins=bins,
        each=each,
        utility=utility,
        **of_table,
    )
    on_progress(Progress("counting"))
    opened = tables.open_table(source)
    joint = with_taxonomies(options.counted(opened), options)
    return Counted(
        options.shown(joint),
        options.groups(joint),
        goal_of(opened, joint, options),
        ignoring(PLAIN, joint, options.ignored),
    )


def merged_at(
    given: Joint,
    goal: Utility,
    bound: Bound,
    method: Method,
    start: ArrayLike | None,
    min_count: int | None,
    groups: GroupsLike | None,
    iterations: int | None,
    seed: int,
    promises: Sequence[Promised] = (),
) -> Mechanism:
    """Merge under one bound, any values with any; a search starts from `start`."""
    options: dict[str, Any] = {
        "utility": goal,
        "min_count": min_count,
        "intact": groups,
        "promises": promises,
    }
    if method in SEARCHING:
        usual = default_iterations(given.mass.shape) // ITERATIONS_DIVISOR
        effort = usual if iterations is None else iterations
        options |= {"start": start, "iterations": effort, "seed": seed}
    elif method != "ordered":
        options["over"] = "all"
    with many_problems():
        return merge(given, None, method, bound=bound, **options)


def refuse_unused(iterations: int | None, methods: Sequence[str]) -> None:
    """Raise `MechanismError` if iterations are given and no method has any, as `merge` does."""
    if iterations is not None and not any(method in SEARCHING for method in methods):
        raise MechanismError(
            f"iterations is for search and exact: leave it out with {', '.join(methods)}"
        )


def share_kept(found: Mechanism, whole: float) -> float:
    """Return what is kept as a share of the utility of the table as it is."""
    return found.utility / whole if whole else 1.0
