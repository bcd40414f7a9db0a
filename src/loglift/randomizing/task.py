"""What to randomize: the public values of a joint, or those of one of its intact groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from loglift.errors import MechanismError
from loglift.joint import IntArray, Joint
from loglift.measures.entropy import drawn_information
from loglift.mechanism.channel import MAX_CHANNEL_CELLS
from loglift.merging.intact import Groups
from loglift.merging.problem import Problem
from loglift.promise.bound import Bound
from loglift.promise.in_context import ContextPromise
from loglift.promise.knowledge import Knowledge
from loglift.promise.min_count import checked_min_count
from loglift.promise.together import Together, parted
from loglift.randomizing.parts import MAX_WHOLE_VALUES
from loglift.randomizing.polytope import flat_values
from loglift.randomizing.within_group import group_problem
from loglift.sparse import Mass, dense
from loglift.utility.utility import Utility
from loglift.utility.worth import Worth


@dataclass(frozen=True, eq=False)
class Task:
    """A joint, its bound, what is worth keeping (None for I(X;Y)), and what readers know.

    Every released value is to have an expected mass of at least `min_count`, on the scale of the
    joint. `rows` are the public values to release, those of an intact group, and None for all of
    them. What is worth keeping, and what readers know, are then about these.
    """

    joint: Joint
    bound: Bound
    worth: Worth | None
    knowledge: tuple[Knowledge, ...]
    min_count: float | None = None
    rows: IntArray | None = None

    def only(self, rows: IntArray) -> Task:
        """Return the task of an intact group."""
        worth = self.worth or Utility.joint().worth(self.joint)
        known = tuple(each.only(rows) for each in self.knowledge)
        return replace(self, worth=worth.alone(rows), knowledge=known, rows=rows)

    @property
    def chosen(self) -> IntArray:
        """The public values to release."""
        return np.arange(len(self.joint.public)) if self.rows is None else self.rows

    @cached_property
    def readers(self) -> tuple[ContextPromise, ...]:
        """The promises to readers who know more."""
        limits = self.bound.on(self.joint)
        return tuple(each.promise(self.chosen.size, limits) for each in self.knowledge)

    @property
    def is_drawn(self) -> bool:
        """Whether tables are drawn from it: the channel is in whole numbers."""
        return bool(self.joint.columns) and self.joint.is_whole

    @property
    def goes_in_parts(self) -> bool:
        """Whether the public values are so many that parts of them are solved on their own.

        Readers who know more, requirements and a bound of zero take all values at once.
        """
        flat = flat_values(self.bound.on(self.joint), self.joint.mass.shape[1]).any()
        at_once = bool(self.knowledge or self.bound.requirements or flat)
        return self.chosen.size > MAX_WHOLE_VALUES and not at_once

    def refuse_dense(self) -> None:
        """Raise where a channel of all public values would not fit into memory."""
        size = self.chosen.size
        if size * size > MAX_CHANNEL_CELLS:
            raise MechanismError(
                f"{size:,} public values are too many for random draws with readers who know more, "
                "with requirements or with a bound of zero: merge (method='search')"
            )

    @property
    def least(self) -> float:
        """The least probability of a released value."""
        return checked_min_count(self.joint, self.min_count) / self.joint.total

    @property
    def more_than_least(self) -> float:
        """The least probability and one record more: what whole numbers meet despite rounding."""
        if self.min_count is None:
            return 0.0
        copies, total = len(self.joint.variables), float(self.joint.mass.sum())
        most = float(copies * self.joint.weight[self.chosen].sum())
        return min(self.min_count * copies + 1, most) / total

    def problem(self, least: float, bound: Bound | None = None) -> Problem:
        """Return the problem for the solvers; every released value has the probability `least`.

        `bound` may be another bound on log-lift; readers who know more are promised the same. An
        earlier release can be at the bound already.
        """
        mass, limits = dense(self.joint.scaled), (bound or self.bound).on(self.joint)
        least_mass = least * float(mass.sum())
        if self.rows is not None:
            return group_problem(
                mass, self.rows, limits, worth=self.worth, readers=self.readers, least=least_mass
            )
        problem = Problem.of(mass, limits, worth=self.worth, least=least_mass)
        if not self.readers:
            return problem
        plain, _ = parted(problem.promise)
        return replace(problem, promise=Together(plain, self.readers))

    def kept_by(self, channel: Mass) -> float:
        """Return the utility of a channel p(y|x)."""
        if self.worth is None:
            return drawn_information(self.joint.p_public, channel)
        return self.worth.of_channel(channel)

    def most(self, groups: Groups | None, proven: Sequence[float]) -> float:
        """Return the most utility of any channel, from that in each group, which is proven."""
        if groups is None:
            return proven[0]
        worth = self.worth or Utility.joint().worth(self.joint)
        apart = worth.blocks(groups.numbers)
        return float(apart.values().sum() + apart.weight @ np.array(proven) / apart.total)
