"""The interface of a promise: inequalities on a block that add up over its members.

Each public value x has a vector of gains g(x), one number per inequality. A block B is safe iff

    sum over x in B of g(x)  >=  0    in every coordinate.

Unions of safe blocks are safe, and no logarithm is needed. `LiftPromise` is the bound on log-lift,
`ContextPromise` the bound for readers who know more, and `Together` both. `WithConditions` has the
bound and conditions that are not linear. A solver that works on gains takes them all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.promise.conditions import Conditions, no_conditions


class OnlyInequalities(ABC):
    """A promise whose gains must add up to at least zero, and nothing else."""

    @property
    @abstractmethod
    def inequalities(self) -> int:
        """The number k of inequalities."""

    @property
    def need(self) -> FloatArray:
        """Zero for every inequality."""
        return np.zeros(self.inequalities)

    def conditions(self, *, tolerant: bool = False) -> Conditions:  # noqa: ARG002, none to relax
        """Return no conditions."""
        return no_conditions(self.inequalities)


class Inequalities(Protocol):
    """k inequalities that add up over the members of a block of n public values.

    There can be many values, so gains are computed for some of them at a time.
    """

    def gains(self, rows: Any, *, tolerant: bool = False) -> FloatArray:
        """Return the gains (rows, k) of some values, given by numbers or as a slice.

        With `tolerant`, an inequality that is violated by the rounding of sums counts as met.
        """


class Promise(Inequalities, Protocol):
    """What every block of n public values must meet."""

    @property
    def inequalities(self) -> int:
        """The number k of inequalities."""

    @property
    def need(self) -> FloatArray:
        """What the gains of a block must add up to at least, (k,): zero for most inequalities."""

    @property
    def scale(self) -> FloatArray:
        """Factors (k,) that make the shortfalls of different inequalities comparable."""

    def conditions(self, *, tolerant: bool = False) -> Conditions:
        """Return what gains must meet beside the inequalities: nothing, for most promises.

        If two blocks meet the conditions, their union does.
        """

    def columns(self, *, tolerant: bool = False) -> Iterator[FloatArray]:
        """Yield the gains (n,) of all values, one inequality at a time; see `gains`."""

    def safe(self) -> NDArray[np.bool_]:
        """Return which values are safe as a block of their own, with the tolerance; (n,)."""

    def safe_drawn(self, channel: FloatArray) -> NDArray[np.bool_]:
        """Return which values y of a channel p(y|x), shape (n, y), are safe, with the tolerance.

        The gains of y are the sum over x of p(y|x) g(x). For a promise of a whole table only.
        """

    def shortfalls(self) -> FloatArray:
        """Return the total that the gains of each value lack on its own, on their scales; (n,)."""

    def most_blocks(self, groups: IntArray | None = None) -> FloatArray:
        """Return an upper bound on the number of safe blocks in each group of values.

        `groups` numbers the group of each value; without it all values are one group.
        """

    def together(self) -> IntArray:
        """Return a number for each value, (n,): equal ones share a block in every safe partition.

        It may miss some; asked again of the merged blocks (`blocks`), it may find more.
        """

    def fingerprint(self, rows: IntArray) -> FloatArray:
        """Return an array with one row per value; values with equal rows are interchangeable."""

    def only(self, rows: IntArray) -> Promise:
        """Return the promise for some of the values, against the same table."""

    def blocks(self, labels: IntArray) -> Promise:
        """Return the promise for the blocks of a partition in place of the values."""

    def with_rest(self, rows: IntArray) -> Promise:
        """Return the promise for some of the values and, last, all others as one value."""
