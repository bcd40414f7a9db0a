"""What the rows and columns of a joint stand for: variables, columns of a table, weights."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.cuts import Cut
from loglift.errors import JointError
from loglift.sparse import Mass
from loglift.values import ORDERED_TYPES, is_missing


@dataclass(frozen=True)
class Variable:
    """A sensitive variable: its values are the columns `start` to `stop` - 1 of a joint's mass."""

    name: Hashable
    start: int
    stop: int

    @property
    def place(self) -> slice:
        """Its columns of the mass."""
        return slice(self.start, self.stop)


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """A column of the table that a joint was counted from.

    Attributes
    ----------
    name
        Its name.
    type
        The name of the type of its values (`loglift.values`); a column cut into bands is text.
    bin
        How it was cut into bands, and which of its values count as NULL, if any.
    values
        Its distinct values, in the order in which names list them.
    codes
        Which of them each public (or joint sensitive) value has.
    ranks
        The place of each value in the order of its categories, for ordered categories; else empty.
    mixed
        Whether some of its values are several that count as one: these have no place in an order.
    nodes
        For each level of its taxonomy, from fine to coarse, the name of the node that each of its
        values belongs to.

    """

    name: str
    type: str
    bin: Cut | None
    values: tuple[Any, ...]
    codes: NDArray[np.signedinteger[Any]]
    ranks: tuple[int, ...] = ()
    mixed: bool = False
    nodes: tuple[tuple[str, ...], ...] = ()

    @property
    def banded(self) -> bool:
        """Whether its values are names of bands."""
        return self.bin is not None and self.bin.bands

    @property
    def is_ordered(self) -> bool:
        """Whether its values have an order: numbers, dates, times, bands, ordered categories."""
        ordered = self.type in ORDERED_TYPES or self.banded or bool(self.ranks)
        return ordered and not self.mixed

    @property
    def order(self) -> NDArray[np.intp] | None:
        """The numbers of its values in their order; None where some have no place, as NULL."""
        if not self.is_ordered or any(map(is_missing, self.values)):
            return None
        return np.argsort(self.ranks) if self.ranks else np.arange(len(self.values))


@dataclass(frozen=True, eq=False, repr=False)
class Survey:
    """Survey weights: how the records of a weighted joint make up its mass.

    Attributes
    ----------
    column
        The column with the weights.
    counts
        The number of records in each cell of the mass.
    unit
        The mass is sums of weights as whole numbers of this unit, so that they are exact.

    """

    column: str
    counts: Mass
    unit: Fraction


def runs_of(names: Sequence[Hashable]) -> tuple[Variable, ...]:
    """Return the variables, given the name of the one that each column belongs to."""
    variables: list[Variable] = []
    for j, name in enumerate(names):
        if variables and (variables[-1].name is name or variables[-1].name == name):
            variables[-1] = replace(variables[-1], stop=j + 1)
        elif any(variable.name == name for variable in variables):
            raise JointError(
                f"the columns of the variable {name!r} stand apart: put them side by side"
            )
        else:
            variables.append(Variable(name, j, j + 1))
    return tuple(variables)
