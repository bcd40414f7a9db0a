"""The bound of one sensitive value, and where a joint has that value."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from loglift.joint import Joint


@dataclass(frozen=True)
class ValueBound:
    """The bound of one sensitive value, in place of the bound of the others.

    Both sides may be infinite: the value is not bounded then. `column` is the sensitive column or
    variable that it is a value of; None where there is only one.

    Attributes
    ----------
    value
        The sensitive value.
    lower, upper
        How far its log-lift may fall and rise, nats; both may be infinite.
    column
        The sensitive column or variable that it is a value of; None where there is only one.

    Examples
    --------
    >>> import loglift
    >>> loglift.Bound.symmetric(1).with_values({"HIV": 0.3}).values[0].upper
    0.3
    """

    value: Any
    lower: float
    upper: float
    column: Hashable | None = None

    def columns(self, joint: Joint) -> list[int]:
        """Return the columns of the joint's mass that have this value."""
        return [s for s in range(len(joint.sensitive)) if self._is(joint, s)]

    def _is(self, joint: Joint, s: int) -> bool:
        event, name = joint.event(s), self.column
        if isinstance(event, dict):
            if name is None:
                shown = next(iter(event.values())) if len(event) == 1 else tuple(event.values())
                return same_value(shown, self.value)
            return name in event and same_value(event[name], self.value)
        variable = next(v.name for v in joint.variables if s < v.stop)
        return name in (None, variable) and same_value(event, self.value)


def same_value(one: Any, other: Any) -> bool:
    """Whether two sensitive values are the same; NaN is, and a truth value is not a number."""
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
