"""A release to explain, and solving it again with something changed.

How much effort that may take is decided here and nowhere else. A problem is solved again from the
partition there is and from one built anew, with a tenth of the iterations of `search` at most: a
dozen such take about as long as the release itself. What they find can be had; more effort may find
more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray, Joint
from loglift.measures.entropy import entropy
from loglift.measures.partition import canonical
from loglift.merging import subsets
from loglift.merging.intact import Groups, in_groups
from loglift.merging.ordered import best_runs
from loglift.merging.problem import Alphabet, Problem, problem_of
from loglift.merging.search import best_partition, default_iterations
from loglift.promise.bound import Bound
from loglift.sparse import Mass, block_sums, dense

MOST_CELLS = 1_000_000  # of the constraints; beyond, nothing is solved again
MOST_RUNS = 2000  # values of an ordered column: solving it again is quadratic
EFFORT = 10  # one part in this many of the iterations of `search`
MOST_ITERATIONS = 2000  # and no more than these


@dataclass(frozen=True, eq=False)
class Case:
    """What a release was made from and for, as arrays.

    Attributes
    ----------
    mass
        n(s,x), shape (public values, sensitive values); those of several sensitive variables
        stand side by side.
    weight
        n(x), the records of each public value.
    names, variables
        What each sensitive value is called, and the number of the variable it belongs to.
    bound, least, groups, runs
        The limits: the bound, the least records of a block, which values may be merged, and
        whether blocks are runs of rows.

    """

    mass: Mass
    weight: NDArray[Any]
    names: tuple[Any, ...]
    variables: IntArray
    bound: Bound
    least: float
    groups: Groups
    runs: bool = False

    @classmethod
    def of_joint(
        cls,
        joint: Joint,
        bound: Bound,
        *,
        least: float = 0,
        groups: Groups | None = None,
        runs: bool = False,
    ) -> Case:
        """Return the case of a joint of one sensitive variable."""
        n, m = joint.mass.shape
        among = Groups.one(n) if groups is None else groups
        return cls(
            mass=joint.scaled,
            weight=joint.mass.sum(axis=1),
            names=joint.sensitive,
            variables=np.zeros(m, dtype=np.int64),
            bound=bound,
            least=least,
            groups=among.runs() if runs else among,
            runs=runs,
        )

    @cached_property
    def entropy(self) -> float:
        """H(X), nats."""
        return entropy(self.weight)

    @cached_property
    def records_with(self) -> NDArray[Any]:
        """n(s), on the scale of `weight`: integers where that has integers."""
        columns = self.mass.sum(axis=0)
        if np.issubdtype(self.weight.dtype, np.integer):
            return np.asarray(columns, dtype=np.int64)
        return np.asarray(columns * (self.weight.sum() / self.mass.sum()))

    @property
    def small(self) -> bool:
        """Whether the case is small enough to be solved again."""
        n, m = self.mass.shape
        return 2 * n * m <= MOST_CELLS and not (self.runs and n > MOST_RUNS)

    def utility(self, labels: IntArray) -> float:
        """H(Y) of a partition, nats."""
        return entropy(block_sums(self.weight, labels))

    def kept(self, utility: float) -> float:
        """The share of H(X); all of it when there is nothing to keep."""
        return utility / self.entropy if self.entropy else 1.0

    def alphabet(self) -> Alphabet:
        """The constraints, of some values at a time."""
        scale = float(self.mass.sum() / self.weight.sum())
        return Alphabet.of(self.mass, self.bound, self.least * scale)

    def problem(
        self,
        *,
        bound: Bound | None = None,
        least: float | None = None,
        events: IntArray | None = None,
    ) -> Problem:
        """The constraints, with another bound, another least count or other events.

        `events` numbers the sensitive values that are told apart: those with the same number are
        one event, those with -1 are not bounded at all.
        """
        mass, limit = dense(self.mass), self.least if least is None else least
        scale = float(mass.sum() / self.weight.sum())
        if events is not None:
            told = np.unique(events[events >= 0])
            kept = np.stack([mass[:, events == event].sum(axis=1) for event in told], axis=1)
            mass = np.hstack([kept, mass[:, events < 0]])
        problem = problem_of(mass, bound or self.bound, limit * scale, tolerant=self.runs)
        if events is None:
            return problem
        return _without(problem, told.size, mass.shape[1], least=limit > 0)

    def solved(self, problem: Problem, start: IntArray, groups: Groups | None = None) -> IntArray:
        """Solve a problem again from a partition that is safe in it; never worse than that."""
        total = default_iterations(self.mass.shape)

        def again(_mass: FloatArray, _rows: IntArray, members: IntArray) -> IntArray:
            part = problem._replace(gain=problem.gain[members], p=problem.p[members])
            if self.runs:
                return best_runs(part)
            if members.size <= subsets.MOST:
                return subsets.best_of_all(part.gain, part.p, part.need)
            share = min(MOST_ITERATIONS, -(-total * members.size // (EFFORT * start.size)))
            begin = canonical(start[members])
            return best_partition(part, [begin], builds=1, iterations=share)

        return in_groups(dense(self.mass), groups or self.groups, again)


def _without(problem: Problem, told: int, columns: int, *, least: bool) -> Problem:
    """Leave out the constraints of all columns from `told` on; that of a least count stays."""
    place = np.arange(problem.need.size)
    keep = place % columns < told
    keep[-1] |= least
    return problem._replace(
        gain=np.ascontiguousarray(problem.gain[:, keep]),
        need=problem.need[keep],
        scale=problem.scale[keep],
    )
