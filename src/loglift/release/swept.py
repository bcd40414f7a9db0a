"""A sweep: one joint and one goal, merged under one bound after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
from loglift.release.options import options_of, refuse_several
from loglift.release.sensitive import resolved
from loglift.tables.columns import Names
from loglift.utility.utility import Utility

ITERATIONS_DIVISOR = 4  # of the iterations of `merge`
PLAIN = Bound.symmetric(0.0)  # no sensitive value has a bound of its own


@dataclass(frozen=True, eq=False)
class Sweep:
    """What is merged under one bound after another: counts, a goal, and limits that all share.

    Attributes
    ----------
    joint
        The counts, with the sensitive variables that are bounded.
    goal
        What is worth keeping.
    intact
        The groups that are not to be merged.
    like
        A bound with the limits of single values that every bound has, too.
    promises
        What readers know to whom the bounds are kept as well.
    min_count, seed
        As in `merge`.
    iterations
        Of "search" at each bound; by default a quarter of those of `merge`.

    """

    joint: Joint
    goal: Utility
    intact: GroupsLike | None = None
    like: Bound = PLAIN
    promises: Sequence[Promised] = ()
    min_count: int | None = None
    iterations: int | None = None
    seed: int = 0

    @cached_property
    def most(self) -> float:
        """The utility of the table as it is."""
        return self.goal.most(self.joint)

    def share_kept(self, found: Mechanism) -> float:
        """Return what is kept as a share of the utility of the table as it is."""
        return found.utility / self.most if self.most else 1.0

    def check_methods(self, methods: Sequence[str]) -> None:
        """Raise if a method of merging does not fit, or if no method has the iterations given."""
        if "ordered" in methods:
            refuse_several(self.joint.column_names)
        if self.iterations is not None and not any(method in SEARCHING for method in methods):
            raise MechanismError(
                f"iterations is for search and exact: leave it out with {', '.join(methods)}"
            )

    def merged(self, bound: Bound, method: Method, start: Mechanism | None) -> Mechanism:
        """Merge under one bound, any values with any; a search starts from the blocks of `start`.

        Its iterations are fewer by default than those of `merge`: the start makes up for them.
        """
        options: dict[str, Any] = {}
        if method in SEARCHING:
            usual = default_iterations(self.joint.mass.shape) // ITERATIONS_DIVISOR
            options["iterations"] = usual if self.iterations is None else self.iterations
            options["start"] = None if start is None else start.labels
            options["seed"] = self.seed
        elif method != "ordered":
            options["over"] = "all"
        with many_problems():
            return merge(
                self.joint,
                None,
                method,
                bound=bound,
                utility=self.goal,
                min_count=self.min_count,
                intact=self.intact,
                promises=self.promises,
                **options,
            )


def sweep_of(
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
) -> Sweep:
    """Count a table to sweep, or take the given joint.

    `of_table` are options that only a table has.
    """
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
        return Sweep(given.apart() if each else given, goal, intact)
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
    return Sweep(
        options.shown(joint),
        goal_of(opened, joint, options),
        options.groups(joint),
        like=resolved(PLAIN, joint, options.ignored),
    )
