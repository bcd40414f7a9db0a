"""How long a solver may work: so many linear programs, or until a deadline."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

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
