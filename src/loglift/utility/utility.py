"""`Utility`: what is worth keeping, as its user states it.

    U = weighted mean of I(U;Y)/I(U;X) over targets U, X itself among them,

or the paper's I(X;Y) in nats, which is the case of the single target X. A target is a public
column, a coarser version of one, another column of the table, or any p(u|x). I(U;X) is what the
table as it is says about U: H(U) for a column and its coarser versions. So the table as it is has
the utility 1. X has a weight of its own, so that of equal choices the one with more blocks is
better.

Keeping a coarser version of a column as well as the column brings close values together: with age
in four bands as a target, 25 is merged with 27 rather than with 60.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from loglift.errors import UtilityError
from loglift.joint import Column, FloatArray, Joint
from loglift.measures.entropy import entropy_of
from loglift.sparse import Cells, Mass, as_cells, side_by_side
from loglift.utility.bands import BANDS, bands_of, is_ordered
from loglift.utility.information import Information
from loglift.utility.target import Target, checked_weight
from loglift.utility.weighted import WeightedTargets
from loglift.utility.worth import Worth
from loglift.values import plain

# A coarser version of a column: a number of bands, or the group of each value.
Coarser: TypeAlias = int | Mapping[Any, Any]

JOINT_WEIGHT = 2.0  # of X itself, beside columns that have the weight 1 each
MIN_JOINT_WEIGHT = 1e-6  # with less, rounding decides between equal choices
MIN_ENTROPY = 1e-9  # nats: X says less about a target, so there is nothing to keep


@dataclass(frozen=True, eq=False)
class Utility:
    """What is worth keeping; made by `joint`, `columns` or `of`.

    Attributes
    ----------
    targets
        The targets that are given one by one.
    by_column
        Whether each public column is a target, with its coarser versions.
    importance
        The weight of columns that do not have the weight 1.
    coarser
        The coarser versions of columns that do not have the usual ones.
    unordered
        Columns of numbers, dates or times whose order means nothing.
    joint_weight
        The weight of X itself.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> rows = [(20, "f", "y"), (21, "m", "n"), (60, "f", "n"), (61, "m", "y"), (21, "f", "y")] * 4
    >>> table = pl.DataFrame(rows, schema=["age", "sex", "ill"], orient="row")
    >>> joint = loglift.Joint.from_table(table, sensitive="ill", public=["age", "sex"])
    >>> round(loglift.merge(joint, 0.5, utility=loglift.Utility.columns()).utility, 2)
    0.53
    """

    targets: tuple[Target, ...] = ()
    by_column: bool = False
    importance: Mapping[str, float] = field(default_factory=dict)
    coarser: Mapping[str, Sequence[Coarser]] = field(default_factory=dict)
    unordered: tuple[str, ...] = ()
    joint_weight: float = JOINT_WEIGHT
    _worths: WeakKeyDictionary[Joint, Worth] = field(default_factory=WeakKeyDictionary, init=False)

    def __reduce__(self) -> tuple[Any, ...]:
        kept = (item for item in fields(self) if item.init)
        return (Utility, tuple(getattr(self, item.name) for item in kept))

    def __repr__(self) -> str:
        if self.is_joint:
            return "Utility.joint()"
        named = [target.name for target in self.targets]
        named = ["every public column", *named] if self.by_column else named
        return f"Utility({', '.join(named)}; X with weight {self.joint_weight:g})"

    @classmethod
    def joint(cls) -> Utility:
        """Return the paper's utility: I(X;Y) of whole rows, nats."""
        return cls()

    @classmethod
    def columns(
        cls,
        importance: Mapping[str, float] | None = None,
        *,
        coarser: Mapping[str, Sequence[Coarser] | Coarser] | None = None,
        unordered: Iterable[str] = (),
        targets: Iterable[Target] = (),
        joint_weight: float = JOINT_WEIGHT,
    ) -> Utility:
        """Keep what each public column says: the mean of I(X_j;Y)/H(X_j), with weights.

        Parameters
        ----------
        importance
            The weight of columns that matter more or less than the others, which have the weight
            1. A column with the weight 0 is not a target.
        coarser
            The coarser versions of a column: each is a number of bands (of an ordered column), or
            a mapping of its values to groups. A column shares its weight with its versions. By
            default an ordered column has 4 and 16 bands of about equal mass, if it has more values
            than that, and another column has no coarser version.
        unordered
            Columns of numbers, dates or times whose order means nothing, such as postal codes.
        targets
            More targets: what the columns are needed for.
        joint_weight
            The weight of X itself, the whole row.

        """
        return cls(
            targets=_checked_targets(targets),
            by_column=True,
            importance={
                name: plain(weight)
                for name, weight in _checked_mapping(importance, "importance", "1.5").items()
            },
            coarser={
                name: _versions(name, given)
                for name, given in _checked_mapping(coarser, "coarser", "[4, 16]").items()
            },
            unordered=(unordered,) if isinstance(unordered, str) else tuple(unordered),
            joint_weight=_checked_joint_weight(joint_weight),
        )

    @classmethod
    def of(cls, targets: Iterable[Target], *, joint_weight: float = JOINT_WEIGHT) -> Utility:
        """Keep what a release says about some targets: the mean of I(U;Y)/I(U;X), with weights.

        `joint_weight` is the weight of X itself, the whole row.
        """
        given = _checked_targets(targets)
        if not given:
            raise UtilityError("there is no target: give one, or use Utility.joint()")
        return cls(targets=given, joint_weight=_checked_joint_weight(joint_weight))

    @property
    def is_joint(self) -> bool:
        """Whether it is I(X;Y), in nats."""
        return not self.targets and not self.by_column

    def on(self, joint: Joint) -> tuple[Target, ...]:
        """Return all targets on one joint: those of the columns, then those given one by one."""
        found: list[Target] = []
        if self.by_column:
            if not joint.columns:
                raise UtilityError(
                    "this joint was not counted from a table, so it has no columns to keep: use "
                    "Utility.joint(), or name targets with Utility.of"
                )
            self._check_names(joint)
            for column in joint.columns:
                found += self._of_column(column, joint)
        return (*found, *self.targets)

    def worth(self, joint: Joint) -> Worth:
        """Return it as what solvers maximise on a joint; worked out once for each joint."""
        if joint not in self._worths:
            self._worths[joint] = self._worth(joint)
        return self._worths[joint]

    def kept(self, joint: Joint, mapping: Mass) -> float:
        """Return what a partition, as block numbers (n,), or p(y|x), as (n, y), keeps of it."""
        worth = self.worth(joint)
        if not isinstance(mapping, Cells) and mapping.ndim == 1:
            return float(worth.blocks(mapping).values().sum())
        return worth.of_channel(mapping)

    def most(self, joint: Joint) -> float:
        """Return what the table as it is keeps of it: no release keeps more."""
        return float(self.worth(joint).values().sum())

    def _worth(self, joint: Joint) -> Worth:
        """Put the targets together.

        A target that is the same as X, such as the only column, adds to the weight of X; one that
        X says nothing about, such as a constant, is left out.
        """
        weight = np.asarray(joint.scaled.sum(axis=1), dtype=np.float64)
        total = float(joint.scaled.sum())
        row_entropy = entropy_of(weight / total)
        if self.is_joint or row_entropy <= MIN_ENTROPY:
            return Information(weight, total)
        parts, nats = [Cells.of([], [], np.zeros(0), (weight.size, 0))], []
        of_rows = whole = self.joint_weight
        for target in self.on(joint):
            cells = as_cells(target.mass(joint, weight))
            told = _information(cells, weight)
            if told <= MIN_ENTROPY or target.weight == 0:
                continue
            whole += target.weight
            if _is_row(cells):
                of_rows += target.weight
            else:
                parts.append(cells)
                nats.append(target.weight / told)
        cells = as_cells(side_by_side(parts)).astype(np.float64)
        return WeightedTargets(
            weight=weight,
            total=total,
            cells=cells,
            prior=np.asarray(cells.sum(axis=0), dtype=np.float64),
            target=np.repeat(np.arange(len(nats)), [part.width for part in parts[1:]]),
            nat_weights=np.array(nats, dtype=np.float64) / whole,
            joint_weight=of_rows / row_entropy / whole,
        )

    def _of_column(self, column: Column, joint: Joint) -> list[Target]:
        """Return a column and its coarser versions as targets that share its weight."""
        weight = float(self.importance.get(column.name, 1.0))
        if weight == 0:
            return []
        versions = [Target.column(column.name)]
        given = self.coarser.get(column.name)
        if given is None:
            ordered = is_ordered(column) and column.name not in self.unordered
            given = [bands for bands in BANDS if ordered and bands < len(column.values)]
        for version in given:
            if isinstance(version, Mapping):
                versions.append(Target.coarser(column.name, version))
            else:
                groups = bands_of(column, np.asarray(joint.weight), version)
                versions.append(Target.bands(column.name, groups, version))
        return [version.weighing(weight / len(versions)) for version in versions]

    def _check_names(self, joint: Joint) -> None:
        for what, names in (
            ("importance (--importance)", self.importance),
            ("coarser (--taxonomy)", self.coarser),
            ("unordered (--unordered)", self.unordered),
        ):
            for name in names:
                if name not in joint.column_names:
                    raise UtilityError(
                        f"{what} names {name!r}, which is not a public column: name one of "
                        f"{', '.join(joint.column_names)}"
                    )
        for name, weight in self.importance.items():
            checked_weight(weight, f"the importance of {name!r}")


