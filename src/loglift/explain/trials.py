"""Trials: a release solved again with one public column changed.

The column is left out, replaced by bands of about equal mass, or kept intact. Y is still a function
of the public values of the table as it is, so that what a trial keeps is measured there.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from loglift.explain.again import problem_of, solve_again
from loglift.joint import Column, IntArray, Joint
from loglift.measures.partition import canonical
from loglift.mechanism.mechanism import Mechanism
from loglift.promise.bipartition import safe_rows
from loglift.sparse import any_row, as_cells, block_sums, refinement
from loglift.utility.bands import bands_of
from loglift.utility.target import Target
from loglift.utility.utility import Utility
from loglift.values import is_missing

Kind: TypeAlias = Literal["leave out", "bands", "intact"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Trial:
    """A change to one public column, and a partition of the changed public values.

    Attributes
    ----------
    kind
        "leave out" the column, replace it by "bands", or keep it "intact".
    column, change
        The column, and what to do with it in words.
    bands
        The first and the last value of each band, in order; empty for other kinds.
    target
        The column, or its bands, on the joint of the release.
    joint, mechanism
        The joint of the changed table, and the mechanism of the release with the goal and the
        groups that go with it.
    rows
        The number of the changed public value that each public value becomes.
    labels
        The block number of each changed public value. The partition to start from may be unsafe.

    """

    kind: Kind
    column: str
    change: str
    target: Target
    joint: Joint
    mechanism: Mechanism
    rows: IntArray
    labels: IntArray
    bands: tuple[tuple[Any, Any], ...] = ()

    @property
    def partition(self) -> IntArray:
        """The block number of each public value of the table as it is."""
        return self.labels[self.rows]

    @property
    def is_safe(self) -> bool:
        """Whether every block is within the bound and has the least mass."""
        safe = safe_rows(block_sums(self.joint.scaled, self.labels), self.mechanism.bound).all()
        least = self.mechanism.min_count or 0
        return bool(safe) and bool(block_sums(self.joint.records, self.labels).min() >= least)

    def solved(self, most_steps: int) -> Trial:
        """Return the trial solved again, with at most so many steps of annealing."""
        problem = problem_of(self.joint, self.mechanism)
        labels = solve_again(problem, self.labels, self.mechanism, most_steps=most_steps)
        return replace(self, labels=labels)


def left_out(joint: Joint, mechanism: Mechanism, column: Column, start: IntArray) -> Trial | None:
    """Leave a column out; None if values that stay apart would become one.

    `start` is a partition of the public values to start from.
    """
    columns = tuple(other for other in joint.columns if other is not column)
    trial = Trial(
        kind="leave out",
        column=column.name,
        change=f"leave out {column.name} (-p without it)",
        target=Target.column(column.name),
        joint=joint,
        mechanism=mechanism,
        rows=np.arange(start.size),
        labels=start,
    )
    return _seen_as(trial, columns)


def banded(
    joint: Joint, mechanism: Mechanism, column: Column, count: int, start: IntArray
) -> Trial | None:
    """Replace an ordered column by bands; None if values that stay apart would become one."""
    codes = bands_of(column, np.asarray(joint.weight), count)
    missing = {codes[i] for i, value in enumerate(column.values) if is_missing(value)}
    order = np.argsort(column.ranks) if column.ranks else np.arange(codes.size)
    ends = [
        (column.values[members[0]], column.values[members[-1]])
        for band in range(int(codes.max()) + 1)
        if band not in missing and (members := order[codes[order] == band]).size
    ]
    # The bands are numbers, so that they are ordered, and missing values stay missing.
    numbers = tuple(None if band in missing else band for band in range(int(codes.max()) + 1))
    shown = Column(column.name, "integer", None, numbers, codes[column.codes])
    trial = Trial(
        kind="bands",
        column=column.name,
        change=f"replace {column.name} in the table by {len(ends)} bands with about as many "
        f"records each{_option(column, len(ends))}",
        bands=tuple(ends),
        target=Target.bands(column.name, codes, count),
        joint=joint,
        mechanism=mechanism,
        rows=np.arange(start.size),
        labels=start,
    )
    return _seen_as(trial, tuple(shown if each is column else each for each in joint.columns))


def kept_intact(
    joint: Joint, mechanism: Mechanism, column: Column, start: IntArray
) -> Trial | None:
    """Keep a column intact; None if it is, or if a group is unsafe or too small as one block."""
    groups = column.codes.astype(np.int64)
    if mechanism.groups is not None:
        groups = refinement([mechanism.groups, groups])
    groups = canonical(groups)
    same = mechanism.groups is not None and np.array_equal(groups, canonical(mechanism.groups))
    too = "" if mechanism.groups is None else " too"
    trial = Trial(
        kind="intact",
        column=column.name,
        change=f"--intact {shlex.quote(column.name)}{too}",
        target=Target.column(column.name),
        joint=joint,
        mechanism=replace(mechanism, groups=groups),
        rows=np.arange(start.size),
        labels=groups,
    )
    if same or not trial.is_safe:
        return None
    return replace(trial, labels=canonical(refinement([groups, start])))


def _seen_as(trial: Trial, columns: tuple[Column, ...]) -> Trial | None:
    """Return a trial on the table with other columns; None if groups would be mixed."""
    joint, mechanism = trial.joint, trial.mechanism
    rows, groups = refinement([column.codes for column in columns]), mechanism.groups
    one_each = any_row(rows)
    if groups is not None:
        if (groups[one_each][rows] != groups).any():
            return None
        groups = groups[one_each]
    goal = _goal_on(mechanism.goal, joint, rows, trial.column, trial.kind)
    return replace(
        trial,
        joint=joint.seen_as(columns),
        mechanism=replace(mechanism, goal=goal, groups=groups),
        rows=rows,
        labels=_heaviest(rows, trial.labels, np.asarray(joint.weight)),
    )


def _goal_on(goal: Utility, joint: Joint, rows: IntArray, changed: str, kind: Kind) -> Utility:
    """Return the goal for the table with a column left out or banded.

    Versions of that column are gone. What other targets have is added up over public values that
    become one.
    """
    weight = np.asarray(joint.weight, dtype=np.float64)
    targets = [
        Target(
            target.name,
            target.weight,
            table=block_sums(as_cells(target.mass(joint, weight)), rows),
        )
        if target.of is None
        else target
        for target in goal.targets
        if target.of != changed
    ]
    importance = {
        name: given for name, given in goal.importance.items() if kind == "bands" or name != changed
    }
    return Utility(
        targets=tuple(targets),
        by_column=goal.by_column,
        importance=importance,
        coarser={name: given for name, given in goal.coarser.items() if name != changed},
        unordered=tuple(name for name in goal.unordered if name != changed),
        joint_weight=goal.joint_weight,
    )


def _heaviest(rows: IntArray, labels: IntArray, weight: Any) -> IntArray:
    """Return, for each changed public value, the block in which most of its mass was; canonical."""
    pairs = refinement([rows, labels])
    one_each = any_row(pairs)
    lightest_first = np.argsort(np.bincount(pairs, weight), kind="stable")
    found = np.empty(int(rows.max()) + 1, dtype=np.int64)
    found[rows[one_each][lightest_first]] = labels[one_each][lightest_first]
    return canonical(found)


def _option(column: Column, bands: int) -> str:
    """Return the option that cuts a column about so; none for ordered categories and labels."""
    cut = column.bin
    if bands < 2 or column.ranks or (cut is not None and cut.labels):  # noqa: PLR2004, one is no cut
        return ""
    return f" (about --bin {shlex.quote(f'{column.name}=quantiles:{bands}')})"
