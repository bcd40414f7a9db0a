"""Splitting records into those that choose a mechanism and those that certify it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loglift.joint import IntArray, Joint
from loglift.measures.partition import canonical
from loglift.sparse import Mass, as_cells, block_sums, dense


@dataclass(frozen=True, eq=False)
class Parts:
    """The counts of all records, of those that choose and of those that certify.

    Each is a list of arrays, one per sensitive variable, with one row per public value.
    """

    whole: list[NDArray[np.int64]]
    choosing: list[NDArray[np.int64]]
    certifying: list[NDArray[np.int64]]

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Which public values the choosing records have."""
        return np.asarray(self.choosing[0].sum(axis=1) > 0)


def split(joint: Joint, share: float, seed: int) -> tuple[Mass, Mass]:
    """Assign every record to choosing, with probability `share`, or to certifying.

    Given how many records each part has, both are independent samples of the same population:
    records with equal values are interchangeable, so that a draw for every cell does. The same
    for the same counts, whatever the engine.
    """
    cells = as_cells(joint.mass)
    chosen = np.random.default_rng(seed).binomial(cells.values, share)
    return cells.mapped(lambda _: chosen), cells.mapped(lambda records: records - chosen)


def parts_of(joint: Joint, share: float, seed: int, *, each: bool) -> Parts:
    """Split the counts, and add them up for each sensitive variable."""
    shown = joint.apart() if each else joint

    def tables(mass: Mass) -> list[NDArray[np.int64]]:
        mass = joint.apart_mass(mass) if len(shown.variables) > 1 else mass
        return [dense(mass)[:, variable.place] for variable in shown.variables]

    return Parts(*(tables(mass) for mass in (joint.mass, *split(joint, share, seed))))


def everywhere(labels: IntArray, parts: Parts, *, runs: bool) -> IntArray:
    """Give public values that the choosing records lack a block, without looking further.

    In runs of an ordered column it is that of the value before, otherwise the largest block. So
    the mechanism is defined for every value there may be, before the certifying records are seen.
    """
    near = labels[np.maximum(np.cumsum(parts.seen) - 1, 0)]
    if not runs:
        sizes = block_sums(parts.choosing[0][parts.seen].sum(axis=1), labels)
        near = np.where(parts.seen, near, sizes.argmax())  # `home`, before renumbering
    return canonical(near)


def home(labels: IntArray, parts: Parts) -> int:
    """Return the largest block among the choosing records: where values they lack belong.

    Among equals it is the one met first, which values sent to it cannot change.
    """
    return int(block_sums(parts.choosing[0].sum(axis=1), labels).argmax())
