"""Search and exact over a whole alphabet: group by group, all values or the high-risk ones only."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from loglift.bound import Bound, safe_rows
from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.measures.partition import block_sums, canonical
from loglift.merging.groups import Groups, in_groups
from loglift.merging.search import Options, search

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

    def search(self, mass: FloatArray, among: Groups) -> IntArray:
        """Block numbers of a good partition of a trusted mass (n, m)."""

        def solver(part: FloatArray, rows: IntArray, members: IntArray) -> IntArray:
            found, chosen = rows + rows.size, self._chosen(part, rows)
            share = chosen.size / mass.shape[0]
            found[chosen] = self._found(part, chosen, members, share, self.time_limit or 0.0)
            return canonical(found)

        return in_groups(mass, among, solver)

    def prove(self, mass: FloatArray, among: Groups) -> tuple[IntArray, float]:
        """Block numbers of a best partition, and the most utility that is proven possible."""
        from loglift.merging.exact import exact  # noqa: PLC0415, loads when used

        seconds = PROOF if self.time_limit is None else self.time_limit
        most = -plogp(mass.sum(axis=1) / mass.sum())  # of each value alone, until proven less

        def solver(part: FloatArray, rows: IntArray, members: IntArray) -> IntArray:
            found, chosen = rows + rows.size, self._chosen(part, rows)
            share = chosen.size / mass.shape[0]
            start = self._found(part, chosen, members, share, 0.0)
            if 0 < chosen.size <= MOST_PROVEN and self._safe(part, chosen, start):
                proof = exact(
                    part,
                    self.bound,
                    start,
                    least=self.least,
                    rows=chosen,
                    time_limit=seconds * share,
                )
                most[members[chosen]] = proof.most / chosen.size
                start = proof.labels
            found[chosen] = start
            return canonical(found)

        return in_groups(mass, among, solver), float(most.sum())

    def _chosen(self, mass: FloatArray, rows: IntArray) -> IntArray:
        """The rows that may be merged."""
        return rows[~safe_rows(mass, self.bound)[rows]] if self.high_risk_only else rows

    def _found(
        self,
        mass: FloatArray,
        chosen: IntArray,
        members: IntArray,
        share: float,
        seconds: float,
    ) -> IntArray:
        """Block numbers that search finds for the chosen rows."""
        if not chosen.size:
            return np.empty(0, dtype=np.int64)
        begin = None if self.start is None else canonical(self.start[members[chosen]])
        effort = math.ceil(self.iterations * share)
        options = Options(self.least, effort, self.seed, seconds * share)
        return search(mass, self.bound, options, rows=chosen, start=begin)

    def _safe(self, mass: FloatArray, chosen: IntArray, labels: IntArray) -> bool:
        """Whether a partition of the chosen rows is safe against the whole mass."""
        blocks = block_sums(mass[chosen], labels)
        expected = np.outer(blocks.sum(axis=1), mass.sum(axis=0))
        return bool(self.bound.is_safe(blocks * mass.sum(), expected).all())
