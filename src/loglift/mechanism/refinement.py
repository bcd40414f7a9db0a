"""Whether one mechanism tells at least as much as another: refinement, and garbling.

A mechanism p(y|x) is refined by p(z|x) if what it releases can be made from what the other one
releases, without looking at x: p(y|x) = sum over z of p(z|x) g(y|z) for some channel g. Between
partitions that is Definition 1 of the paper, every block of one within a block of the other, and g
is a function. Between channels it is Blackwell's order. Whatever the joint, a refinement has at
least the leakage, by every measure of it, and at least the information I(X;Y).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from loglift._compute.highs import new_program
from loglift.errors import MechanismError
from loglift.joint import FloatArray
from loglift.measures import partition
from loglift.mechanism.mechanism import Mechanism

MAX_DIFFERENCE = 1e-9  # of two probabilities that count as equal


def refines(fine: Mechanism | ArrayLike, coarse: Mechanism | ArrayLike) -> bool:
    """Whether `fine` is a refinement of `coarse`, and so tells at least as much.

    Parameters
    ----------
    fine, coarse
        Two mechanisms of the same public values, in any order; or two partitions as block numbers.
        Of partitions, every block of `fine` must be within a block of `coarse`. With a channel,
        `coarse` must be a garbling of `fine`: what it releases is drawn from what `fine` releases,
        by probabilities that do not depend on the public value. Probabilities that differ by at
        most 1e-9 count as equal. Every mechanism refines itself.

    Returns
    -------
    bool
        Whether `fine` refines `coarse`; a refinement never has larger NMIL (equation 9).

    Raises
    ------
    MechanismError
        When the public values of the two mechanisms differ, or only one of them is a mechanism.
    PartitionError
        When two partitions do not have the same number of values.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]])
    >>> loglift.refines(loglift.merge(joint, 0.7), loglift.merge(joint, 0.1))
    True
    >>> loglift.refines([0, 0, 1], [0, 1, 2])
    False

    Notes
    -----
    O(n log n) for two partitions; O(cells of p(y|x)) if one is a partition; a linear program with
    one variable for each pair of released values for two channels.

    """
    if not isinstance(fine, Mechanism) and not isinstance(coarse, Mechanism):
        return partition.refines(fine, coarse)
    if not isinstance(fine, Mechanism) or not isinstance(coarse, Mechanism):
        raise MechanismError(
            "a mechanism is compared with a mechanism, block numbers with block numbers: give the "
            ".labels of the mechanism"
        )
    order = _same_values(fine, coarse)
    if fine.labels is not None and coarse.labels is not None:
        return partition.refines(fine.labels, coarse.labels[order])
    rows = coarse.channel[order]
    if fine.labels is not None:
        return _equal_within(rows, fine.labels)
    if coarse.labels is not None:
        return _one_block_each(fine.channel, coarse.labels[order])
    return _is_garbling(fine.channel, rows)


def _same_values(fine: Mechanism, coarse: Mechanism) -> list[int]:
    """Return the row of `coarse` with each public value of `fine`; raise unless it has the same."""
    rows = {value: row for row, value in enumerate(coarse.public)}
    if set(fine.public) != rows.keys():
        raise MechanismError(
            f"the mechanisms have other public values ({len(fine.public)} and {len(coarse.public)})"
            ": compare two mechanisms of the same joint"
        )
    return [rows[value] for value in fine.public]


def _equal_within(channel: FloatArray, labels: np.ndarray) -> bool:
    """Return whether the values of each block have the same row of a channel."""
    order = np.argsort(labels, kind="stable")
    same = np.diff(labels[order]) == 0
    differences = np.abs(np.diff(channel[order], axis=0)).max(axis=1)
    return bool((differences[same] <= MAX_DIFFERENCE).all())


def _one_block_each(channel: FloatArray, labels: np.ndarray) -> bool:
    """Return whether every released value of a channel comes from values of one block."""
    blocks = np.zeros((int(labels.max()) + 1, channel.shape[1]))
    np.maximum.at(blocks, labels, channel)
    return bool(((blocks > MAX_DIFFERENCE).sum(axis=0) <= 1).all())


def _is_garbling(fine: FloatArray, coarse: FloatArray) -> bool:
    """Return whether coarse = fine g for a channel g, up to `MAX_DIFFERENCE` in every entry.

    The linear program minimises the largest difference d: |fine g - coarse| <= d, rows of g are
    distributions.
    """
    (inputs, releases), outputs = fine.shape, coarse.shape[1]
    program = new_program(primal_feasibility_tolerance=1e-10, dual_feasibility_tolerance=1e-10)
    program.addCol(1.0, 0.0, math.inf, 0, [], [])  # d
    for _ in range(releases * outputs):
        program.addCol(0.0, 0.0, 1.0, 0, [], [])
    for z in range(releases):
        columns = 1 + z * outputs + np.arange(outputs, dtype=np.int32)
        program.addRow(1.0, 1.0, outputs, columns.astype(np.int32), np.ones(outputs))
    for x in range(inputs):
        support = np.flatnonzero(fine[x])
        for y in range(outputs):
            columns = np.append(0, 1 + support * outputs + y).astype(np.int32)
            for d, low, high in ((1.0, coarse[x, y], math.inf), (-1.0, -math.inf, coarse[x, y])):
                entries = np.append(d, fine[x, support])
                program.addRow(low, high, columns.size, columns, entries)
    program.run()
    return bool(program.getInfo().objective_function_value <= MAX_DIFFERENCE)
