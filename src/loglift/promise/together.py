"""Several promises at once: the bound for readers of the release, and for readers who know more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.promise.in_context import ContextPromise
from loglift.promise.lift import LiftPromise
from loglift.promise.promise import Inequalities, OnlyInequalities, Promise
from loglift.promise.with_conditions import WithConditions
from loglift.sparse import components


@dataclass(frozen=True, eq=False)
class Together(OnlyInequalities):
    """The bound on log-lift, and the same for readers who know more.

    `plain` is about readers of the release alone, and each of `knowing` about some other readers.
    """

    plain: LiftPromise
    knowing: tuple[ContextPromise, ...]

    @property
    def parts(self) -> tuple[LiftPromise | ContextPromise, ...]:
        """All promises; a block must meet each of them."""
        return (self.plain, *self.knowing)

    @property
    def cells(self) -> int:
        """The number of cells of all parts."""
        return sum(part.cells for part in self.parts)

    @property
    def inequalities(self) -> int:
        """The number of inequalities of all parts."""
        return sum(part.inequalities for part in self.parts)

    @property
    def scale(self) -> FloatArray:
        """The factors of all parts."""
        return np.concatenate([part.scale for part in self.parts])

    def gains(self, rows: Any, *, tolerant: bool = False) -> FloatArray:
        """Return the gains of all parts, side by side."""
        return np.hstack([part.gains(rows, tolerant=tolerant) for part in self.parts])

    def columns(self, *, tolerant: bool = False) -> Iterator[FloatArray]:
        """Yield the gains of all parts, one inequality at a time."""
        for part in self.parts:
            yield from part.columns(tolerant=tolerant)

    def safe(self) -> NDArray[np.bool_]:
        """Return which values all parts call safe."""
        return np.asarray(np.all([part.safe() for part in self.parts], axis=0))

    def safe_drawn(self, channel: FloatArray) -> NDArray[np.bool_]:
        """Return which values of a channel all parts call safe."""
        return np.asarray(np.all([part.safe_drawn(channel) for part in self.parts], axis=0))

    def shortfalls(self) -> FloatArray:
        """Return what each value lacks in all parts together."""
        return np.asarray(np.sum([part.shortfalls() for part in self.parts], axis=0))

    def needs(self) -> tuple[FloatArray, IntArray]:
        """Return what each value lacks in all parts, and the context that it lacks most in.

        Contexts are numbered through: 0 is that of readers who know nothing else, which every value
        has; those of the other parts follow.
        """
        total = self.plain.shortfalls()
        most, neediest, shift = total.copy(), np.zeros(total.size, dtype=np.int64), 1
        for part in self.knowing:
            short, context = part.needs()
            total, more = total + short, short > most
            most[more], neediest[more] = short[more], context[more] + shift
            shift += part.weights.width
        return total, neediest

    def holders_of_contexts(self) -> tuple[IntArray, IntArray]:
        """Return pairs of a value and a context that it has, as `needs` numbers it, by context."""
        size = self.plain.weight.size
        rows, contexts, shift = [np.arange(size)], [np.zeros(size, dtype=np.int64)], 1
        for part in self.knowing:
            cells = part.weights
            rows.append(cells.rows)
            contexts.append(cells.columns + shift)
            shift += cells.width
        values, of = np.concatenate(rows), np.concatenate(contexts)
        order = np.argsort(of, kind="stable")
        return values[order], of[order]

    def most_blocks(self, groups: IntArray | None = None) -> FloatArray:
        """Return the least of the upper bounds of the parts."""
        return np.asarray(np.min([part.most_blocks(groups) for part in self.parts], axis=0))

    def together(self) -> IntArray:
        """Return which values the parts keep in one block, in one step or in several."""
        found = [part.together() for part in self.parts]
        rows = np.tile(np.arange(found[0].size), len(found))
        shift = np.cumsum([0, *(int(labels.max()) + 1 for labels in found)])
        groups = np.concatenate([one + shift[i] for i, one in enumerate(found)])
        return components(rows, groups, found[0].size)

    def fingerprint(self, rows: IntArray) -> FloatArray:
        """Return the fingerprints of all parts, side by side."""
        return np.hstack([part.fingerprint(rows) for part in self.parts])

    def only(self, rows: IntArray) -> Together:
        """Return the promises for some of the values."""
        return Together(self.plain.only(rows), tuple(part.only(rows) for part in self.knowing))

    def blocks(self, labels: IntArray) -> Together:
        """Return the promises for the blocks of a partition."""
        return Together(
            self.plain.blocks(labels), tuple(part.blocks(labels) for part in self.knowing)
        )

    def with_rest(self, rows: IntArray) -> Together:
        """Return the promises for some of the values and, last, all others as one value."""
        return Together(
            self.plain.with_rest(rows), tuple(part.with_rest(rows) for part in self.knowing)
        )


def parted(promise: Promise) -> tuple[LiftPromise, tuple[Inequalities, ...]]:
    """Return the bound on log-lift that is in a promise, and its other inequalities."""
    if isinstance(promise, Together):
        return promise.plain, promise.knowing
    if isinstance(promise, WithConditions):
        return promise.lift, (promise.written_out(),)
    if not isinstance(promise, LiftPromise):
        raise TypeError(f"a promise has the bound on log-lift, got {promise!r}")
    return promise, ()
