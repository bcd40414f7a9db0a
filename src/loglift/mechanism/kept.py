"""What a release keeps, column by column and target by target.

A cell of the released table is unchanged where its label stands for one value only, the value that
the record has. H(U|Y) is what a reader of the released value Y is left unsure of, so the share

    I(U;Y)/I(U;X) = (H(U) - H(U|Y)) / (H(U) - H(U|X))

of what the table says about U is kept; H(U|X) = 0 for a column. The solvers' code is not used here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.joint import Column, IntArray, Joint
from loglift.mechanism.mechanism import Mechanism
from loglift.sparse import Cells, as_cells, take_rows
from loglift.utility.utility import MIN_ENTROPY, Utility

WHOLE_ROWS = "whole rows"  # the name of X itself among targets
MAX_NAMED_TARGETS = 8  # that words list
_SEVERAL = -1  # in place of a value: a released value stands for several, or for none that is known
_ELSEWHERE = -2  # a value that this table does not have


@dataclass(frozen=True)
class KeptColumn:
    """What became of one public column.

    Attributes
    ----------
    name
        The column.
    unchanged
        The share of its cells (records) whose label stands for the one value that was there; for a
        channel, the probability of that.
    information
        I(X_j;Y)/H(X_j), with Y the whole released value; 1 for a column of a single value.
    labels_before, labels_after
        The number of distinct values in the table, and of distinct labels in the release.

    """

    name: str
    unchanged: float
    information: float
    labels_before: int
    labels_after: int


@dataclass(frozen=True)
class KeptTarget:
    """What is kept of one target of a goal.

    `weight` is its share of the goal, and `kept` is I(U;Y)/I(U;X). The goal keeps the sum of
    weight * kept. `column` is the public column that the target is, or is a coarser version of;
    None for any other, and for X itself, which is named "whole rows".
    """

    name: str
    weight: float
    kept: float
    column: str | None = None


@dataclass(frozen=True)
class Kept:
    """What became of every public column, of whole rows, and of the targets of the goal.

    `rows_unchanged` is the share of records that are unchanged in all columns.
    """

    columns: tuple[KeptColumn, ...]
    rows_unchanged: float
    targets: tuple[KeptTarget, ...] = ()


def kept_columns(joint: Joint, mechanism: Mechanism) -> tuple[KeptColumn, ...]:
    """Return what becomes of each public column when a mechanism is applied to counted records.

    The joint may be of another table than the one the mechanism was made from. Without a table
    there are no columns. O(n log n) for each column of n public values.
    """
    return kept_of(joint, mechanism).columns


def kept_of(joint: Joint, mechanism: Mechanism, *, with_goal: bool = False) -> Kept:
    """Return what becomes of each public column and of whole rows; see `kept_columns`.

    With `with_goal` also what is kept of each target of the goal, X itself last. A target that the
    table says nothing about, or that has no weight, is not part of the goal. O(cells log cells)
    for each target.
    """
    shown = _Shown.of(joint, mechanism)
    targets = _kept_targets(joint, mechanism.goal, shown) if with_goal else ()
    if not mechanism.columns:
        return Kept((), 1.0, targets)
    same = joint.public == mechanism.public
    made = shown if same else _Shown.as_made(mechanism)
    records = joint.records[shown.x] * shown.p
    total = records.sum()
    whole = np.ones(records.size, dtype=np.bool_)
    present = np.flatnonzero(np.bincount(shown.y, minlength=shown.size)).tolist()
    found = []
    for place, column in enumerate(joint.columns):
        known = column.codes if same else _codes_of(mechanism, place, column)
        unchanged = made.sole(known)[shown.y] == column.codes[shown.x]
        whole &= unchanged
        labels = mechanism.released[place].values
        every = len(present) == len(labels)
        codes = column.codes.astype(np.int64)
        cells = Cells(np.arange(codes.size + 1), codes, joint.weight, len(column.values))
        found.append(
            KeptColumn(
                name=column.name,
                unchanged=float(records[unchanged].sum() / total),
                information=shown.share(cells),
                labels_before=len(column.values),
                labels_after=len(set(labels) if every else {labels[y] for y in present}),
            )
        )
    return Kept(tuple(found), float(records[whole].sum() / total), targets)


def goal_name(goal: Utility) -> str:
    """Return the name of a goal: "joint" (the paper's I(X;Y)), "columns" or "targets"."""
    if goal.is_joint:
        return "joint"
    return "columns" if goal.by_column else "targets"


def goal_words(goal: Utility, joint: Joint) -> str:
    """Say what a goal is to keep of a joint, such as "each column and whole rows".

    The words are "whole rows" alone where the goal is I(X;Y): for the joint goal, and for a single
    column that is a target without coarser versions.
    """
    if goal.is_joint:
        return WHOLE_ROWS
    targets = [target for target in goal.on(joint) if target.weight]
    telling = {column.name for column in joint.columns if len(column.values) > 1}
    names = [target.name for target in targets if target.of in telling]
    about = [target.name for target in targets if target.of is None]
    several = len(joint.columns) != 1
    if not about and not (set(names) - set(() if several else joint.column_names)):
        return WHOLE_ROWS
    parts = [f"what the release says about {_series(about)}"] if about else []
    if goal.by_column and several and telling <= {target.of for target in targets}:
        parts.append("each column")
    else:
        parts += names
    return _series([*parts, WHOLE_ROWS] if several else [*parts, *joint.column_names])


@dataclass(frozen=True, eq=False)
class _Shown:
    """p(y|x) as pairs of x and y with p > 0, those of the same y together.

    For a partition p is the whole number 1, so that counts stay counts.
    """

    x: IntArray
    y: IntArray
    p: NDArray[Any]
    size: int

    @classmethod
    def of(cls, joint: Joint, mechanism: Mechanism) -> _Shown:
        """Return what the public values of a joint are released as."""
        return cls._of_rows(mechanism, mechanism.rows_in(joint))

    @classmethod
    def as_made(cls, mechanism: Mechanism) -> _Shown:
        """Return what the public values are released as that the mechanism was made for."""
        rows = np.arange(len(mechanism.public)) if mechanism.labels is None else mechanism.labels
        return cls._of_rows(mechanism, rows)

    @classmethod
    def _of_rows(cls, mechanism: Mechanism, rows: IntArray) -> _Shown:
        """Return the blocks, or the rows of the channel, that are given by their numbers."""
        if mechanism.labels is None:
            cells = as_cells(take_rows(mechanism.probabilities, rows))
        else:
            ones = np.ones(rows.size, dtype=np.int64)
            cells = Cells(np.arange(rows.size + 1), rows, ones, mechanism.size)
        order = np.argsort(cells.columns, kind="stable")
        return cls(cells.rows[order], cells.columns[order], cells.values[order], cells.width)

    def sole(self, codes: NDArray[np.signedinteger]) -> IntArray:
        """Return the code that each y stands for, if all its x have the same one."""
        sole = np.full(self.size, _SEVERAL)
        sole[self.y] = codes[self.x]
        sole[self.y[sole[self.y] != codes[self.x]]] = _SEVERAL
        return sole

    def share(self, cells: Cells) -> float:
        """Return I(U;Y)/I(U;X) from n(u,x), one row per x; 1 where X says nothing about U."""
        told = _told(cells)
        if told <= MIN_ENTROPY:
            return 1.0
        pairs = cells.take(self.x)
        masses = pairs.values * self.p[pairs.rows]
        released = Cells.of(self.y[pairs.rows], pairs.columns, masses, (self.size, cells.width))
        return min(1.0, max(0.0, (_entropy(cells) - _unsure(released)) / told))


def _kept_targets(joint: Joint, goal: Utility, shown: _Shown) -> tuple[KeptTarget, ...]:
    weight = np.asarray(joint.weight, dtype=np.float64)
    rows = Cells(np.arange(weight.size + 1), np.arange(weight.size), weight, weight.size)
    found = []
    for target in () if goal.is_joint or _told(rows) <= MIN_ENTROPY else goal.on(joint):
        cells = as_cells(target.mass(joint, weight))
        if target.weight and _told(cells) > MIN_ENTROPY:
            found.append(KeptTarget(target.name, target.weight, shown.share(cells), target.of))
    found.append(KeptTarget(WHOLE_ROWS, goal.joint_weight, shown.share(rows)))
    whole = sum(target.weight for target in found)
    return tuple(replace(target, weight=target.weight / whole) for target in found)


def _codes_of(mechanism: Mechanism, place: int, column: Column) -> IntArray:
    """Return the values of a column that a mechanism knows, in the joint's numbers."""
    number = {value: code for code, value in enumerate(column.values)}
    return np.array([number.get(value[place], _ELSEWHERE) for value in mechanism.tuples])


def _told(cells: Cells) -> float:
    """Return I(U;X) = H(U) - H(U|X) in nats, from n(u,x)."""
    return _entropy(cells) - _unsure(cells)


def _series(names: Sequence[str]) -> str:
    """Return different names as "a, b and c"; of many, the first ones and the number of others."""
    *first, last = dict.fromkeys(names)
    if len(first) > MAX_NAMED_TARGETS:
        first, last = first[:MAX_NAMED_TARGETS], f"{len(first) + 1 - MAX_NAMED_TARGETS} more"
    return f"{', '.join(first)} and {last}" if first else last


def _entropy(cells: Cells) -> float:
    """Return H(U), from the masses of u in its columns; nats."""
    mass = np.asarray(cells.sum(axis=0))
    return _unsure(as_cells(mass[np.newaxis]))


def _unsure(cells: Cells) -> float:
    """Return H(U|Y) from n(u,y), one row per y; exactly zero where each y has one u."""
    shares = cells.values / np.asarray(cells.sum(axis=1))[cells.rows]
    return float(-(cells.values @ np.log(shares)) / cells.sum()) + 0.0
