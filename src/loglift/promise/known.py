"""Readers who know a variable of every record beside the release, as a promise of `merge`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.errors import JointError
from loglift.joint import Joint
from loglift.promise.knowledge import Kinds, Knowledge, knowing, refuse_other_records


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Known:
    """Readers who know K: log p(s|y,k)/p(s|k) is within the bound for every k, s and y.

    Parameters
    ----------
    counts
        n(x,k,s), or probabilities, shape (public values, values of K, sensitive values); over K
        they add up to the mass of the joint.
    labels
        The values of K; 0, 1, 2, ... by default.
    name
        What K is, for messages.

    Notes
    -----
    A value s that never occurs with k asks for nothing there, nor does a k that never occurs
    with y. What K tells on its own, p(s|k)/p(s), is not bounded: such a reader knows it before.

    Examples
    --------
    >>> import loglift
    >>> counts = [[[40, 60], [10, 90]], [[10, 90], [40, 60]], [[25, 75], [25, 75]]]  # n(x,k,s)
    >>> joint = loglift.Joint([[50, 150]] * 3, public=["miner", "farmer", "clerk"])
    >>> loglift.merge(joint, 0.5, promises=[loglift.Known(counts, name="region")]).blocks
    (('miner', 'farmer'), ('clerk',))
    """

    counts: NDArray[Any]
    labels: tuple[Hashable, ...]
    name: str

    def __init__(
        self, counts: ArrayLike, labels: Iterable[Hashable] | None = None, name: str = "K"
    ) -> None:
        array = np.asarray(counts)
        if array.ndim != 3 or array.dtype.kind not in "iuf":  # noqa: PLR2004
            raise JointError(
                "the counts of Known must be numbers of shape (public values, known values, "
                f"sensitive values), got {array.dtype} of shape {array.shape}"
            )
        if (array < 0).any() or not np.isfinite(array).all():
            raise JointError("the counts of Known must be zero or more, and finite")
        named = tuple(range(array.shape[1])) if labels is None else tuple(labels)
        if len(named) != array.shape[1]:
            raise JointError(
                f"{len(named)} labels for {array.shape[1]} known values: give one each"
            )
        self.__dict__.update(counts=array, labels=named, name=name)

    def on(self, joint: Joint) -> Knowledge:
        """Return what such readers know, counted against the values of a joint."""
        n, size, m = self.counts.shape
        if (n, m) != joint.mass.shape:
            raise JointError(
                f"the counts of Known are for {n} public and {m} sensitive values, the joint has "
                f"{joint.mass.shape[0]} and {joint.mass.shape[1]}: count the values of the joint"
            )
        refuse_other_records(self.counts.sum(axis=1), joint, "Known")
        rows = self.counts.reshape(n * size, m)
        occurs = np.flatnonzero(rows.any(axis=1))
        public, codes = np.divmod(occurs, size)
        kinds = Kinds(rows[occurs], public)
        return knowing(
            f"readers who know {self.name}",
            kinds,
            before=f"what {self.name} tells alone",
            known=(codes, self.labels),
        )
