"""Readers of earlier releases of the same records, as a promise of `merge`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.errors import JointError, MechanismError
from loglift.joint import IntArray, Joint
from loglift.mechanism.channel import Channel
from loglift.mechanism.mechanism import Mechanism
from loglift.promise.integers import DENOMINATOR
from loglift.promise.knowledge import Kinds, Knowledge, Released, knowing, refuse_other_records


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Given:
    """Readers of earlier releases: all of them together stay within the bound.

    log p(s|y1,...,yk,y)/p(s) is within the bound for every combination that occurs.

    Parameters
    ----------
    mechanisms
        The earlier ones, partitions or channels. Each was drawn on its own.
    counts
        n(x,x1,...,xk,s): how often a public value x of the joint occurs with public values of the
        earlier mechanisms and with s. By default the earlier mechanisms have the public values of
        the joint.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[20, 10], [10, 20], [15, 15], [30, 10]], public=["a", "b", "c", "d"])
    >>> first = loglift.Mechanism.from_channel(joint, [[1, 0], [1, 0], [0, 1], [0, 1]], 0.5)
    >>> loglift.merge(joint, 0.5, promises=[loglift.Given(first)]).blocks
    (('a', 'b'), ('c', 'd'))
    """

    mechanisms: tuple[Mechanism, ...]
    counts: NDArray[Any] | None

    def __init__(self, *mechanisms: Mechanism, counts: ArrayLike | None = None) -> None:
        if not mechanisms or not all(isinstance(each, Mechanism) for each in mechanisms):
            raise MechanismError("Given takes one or several mechanisms: Given(merge(joint, eps))")
        array = None if counts is None else np.asarray(counts)
        if array is not None and array.ndim != len(mechanisms) + 2:
            raise JointError(
                "the counts of Given must have an axis for the public values of the joint, one for "
                f"those of each earlier mechanism, and one for s; got shape {array.shape}"
            )
        self.__dict__.update(mechanisms=tuple(mechanisms), counts=array)

    def on(self, joint: Joint) -> Knowledge:
        """Return what such readers know, counted against the values of a joint."""
        n, m = joint.mass.shape
        if self.counts is None:
            for each in self.mechanisms:
                if each.public != joint.public:
                    raise MechanismError(
                        "the earlier mechanism has other public values than the joint: give "
                        "counts=, how often they occur together"
                    )
            kinds, places = Kinds(joint.mass, np.arange(n)), [np.arange(n)] * len(self.mechanisms)
        else:
            shape = (n, *(len(each.public) for each in self.mechanisms), m)
            if self.counts.shape != shape:
                raise JointError(
                    f"the counts of Given have shape {self.counts.shape}: the joint and the "
                    f"earlier mechanisms need {shape}"
                )
            refuse_other_records(self.counts.reshape(n, -1, m).sum(axis=1), joint, "Given")
            rows = self.counts.reshape(-1, m)
            occurs = np.flatnonzero(rows.any(axis=1))
            first, *places = np.unravel_index(occurs, self.counts.shape[:-1])
            kinds = Kinds(rows[occurs], first)
        outcomes = [
            outcomes_of(each, place) for each, place in zip(self.mechanisms, places, strict=True)
        ]
        return knowing(readers_of(len(self.mechanisms)), kinds, outcomes=outcomes)


def outcomes_of(mechanism: Mechanism, rows: IntArray) -> Released:
    """Return what an earlier mechanism made of kinds of records, given by its row for each.

    The row -1 is for records that were not in that release. Readers can tell, so these are one more
    released value.
    """
    missing = rows < 0
    if mechanism.labels is not None:
        labels = np.append(mechanism.labels, mechanism.size)
        return Released(labels[np.where(missing, labels.size - 1, rows)])
    exact = mechanism.exact_channel
    numerators = exact.cells() if exact is not None else Channel.rounded(mechanism.channel)
    known = np.where(missing, 0, rows)
    place, values, found = Released.of_channel(numerators).of_rows(known)
    shares = np.asarray(found)
    shown = ~missing[place]
    left = np.flatnonzero(missing)
    return Released(
        np.append(values[shown], np.full(left.size, numerators.shape[1])),
        rows=np.append(place[shown], left),
        numerators=np.append(shares[shown], np.full(left.size, DENOMINATOR)),
    )


def readers_of(releases: int) -> str:
    """Return who reads earlier releases, in words."""
    return "readers of the earlier release" + ("" if releases == 1 else "s")
