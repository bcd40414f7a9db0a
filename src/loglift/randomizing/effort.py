"""How long a solver may work: so many linear programs, or until a deadline; how tasks share it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from threading import Lock

_FIRST_PROGRAMS = 1000  # of a proof whose speed is not known yet


@dataclass
class Effort:
    """The programs that proofs may still solve, and the deadline (infinite for none).

    With a deadline the number of programs follows from the time that is left.
    """

    programs: int
    deadline: float = math.inf
    _speed: float = field(default=0.0, init=False)  # programs a second

    @property
    def left(self) -> float:
        """The seconds that are left; infinite without a deadline."""
        return self.deadline - time.monotonic()

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0 or (math.isinf(self.deadline) and self.programs <= 0)

    @property
    def affordable(self) -> int:
        """How many programs a proof may solve now; at least one."""
        if math.isinf(self.deadline):
            return max(1, self.programs)
        known = self.left * self._speed if self._speed else _FIRST_PROGRAMS
        return max(1, int(known))

    def spend(self, programs: int, seconds: float) -> None:
        """Take account of a proof."""
        self.programs -= programs
        self._speed = programs / max(seconds, 1e-3)


class SharedSeconds:
    """The seconds that tasks of some public values each share; None for no limit.

    A task that begins gets, of the seconds that are left, its share of the values of all tasks that
    have not begun, once for each of the `workers` that work at a time. Threads may share.
    """

    def __init__(self, limit: float | None, values: int, workers: int = 1) -> None:
        self._deadline = None if limit is None else time.monotonic() + limit
        self._waiting, self._workers, self._lock = values, workers, Lock()

    def share(self, values: int) -> float | None:
        """Return the seconds of the next task, which has some of the values; at least zero."""
        with self._lock:
            waiting = self._waiting
            self._waiting -= values
        if self._deadline is None:
            return None
        left = max(0.0, self._deadline - time.monotonic())
        return left * min(1.0, self._workers * values / waiting)
