"""Split records into those that choose a partition and those that certify it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loglift.joint import IntArray, Joint
from loglift.measures.partition import canonical
from loglift.sparse import Cells, as_cells, block_sums


@dataclass(frozen=True, eq=False)
class Split:
    """The records of a joint, split at random; both parts have all rows and columns of the joint.

    A public value without records in a part is a row of zeros there.
    """

    choosing: Joint
    certifying: Joint

    def apart(self) -> Split:
        """Return the split with each sensitive column of the table as a variable of its own."""
        return Split(self.choosing.apart(), self.certifying.apart())


def split(joint: Joint, share: float, seed: int) -> Split:
    """Assign every record to the choosing part, with probability `share`, or the certifying part.

    Given how many records each part has, both are independent samples of the same population.
    Records with equal values are interchangeable, so one binomial draw for each cell is enough.
    Equal counts are split alike, whatever engine counted them. O(cells).

    The draw is per joint value of all sensitive columns: split a joint before `Joint.apart`, which
    adds up the records of a column and cannot tell whose they are.
    """
    cells = as_cells(joint.mass)
    chosen = np.random.default_rng(seed).binomial(cells.values, share)

    def part(records: NDArray[np.int64]) -> Joint:
        mass = cells.mapped(lambda _: records)
        return Joint.trusted(
            mass if isinstance(joint.mass, Cells) else mass[:],
            joint.public,
            joint.sensitive,
            joint.variables,
            joint.columns,
            joint.sensitive_columns,
        )

    return Split(part(chosen), part(cells.values - chosen))


def extended(labels: IntArray, weight: NDArray[np.int64], *, runs: bool) -> IntArray:
    """Extend a partition of the public values with choosing records to all public values.

    `weight` is n(x) of the choosing records. A value without any goes to the largest block, or for
    runs of an ordered column to the block of the value before it. So the partition is defined for
    every value before the certifying records are seen.
    """
    seen = weight > 0
    near = labels[np.maximum(np.cumsum(seen) - 1, 0)]
    if not runs:
        near = np.where(seen, near, largest_block(labels, weight[seen]))
    return canonical(near)


def largest_block(labels: IntArray, weight: NDArray[np.int64]) -> int:
    """Return the block with most of the choosing records; ties: the block with the least number.

    Values without choosing records go there, which changes neither its records nor that it is the
    first among equals.
    """
    return int(block_sums(weight, labels).argmax())
