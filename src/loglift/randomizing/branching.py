"""The least w H(q) - price.q over Q, by branch and bound on the largest entries, on all cores.

Nodes are explored in rounds (`_branching_kernels`). In a round the open nodes are dealt to parts by
their bounds, so that the parts are alike, and each part explores its own, best node first. The
parts are the same on any number of cores, and so is the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loglift._compute.threads import spread
from loglift.joint import FloatArray

if TYPE_CHECKING:
    from loglift.randomizing._branching_kernels import Explored
    from loglift.randomizing._simplex_kernels import Space

PARTS = 8  # of the open nodes, in a round
MIN_DEALT = 64  # open nodes: fewer are one part
MIN_ROUND_PROGRAMS = 200  # of a part
NODES_PER_PROGRAM = 4  # open ones of a part, where it has so many: rounds are for some of them
MIN_ROOM = 32  # nodes for each value, beside two for each program


class Proof(NamedTuple):
    """A proven lower bound; the least value met, zero or less; points met that help (r, n).

    `programs` is the number of linear programs that were solved.
    """

    least: float
    met: float
    points: FloatArray
    programs: int


def branch(
    space: Space,
    largest: FloatArray,
    price: FloatArray,
    w: float,
    enough: float,
    programs: int,
    *,
    welcome: float = -np.inf,
) -> Proof:
    """Bound w H(q) - price.q from below over a space.

    `largest` are upper bounds on the entries. Ends when the bound is `enough` (at most zero) or the
    least value met, or after so many linear programs; and sooner, where a value of `welcome` or
    less is met.
    """
    nodes = _Nodes(space, largest, programs)
    while nodes.least_open < min(enough, nodes.beaten) and nodes.programs < programs:
        if nodes.met <= welcome:
            break
        nodes.explore(space, largest, price, w, enough, programs - nodes.programs)
    points = np.concatenate([np.empty((0, price.size)), *nodes.points])[: nodes.max_points]
    least = min(enough, nodes.beaten, nodes.least_open, nodes.cut)
    return Proof(least, nodes.met, points, nodes.programs)


class _Nodes:
    """The nodes of a proof: those that are open, with their bounds, and what was met so far."""

    def __init__(self, space: Space, largest: FloatArray, programs: int) -> None:
        from loglift.randomizing import _branching_kernels as loops  # noqa: PLC0415, numba

        k, n = space.rows.shape
        size = 2 * programs + MIN_ROOM * n
        self._nodes = loops.Nodes(
            depth=np.zeros(size, np.int32),
            named=np.empty((size, loops.MAX_NAMED), np.int32),
            low=np.empty((size, loops.MAX_NAMED)),
            high=np.empty((size, loops.MAX_NAMED)),
            cap=np.empty(size),
            basis=np.empty((size, k), np.int32),
            free=np.arange(0),
            left=np.zeros(1, np.int64),
        )
        self._nodes.cap[0], self._nodes.basis[0] = largest.max(), np.arange(n, n + k)
        self._bounds, self._open = np.array([-np.inf]), np.array([0])
        self._free, self._used = np.arange(0), 1  # numbers that are free again, and all ever used
        self.met, self.cut = 0.0, np.inf  # the least bound of what had to be left out
        self.programs, self.points = 0, list[FloatArray]()
        self.max_points, self._min_gap = loops.MAX_POINTS, loops.MIN_GAP

    @property
    def least_open(self) -> float:
        """The least bound of an open node; infinite without any."""
        return float(self._bounds.min(initial=np.inf))

    @property
    def beaten(self) -> float:
        """A bound that is as good as the least value met: what it bounds is not looked at."""
        return self.met - self._min_gap

    def explore(
        self,
        space: Space,
        largest: FloatArray,
        price: FloatArray,
        w: float,
        enough: float,
        programs: int,
    ) -> None:
        """Explore the open nodes for a round, of at most so many programs."""
        from loglift.randomizing._branching_kernels import explore  # noqa: PLC0415, numba

        parts = PARTS if self._open.size >= MIN_DEALT and programs >= PARTS else 1
        most = min(
            max(MIN_ROUND_PROGRAMS, self._open.size // (NODES_PER_PROGRAM * parts)),
            programs // parts,
        )
        free, order = self._numbers(parts * most * price.size), np.argsort(self._bounds)

        def explored(part: int) -> Explored:
            mine, numbers = order[part::parts], free[part::parts]
            room = np.concatenate([numbers, np.empty_like(mine)])
            nodes = self._nodes._replace(free=room, left=np.array([numbers.size]))
            bounds, opened = self._bounds[mine], self._open[mine]
            return explore(space, largest, price, w, enough, self.met, nodes, bounds, opened, most)

        found = spread(explored, range(parts))
        self._bounds = np.concatenate([each.bounds for each in found])
        self._open = np.concatenate([each.opened for each in found])
        self._free = np.concatenate([each.free for each in found])
        self.cut = min(self.cut, *(each.cut for each in found))
        self.met = min(each.met for each in found)
        self.programs += sum(each.programs for each in found)
        self.points += [each.points for each in found]

    def _numbers(self, wanted: int) -> NDArray[np.int64]:
        """Return numbers for new nodes: those that are free again, and as many as are wanted."""
        more = max(0, min(wanted - self._free.size, self._nodes.cap.size - self._used))
        self._used += more
        return np.concatenate([np.arange(self._used - more, self._used), self._free])
