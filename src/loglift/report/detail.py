"""What a page shows value by value: the partition, and the heat map of log-lifts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from loglift.audit.audit import Audit
from loglift.certify.certificate import Certificate
from loglift.certify.released_values import ReleasedValue
from loglift.joint import IntArray, Joint
from loglift.measures.lift import omegas_of
from loglift.mechanism.mechanism import Mechanism
from loglift.promise.bound import Bound, bounded_values
from loglift.report.heat import Heat, heat_of
from loglift.report.partition import Known, Partition, partition_of


@dataclass(frozen=True, eq=False, repr=False)
class Detail:
    """The values of a release, of an audit, or of a mechanism alone; each part is worked out once.

    It says nothing of why a release keeps what it keeps: it can be there before that is known.
    """

    public: tuple[str, ...]
    bound: Bound | None
    mechanism: Mechanism | None = None
    certificate: Certificate | None = None
    audit: Audit | None = None

    @cached_property
    def partition(self) -> Partition:
        """The public values, and what they are released as. O(cells)."""
        known = None
        if self.audit is not None:
            blocks: Sequence[ReleasedValue] = ()
            if self.certificate is not None:
                blocks = self.certificate.values
            known = Known(*self._risks, blocks)
        if self.mechanism is None:
            return partition_of(self.public, self._joint.tuples, None, (), known)
        made = self.mechanism
        return partition_of(made.column_names, made.tuples, made.labels, made.released, known)

    @cached_property
    def heat(self) -> Heat | None:
        """The log-lifts of the riskiest values; None for a mechanism alone. O(cells)."""
        if self.audit is None:
            return None
        labels = None if self.mechanism is None else self.mechanism.labels
        if labels is not None:
            # A mechanism may know more values than the table has: they come last.
            labels = labels[: len(self._joint.public)]
        return heat_of(self._joint, self._risks[0], self.bound, labels)

    @property
    def _joint(self) -> Joint:
        if self.audit is None:
            raise TypeError("a mechanism alone has no counts")
        return self.audit.joint

    @cached_property
    def _risks(self) -> tuple[IntArray, IntArray, NDArray[np.float64]]:
        """The public values in order of risk (omega, then records); records and omega of each."""
        joint = self._joint
        limits = None if self.bound is None else self.bound.on(joint)
        omegas = omegas_of(joint.scaled, bounded_values(limits))
        return np.lexsort((-joint.records, -omegas)), joint.records, omegas
