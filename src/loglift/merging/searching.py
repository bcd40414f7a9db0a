"""Search and exact over a whole alphabet: group by group, all values or the high-risk ones only."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.measures.partition import canonical
from loglift.merging import subsets
from loglift.merging.exact import Proof, exact, relaxed
from loglift.merging.intact import Groups, in_groups
from loglift.merging.items import inequalities
from loglift.merging.search import BRIEF, EFFORT, FEW, Options, is_easy, search
from loglift.promise.bound import Bound, safe_rows
from loglift.sparse import MOST_DENSE, Mass, block_sums, by_rows, dense, take_rows

Finish: TypeAlias = Callable[[FloatArray, IntArray, IntArray, float], Proof]

PROOF = 60.0  # seconds for a proof, where no time limit is given
MOST_PROVEN = 2000  # values beyond which a proof is not begun: every pair of them takes room


@dataclass(frozen=True, eq=False)
class Searcher:
    """How to search an alphabet; iterations and time are shared out by numbers of values.

    `least` is the least mass of a block, on the scale of the mass to be searched.
    """

    bound: Bound
    least: float
    start: IntArray | None
    high_risk_only: bool
    iterations: int
    seed: int
    time_limit: float | None

    def search(self, mass: Mass, among: Groups) -> Proof:
        """A good partition of a trusted mass (n, m), and what is quickly proven about the best."""

        def finish(part: FloatArray, chosen: IntArray, labels: IntArray, share: float) -> Proof:
            if self.iterations * share < EFFORT:
                return _unproven(part, chosen, labels)
            if chosen.size <= FEW:  # the last percent
                return exact(part, self.bound, labels, least=self.least, rows=chosen, nodes=1)
            most = relaxed(part, self.bound, labels, least=self.least, rows=chosen)
            return replace(_unproven(part, chosen, labels), most=most)

        briefly = self.time_limit is None and self.iterations >= EFFORT
        return self._each_group(mass, among, self.time_limit or 0.0, finish, briefly=briefly)

    def prove(self, mass: Mass, among: Groups) -> Proof:
        """A best partition, and the most utility that is proven possible."""
        seconds = PROOF if self.time_limit is None else self.time_limit

        def finish(part: FloatArray, chosen: IntArray, labels: IntArray, share: float) -> Proof:
            limit = seconds * share
            return exact(part, self.bound, labels, least=self.least, rows=chosen, time_limit=limit)

        return self._each_group(mass, among, 0.0, finish)

    def _each_group(
        self,
        mass: Mass,
        among: Groups,
        seconds: float,
        finish: Finish,
        *,
        briefly: bool = False,
    ) -> Proof:
        """Search each group's rows that may be merged for some seconds, and finish them.

        `briefly` tries with few iterations first, where the proof is likely to end in a best one.
        """
        most = -plogp(mass.sum(axis=1) / mass.sum())  # of each value alone, until proven less

        def solver(part: Mass, rows: IntArray, members: IntArray) -> IntArray:
            found, chosen = rows + rows.size, self._chosen(part, rows)
            if not chosen.size:
                return canonical(found)
            share = chosen.size / mass.shape[0]

            def solved(effort: int) -> Proof:
                labels = self._found(part, chosen, members, effort, seconds * share)
                if _provable(part, chosen) and self._safe(part, chosen, labels):
                    return finish(dense(part), chosen, labels, share)
                return _unproven(part, chosen, labels)

            proof = self._of_a_few(part, chosen)
            if proof is None and briefly and is_easy(chosen.size, part.shape[1]):
                proof = solved(BRIEF)
                proof = proof if proof.is_closed else None
            if proof is None:
                proof = solved(math.ceil(self.iterations * share))
            most[members[chosen]] = proof.most / chosen.size
            found[chosen] = proof.labels
            return canonical(found)

        labels = in_groups(mass, among, solver)
        utility = float(-plogp(block_sums(mass.sum(axis=1) / mass.sum(), labels)).sum())
        return Proof(labels, utility, float(most.sum()))

    def _of_a_few(self, part: Mass, chosen: IntArray) -> Proof | None:
        """The best of all partitions, where the chosen rows are so few that all are looked at."""
        if chosen.size > subsets.MOST or not _provable(part, chosen):
            return None
        mass = dense(part)
        gain, need = inequalities(mass, self.bound, self.least)
        p = mass.sum(axis=1) / mass.sum()
        labels = subsets.best_of_all(gain[chosen], p[chosen], need)
        proof = _unproven(mass, chosen, labels)
        return replace(proof, most=proof.utility) if self._safe(mass, chosen, labels) else proof

    def _chosen(self, mass: Mass, rows: IntArray) -> IntArray:
        """The rows that may be merged."""
        return rows[~safe_rows(mass, self.bound)[rows]] if self.high_risk_only else rows

    def _found(
        self,
        mass: Mass,
        chosen: IntArray,
        members: IntArray,
        effort: int,
        seconds: float,
    ) -> IntArray:
        """Block numbers that search finds for the chosen rows."""
        begin = None if self.start is None else canonical(self.start[members[chosen]])
        options = Options(self.least, effort, self.seed, seconds)
        return search(mass, self.bound, options, rows=chosen, start=begin)

    def _safe(self, mass: Mass, chosen: IntArray, labels: IntArray) -> bool:
        """Whether a partition of the chosen rows is safe against the whole mass."""
        blocks = block_sums(take_rows(mass, chosen), labels)
        columns, total = mass.sum(axis=0), mass.sum()

        def safe(rows: FloatArray) -> NDArray[np.bool_]:
            return self.bound.is_safe(rows * total, np.outer(rows.sum(axis=1), columns))

        return bool(by_rows(safe, blocks).all())


def _provable(mass: Mass, chosen: IntArray) -> bool:
    """Whether a proof is begun for the chosen rows: it looks at pairs of them, and at all cells."""
    return chosen.size <= MOST_PROVEN and mass.shape[0] * mass.shape[1] <= MOST_DENSE


def _unproven(mass: Mass, chosen: IntArray, labels: IntArray) -> Proof:
    """A partition of the chosen rows; that no partition keeps more than all is all there is."""
    p = mass.sum(axis=1)[chosen] / mass.sum()
    return Proof(labels, float(-plogp(block_sums(p, labels)).sum()), float(-plogp(p).sum()))
