"""What the choosing records propose to release: a partition, or a channel p(y|x).

Both tell how many records each released value is expected to have, keep less when released values
are merged, and show the certifying records as readers will see them. A channel draws what they
show: one released value for each record, from p(y|x). Then the pairs (s, y) of these records are
independent draws from p(s,y) of the population, as those of a partition are, and the same limits
hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from loglift.confidence.split import extended, largest_block
from loglift.confidence.variables import Counts
from loglift.joint import FloatArray, IntArray, Joint
from loglift.measures.entropy import entropy, mutual_information
from loglift.measures.partition import canonical
from loglift.mechanism.channel import Channel
from loglift.promise.integers import DENOMINATOR
from loglift.randomizing.rational import released_counts
from loglift.sparse import block_sums, dense


class Proposal(Protocol):
    """A partition or a channel of some public values."""

    @property
    def size(self) -> int:
        """The number of released values."""

    def expected(self, counts: Counts) -> list[IntArray]:
        """Return n(s,y) of records, for each sensitive variable; expected numbers are rounded."""

    def merged(self, labels: IntArray) -> Proposal:
        """Return the proposal in which released values with the same number are one."""

    def utility(self, weight: NDArray[Any]) -> float:
        """Return I(X;Y), nats; `weight` is n(x)."""

    def shares(self, weight: NDArray[np.int64]) -> FloatArray | None:
        """Return p(x,y) of a channel, one row for each y; None for a partition."""

    def home(self, weight: NDArray[np.int64]) -> int:
        """Return the released value with most records; ties: the one with the least number."""

    def extended(self, weight: NDArray[np.int64], *, runs: bool) -> Proposal:
        """Extend it from the public values with choosing records to all public values.

        `weight` is n(x) of the choosing records. A value without any goes to the released value
        that has most of them. So the proposal is defined for every value before the certifying
        records are seen. `runs`: see `split.extended`.
        """

    def shown(self, joint: Joint, seed: int) -> Joint:
        """Return the counts of released values in records; a channel draws them by the seed."""

    @property
    def denominator(self) -> int:
        """What `in_whole_numbers` multiplies counts by: one for a partition."""

    def in_whole_numbers(self, counts: NDArray[np.int64]) -> NDArray[Any]:
        """Return n(s,y) times the denominator, exactly."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """A partition, as canonical block numbers."""

    labels: IntArray

    @property
    def size(self) -> int:
        """The number of blocks."""
        return int(self.labels.max()) + 1

    def expected(self, counts: Counts) -> list[IntArray]:
        """Return n(s,B)."""
        return [block_sums(n, self.labels) for n in counts]

    def merged(self, labels: IntArray) -> Blocks:
        """Return the partition in which blocks with the same number are one."""
        return Blocks(canonical(labels[self.labels]))

    def utility(self, weight: NDArray[Any]) -> float:
        """Return I(X;Y) = H(Y), nats."""
        return entropy(block_sums(weight, self.labels))

    def shares(self, weight: NDArray[np.int64]) -> None:
        """Return nothing: blocks have no public value in common."""

    def home(self, weight: NDArray[np.int64]) -> int:
        """Return the block with most records."""
        return largest_block(self.labels, weight)

    def extended(self, weight: NDArray[np.int64], *, runs: bool) -> Blocks:
        """Extend it to values without choosing records: the largest block, or the one before."""
        return Blocks(extended(self.labels, weight, runs=runs))

    def shown(self, joint: Joint, seed: int) -> Joint:  # noqa: ARG002, nothing is drawn
        """Return the counts of the blocks."""
        return joint.merged(self.labels, self.size)

    @property
    def denominator(self) -> int:
        """One."""
        return 1

    def in_whole_numbers(self, counts: NDArray[np.int64]) -> NDArray[Any]:
        """Return n(s,B)."""
        return block_sums(counts, self.labels)


@dataclass(frozen=True, eq=False)
class Draws:
    """A channel, as 2^52 p(y|x) in whole numbers, shape (x, y); every y can be drawn."""

    numerators: IntArray

    @classmethod
    def of(cls, channel: FloatArray) -> Draws:
        """Round p(y|x); released values that rounding leaves without probability are left out."""
        whole = Channel.rounded(channel)
        return cls(np.ascontiguousarray(whole[:, whole.any(axis=0)]))

    @property
    def size(self) -> int:
        """The number of released values."""
        return int(self.numerators.shape[1])

    @property
    def channel(self) -> FloatArray:
        """p(y|x)."""
        found: FloatArray = self.numerators / DENOMINATOR
        return found

    def expected(self, counts: Counts) -> list[IntArray]:
        """Return the expected n(s,y), rounded."""
        return [np.rint(self.channel.T @ n).astype(np.int64) for n in counts]

    def merged(self, labels: IntArray) -> Draws:
        """Return the channel in which released values with the same number are one."""
        return Draws(block_sums(self.numerators.T, labels).T)

    def utility(self, weight: NDArray[Any]) -> float:
        """Return I(X;Y), nats."""
        return mutual_information(weight / weight.sum(), self.channel)

    def shares(self, weight: NDArray[np.int64]) -> FloatArray:
        """Return p(x,y)."""
        found: FloatArray = self.channel.T * (weight / weight.sum())
        return found

    def home(self, weight: NDArray[np.int64]) -> int:
        """Return the released value that most records are expected to draw."""
        return int((weight @ self.channel).argmax())

    def extended(self, weight: NDArray[np.int64], *, runs: bool) -> Draws:  # noqa: ARG002, no runs
        """Extend it to values without choosing records: they are always released as the same."""
        seen = weight > 0
        found = np.zeros((weight.size, self.size), dtype=np.int64)
        found[seen] = self.numerators
        found[~seen, self.home(weight[seen])] = DENOMINATOR
        return Draws(found)

    def shown(self, joint: Joint, seed: int) -> Joint:
        """Draw a released value for each record, and count them.

        The records of a cell (s, x) are interchangeable: how many of them show each y is one draw
        from the multinomial law. O(cells y).
        """
        random, mass = np.random.default_rng(seed), dense(joint.mass)
        found = np.zeros((self.size, mass.shape[1]), dtype=np.int64)
        for row, counts in zip(self.numerators, mass, strict=True):
            support = np.flatnonzero(row)
            found[support] += random.multinomial(counts, row[support] / DENOMINATOR).T
        return Joint.trusted(
            found,
            tuple(range(self.size)),
            joint.sensitive,
            joint.variables,
            sensitive_columns=joint.sensitive_columns,
        )

    @property
    def denominator(self) -> int:
        """2^52."""
        return int(DENOMINATOR)

    def in_whole_numbers(self, counts: NDArray[np.int64]) -> NDArray[Any]:
        """Return the expected n(s,y) times 2^52, as Python integers."""
        return released_counts(self.numerators, counts)