def _information(cells: Cells, weight: FloatArray) -> float:
    """Return I(U;X) in nats, from the masses n(u,x) and n(x)."""
    prior, total = np.asarray(cells.sum(axis=0)), weight.sum()
    lift = cells.values * total / (weight[cells.rows] * prior[cells.columns])
    return float(cells.values @ np.log(lift) / total)


def _is_row(cells: Cells) -> bool:
    """Whether a target tells every public value from every other: it is X under another name."""
    one_each = bool((np.diff(cells.starts) == 1).all())
    return one_each and np.unique(cells.columns).size == cells.shape[0]


def _checked_joint_weight(weight: float) -> float:
    return checked_weight(weight, "joint_weight", least=MIN_JOINT_WEIGHT)


def _checked_targets(targets: Iterable[Target]) -> tuple[Target, ...]:
    given = tuple(targets) if isinstance(targets, Iterable) else (targets,)
    if not all(isinstance(target, Target) for target in given):
        raise UtilityError(
            "targets must be a list of targets: give [Target.column('age'), Target.given('ill', p)]"
        )
    return given


def _checked_mapping(given: Any, name: str, example: str) -> Mapping[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise UtilityError(f"{name} must name columns: give {{'age': {example}}}, got {given!r}")
    return given or {}


def _versions(name: str, given: Any) -> tuple[Coarser, ...]:
    """Return the coarser versions of a column as a tuple, given one or several."""
    versions = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    if not all(isinstance(version, (Integral, Mapping)) for version in versions):
        raise UtilityError(
            f"a coarser version of {name!r} must be a number of bands, or a mapping of its values "
            f"to groups, got {given!r}"
        )
    return versions


def default_utility(joint: Joint) -> Utility:
    """Return what a table keeps by default: its columns, if several or an ordered one, else I(X;Y).

    A single unordered column, and a joint without columns, have nothing but X itself to keep.
    """
    several = len(joint.columns) > 1
    if several or (joint.columns and is_ordered(joint.columns[0])):
        return Utility.columns()
    return Utility.joint()
