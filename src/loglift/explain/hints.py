"""Hints: the changes to single public columns that would help most, with figures.

A column is left out, an ordered one is replaced by bands of about equal mass, or one stays intact.
Then the release is solved again under the same bound and limits. The figures are those of a safe
partition that was found so: a release with the change can have them.

Every change that can help is solved briefly first. The best one of each kind that then helps, or
nearly does, is solved with more effort.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from loglift.explain.again import is_in_runs
from loglift.explain.trials import Kind, Trial, banded, kept_intact, left_out
from loglift.joint import FloatArray, IntArray, Joint
from loglift.mechanism.mechanism import Mechanism
from loglift.sparse import Cells, as_cells, block_sums
from loglift.utility.bands import BANDS, is_ordered
from loglift.utility.target import Target
from loglift.utility.utility import MIN_ENTROPY

KINDS: tuple[Kind, ...] = ("intact", "bands", "leave out")  # from the least to the most lost
MAX_HINTS = 3
MIN_GAIN = 0.01  # one percentage point: what a change must gain, and the others may not lose
MAX_MISSED = 0.02  # by which a change may miss that after a brief try, and is still tried harder
MAX_TRIED = 3  # columns for each kind of change: those that keep least
# Of annealing: for every change that is tried, and for those that are solved with more effort.
BRIEF_STEPS, MAX_STEPS = 100_000, 2_000_000


@dataclass(frozen=True)
class Hint:
    """A change to one public column, and what a release with it keeps, at least.

    The share of a column that is kept is I(U;Y)/H(U), with U the column and Y the released row.
    Means over columns are weighted by their importance.

    Attributes
    ----------
    column
        The column to change.
    change
        What to do, as an option where there is one.
    kept, before
        The share of the column that a release with the change keeps, and that the release as it is
        keeps; of the bands of the column where `kind` is "bands". For a column that is left out,
        `kept` is what the other columns still say about it.
    others_before, others_after
        The mean share of the other public columns that the release as it is keeps, and that a
        release with the change keeps.
    kind
        "leave out" the column, replace it by "bands", or keep it "intact".
    bands
        The first and the last value of each band, in order; empty for other kinds.

    """

    column: str
    change: str
    kept: float
    before: float
    others_before: float
    others_after: float
    kind: Kind
    bands: tuple[tuple[Any, Any], ...] = ()


def hints_of(joint: Joint, mechanism: Mechanism, best: IntArray) -> tuple[Hint, ...]:
    """Return the changes to single columns that help most, the most helpful first.

    `best` is the partition of the release, improved under the same limits: a hint helps more than
    that. Only a merging that is to keep each of several columns has hints, and none that is
    certified for a population. The joint must be small enough to be solved again.
    """
    several = mechanism.goal.by_column and len(joint.columns) > 1
    if not several or is_in_runs(mechanism) or mechanism.unseen is not None:
        return ()
    table = _Table(joint, mechanism, best)
    tried = [_Outcome.of(table, trial.solved(BRIEF_STEPS)) for trial in _trials(table)]
    tried.sort(key=_Outcome.rank)
    solved = [
        _Outcome.of(table, outcome.trial.solved(MAX_STEPS))
        for outcome in _best_of_each_kind(tried)[:MAX_HINTS]
        if outcome.misses <= MAX_MISSED
    ]
    solved.sort(key=_Outcome.rank)
    return tuple(outcome.hint for outcome in solved if outcome.helps and outcome.trial.is_safe)


@dataclass(frozen=True, eq=False)
class _Wanted:
    """What there is to keep of a target U: n(u,x), and I(U;X) in nats."""

    cells: Cells
    information: float

    @property
    def is_something(self) -> bool:
        """Whether X says anything about U."""
        return self.information > MIN_ENTROPY

    def share(self, labels: IntArray) -> float:
        """Return I(U;Y)/I(U;X) of a partition; 1 where X says nothing about U."""
        if not self.is_something:
            return 1.0
        kept = _information(block_sums(self.cells, labels))
        return min(1.0, max(0.0, kept / self.information))


@dataclass(frozen=True, eq=False)
class _Kept:
    """A partition, and the share that it keeps of each column, and of the purposes on average."""

    labels: IntArray
    columns: dict[str, float]
    purposes: float


@dataclass(frozen=True)
class _Figures:
    """What a partition keeps of a column (or its bands), of the others, and of the purposes."""

    column: float
    others: float
    purposes: float


class _Table:
    """A released table: what there is to keep of its columns, and what the release keeps.

    `release` is the release, `best` the release improved. `weights` are the importance of all
    columns that say something.
    """

    def __init__(self, joint: Joint, mechanism: Mechanism, best: IntArray) -> None:
        self.joint, self.mechanism = joint, mechanism
        self.mass: FloatArray = np.asarray(joint.weight, dtype=np.float64)
        goal = mechanism.goal
        columns = [Target.column(name) for name in joint.column_names]
        self.columns = {target.name: self.wanted(target) for target in columns}
        self.weights = {
            name: goal.importance.get(name, 1.0)
            for name, wanted in self.columns.items()
            if wanted.is_something
        }
        purposes = [self.wanted(target) for target in goal.targets if target.of is None]
        self.purposes = [wanted for wanted in purposes if wanted.is_something]
        self.release, self.best = self.kept(mechanism.partition), self.kept(best)

    def wanted(self, target: Target) -> _Wanted:
        """Return what there is to keep of a target."""
        cells = as_cells(target.mass(self.joint, self.mass))
        return _Wanted(cells, _information(cells))

    def others(self, name: str) -> dict[str, float]:
        """Return the weights of the columns that count beside one."""
        return {other: w for other, w in self.weights.items() if other != name and w > 0}

    def kept(self, labels: IntArray) -> _Kept:
        """Return what a partition keeps. O(n log n) for each column of n public values."""
        columns = {name: self.columns[name].share(labels) for name in self.weights}
        purposes = [wanted.share(labels) for wanted in self.purposes]
        return _Kept(labels, columns, float(np.mean(purposes)) if purposes else 1.0)

    def figures(self, trial: Trial, kept: _Kept) -> _Figures:
        """Return what a partition keeps of the column (or bands) of a trial, and beside it."""
        others = self.others(trial.column)
        shares = [kept.columns[name] for name in others]
        column = kept.columns[trial.column]
        if trial.kind == "bands":
            column = self.wanted(trial.target).share(kept.labels)
        mean = float(np.average(shares, weights=list(others.values())))
        return _Figures(column, mean, kept.purposes)


@dataclass(frozen=True, eq=False)
class _Outcome:
    """A trial, and what is kept before and after it.

    `compared` has the larger figures of the release and of the release improved.
    """

    trial: Trial
    before: _Figures
    compared: _Figures
    after: _Figures
    weight: float
    weight_of_others: float

    @classmethod
    def of(cls, table: _Table, trial: Trial) -> _Outcome:
        """Measure a trial against the release, and the release improved."""
        before, improved = (table.figures(trial, kept) for kept in (table.release, table.best))
        compared = _Figures(
            max(before.column, improved.column),
            max(before.others, improved.others),
            max(before.purposes, improved.purposes),
        )
        after = table.figures(trial, table.kept(trial.partition))
        weight = 0.0 if trial.kind == "leave out" else table.weights[trial.column]
        of_others = sum(table.others(trial.column).values())
        return cls(trial, before, compared, after, weight, of_others)

    @property
    def points(self) -> float:
        """What is gained in all columns that stay, added up with their weights."""
        return self.weight * self.gained + self.weight_of_others * self.others_gained

    def rank(self) -> tuple[float, int]:
        """Return the sort key, most points first; of equal ones the change that loses least."""
        return -round(self.points, 9), KINDS.index(self.trial.kind)

    @property
    def gained(self) -> float:
        """What the column itself, or its bands, gains."""
        return self.after.column - self.compared.column

    @property
    def others_gained(self) -> float:
        """What the other columns gain on average."""
        return self.after.others - self.compared.others

    @property
    def helps(self) -> bool:
        """Whether something that stays gains a percentage point, and nothing loses one."""
        return self.misses <= 0 < self.points and self.loses > -MIN_GAIN

    @property
    def misses(self) -> float:
        """By how much the change misses what a hint gains, or loses more than a hint may."""
        return max(MIN_GAIN - max(self._stays), -MIN_GAIN - self.loses)

    @property
    def loses(self) -> float:
        """The least gain of what stays and of the purposes: a loss where it is below zero."""
        return min(*self._stays, self.after.purposes - self.compared.purposes)

    @property
    def _stays(self) -> list[float]:
        """What the other columns gain, and the column itself, unless it is left out."""
        return [self.others_gained, *([self.gained] if self.weight else [])]

    @property
    def hint(self) -> Hint:
        """The trial in words and figures."""
        return Hint(
            column=self.trial.column,
            change=self.trial.change,
            kept=self.after.column,
            before=self.before.column,
            others_before=self.before.others,
            others_after=self.after.others,
            kind=self.trial.kind,
            bands=self.trial.bands,
        )


def _trials(table: _Table) -> Iterator[Trial]:
    """Yield the changes to try: of each kind, to the columns that keep least.

    A column that a purpose names is neither left out nor banded.
    """
    joint, mechanism, best = table.joint, table.mechanism, table.best.labels
    goal = mechanism.goal
    columns = [
        column
        for column in joint.columns
        if column.name in table.weights and table.others(column.name)
    ]
    columns.sort(key=lambda column: table.release.columns[column.name])
    named = {target.of for target in goal.targets}
    replaceable = [column for column in columns if column.name not in named]
    counted = [column for column in columns if table.weights[column.name] > 0]
    ordered = [
        column
        for column in replaceable
        if column in counted and is_ordered(column) and column.name not in goal.unordered
    ]
    found = [
        (left_out(joint, mechanism, column, best) for column in replaceable[:MAX_TRIED]),
        (
            banded(joint, mechanism, column, count, best)
            for column in ordered[:MAX_TRIED]
            for count in BANDS
            if count < len(column.values)
        ),
    ]
    for trials in found:
        yield from (trial for trial in trials if trial is not None)
    # A column that keeps all but a point already gains none by staying intact.
    merged = [column for column in counted if table.best.columns[column.name] < 1 - MIN_GAIN]
    intact = [kept_intact(joint, mechanism, column, best) for column in merged]
    yield from [trial for trial in intact if trial is not None][:MAX_TRIED]


def _best_of_each_kind(tried: list[_Outcome]) -> list[_Outcome]:
    """Return the first outcome of each kind, then the first of each kind and column."""
    first: dict[tuple[str, ...], _Outcome] = {}
    for outcome in tried:
        first.setdefault((outcome.trial.kind,), outcome)
    for outcome in tried:
        first.setdefault((outcome.trial.kind, outcome.trial.column), outcome)
    return list(dict.fromkeys(first.values()))


def _information(cells: Cells) -> float:
    """Return I(U;X) in nats, from n(u,x)."""
    of_rows = np.bincount(cells.rows, cells.values)
    of_columns = np.bincount(cells.columns, cells.values)
    total = cells.values.sum()
    lift = cells.values * total / (of_rows[cells.rows] * of_columns[cells.columns])
    return float(cells.values @ np.log(lift) / total)
