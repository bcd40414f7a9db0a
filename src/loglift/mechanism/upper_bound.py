"""The most utility that is proven possible, worked out when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

# A proven number, or the function that works it out.
Proven: TypeAlias = float | Callable[[], float]


class UpperBound:
    """A proven upper bound on the utility, and for which releases it is proven.

    A proof costs more than a merge of a small joint, so it is made by the first look at `value`,
    once. Two bounds are equal if value and scope are. A pickled one is worked out.

    Parameters
    ----------
    value
        The number, or the function that works it out.
    scope
        The releases that it is proven for, in words that complete "no ... can keep more".

    """

    def __init__(self, value: Proven, scope: str) -> None:
        self._value = value
        self.scope = scope

    @property
    def value(self) -> float:
        """The most utility that is proven possible."""
        if callable(self._value):
            self._value = self._value()  # forgets the problem that it was worked out from
        return self._value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UpperBound):
            return NotImplemented
        return (self.value, self.scope) == (other.value, other.scope)

    def __hash__(self) -> int:
        return hash((self.value, self.scope))

    def __repr__(self) -> str:
        shown = "not asked for yet" if callable(self._value) else repr(self._value)
        return f"UpperBound({shown}, {self.scope!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (UpperBound, (self.value, self.scope))
