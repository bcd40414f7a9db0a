"""Mechanisms: p(y|x), what it gives away and what it keeps.

A `Mechanism` is the result of `merge`, `watchdog` and `randomize`. It is either a partition (each
public value is released as its block) or a channel (a released value is drawn from p(y|x)).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import JointError, MechanismError
from loglift.joint import FloatArray, IntArray, Joint, as_channel, as_joint, frozen
from loglift.measures.entropy import entropy, mutual_information, nmil
from loglift.measures.lift import omega
from loglift.promise.bound import Bound, safe_rows
from loglift.sparse import block_sums

MOST_CELLS = 2**27  # of a dense channel: 1 GiB


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Mechanism:
    """p(y|x) for one alphabet of public values, with its leakage and utility on one joint.

    Attributes
    ----------
    public
        The public values, in the joint's row order.
    labels
        The block number of each public value, for a partition; None for a channel.
    bound
        The bound it was made for.
    method
        How it was chosen.
    leakage
        max over y of omega(y), nats; infinite when a released value rules a sensitive one out.
    safe
        Whether every released value is inside the bound.
    utility
        I(X;Y), nats.
    nmil
        1 - I(X;Y)/H(X): the share of information lost.
    upper_bound
        The most utility that is proven possible, nats, for the releases `upper_bound_scope` names.
    upper_bound_scope
        Over which releases it is proven, in words that complete "no ... can keep more": with
        `min_count`, `groups`, over="high-risk" or "ordered" a release without the restriction may
        keep more.

    """

    public: tuple[Hashable, ...]
    labels: IntArray | None
    _channel: FloatArray | None
    bound: Bound
    method: str
    leakage: float
    safe: bool
    utility: float
    nmil: float
    upper_bound: float
    upper_bound_scope: str

    def __repr__(self) -> str:
        state = "safe" if self.safe else "NOT SAFE"
        return (
            f"Mechanism({self.method}: {len(self.public)} public values, {state}, "
            f"leakage {self.leakage:.4g}, utility {self.utility:.4g} nats, NMIL {self.nmil:.4g})"
        )

    @property
    def optimal(self) -> bool:
        """Whether no release that `upper_bound_scope` names keeps more, to one part in 10^9.

        A difference of 10^-12 nats is rounding.
        """
        return self.safe and self.utility >= self.upper_bound * (1 - 1e-9) - 1e-12

    @cached_property
    def channel(self) -> FloatArray:
        """p(y|x), one row per public value; for a partition, one column per block."""
        if self._channel is not None:
            return self._channel
        blocks = int(self._partition.max()) + 1
        refuse_dense(len(self.public), blocks)
        return frozen(np.eye(blocks)[self._partition])

    @cached_property
    def blocks(self) -> tuple[tuple[Hashable, ...], ...]:
        """The public values of each block, for a partition."""
        members: list[list[Hashable]] = [[] for _ in range(int(self._partition.max()) + 1)]
        for value, block in zip(self.public, self._partition, strict=True):
            members[block].append(value)
        return tuple(tuple(block) for block in members)

    def release(self, joint: Joint | ArrayLike) -> Joint:
        """Return the joint of released and sensitive values, with one row per released value y.

        Rows are numbered like the columns of `channel`; those that are never released are left
        out. Counts stay counts under a partition.
        """
        given = as_joint(joint)
        labelled = isinstance(joint, Joint)
        if given.mass.shape[0] != len(self.public) or (labelled and given.public != self.public):
            raise MechanismError(
                f"the joint has other public values ({given.mass.shape[0]}) than the mechanism "
                f"({len(self.public)}): use the joint it was made for, rows in the same order"
            )
        return released(given, self.labels, self._channel)

    @property
    def _partition(self) -> IntArray:
        if self.labels is None:
            raise MechanismError("this mechanism is a randomized channel, it has no blocks")
        return self.labels


def refuse_dense(rows: int, columns: int) -> None:
    """Raise `MechanismError` when a channel would not fit into memory."""
    if rows * columns > MOST_CELLS:
        raise MechanismError(
            f"p(y|x) would have {rows} x {columns} entries, too many to hold: use labels or blocks"
        )


def released(joint: Joint, labels: IntArray | None, channel: FloatArray | None) -> Joint:
    """p(s,y), or its counts, of a partition or a channel; y never released are left out."""
    if labels is not None:
        mass = block_sums(joint.mass, labels)
    elif channel is not None:
        mass = channel.T @ joint.probabilities
    else:
        raise MechanismError("a mechanism needs block numbers or a channel")
    return Joint(mass, sensitive=joint.sensitive, empty_public="drop")


def partition_mechanism(
    joint: Joint, labels: IntArray, bound: Bound, *, method: str, upper_bound: float, scope: str
) -> Mechanism:
    """Measure a partition, given as canonical block numbers, on the joint it was chosen for."""
    utility = entropy(block_sums(joint.p_public, labels))
    return _measured(joint, frozen(labels), None, bound, method, utility, upper_bound, scope)


def channel_mechanism(
    joint: Joint, channel: ArrayLike, bound: Bound, *, method: str, upper_bound: float, scope: str
) -> Mechanism:
    """Measure a channel p(y|x) on the joint it was chosen for."""
    rows = as_channel(channel, inputs=joint.mass.shape[0])
    utility = mutual_information(joint.p_public, rows)
    return _measured(joint, None, frozen(rows), bound, method, utility, upper_bound, scope)


def _measured(
    joint: Joint,
    labels: IntArray | None,
    channel: FloatArray | None,
    bound: Bound,
    method: str,
    utility: float,
    upper_bound: float,
    scope: str,
) -> Mechanism:
    try:
        shown = released(joint, labels, channel)
    except JointError as error:
        raise MechanismError(f"what this channel would release is no joint: {error}") from None
    safe = bool(safe_rows(shown.scaled, bound).all())
    return Mechanism(
        public=joint.public,
        labels=labels,
        _channel=channel,
        bound=bound,
        method=method,
        leakage=float(omega(shown).max()),
        safe=safe,
        utility=utility,
        nmil=nmil(utility, entropy(joint.p_public)),
        upper_bound=upper_bound,
        upper_bound_scope=scope,
    )
