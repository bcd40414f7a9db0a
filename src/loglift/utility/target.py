"""A target: a variable U whose relation to the release should survive."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import JointError, UtilityError
from loglift.joint import Column, FloatArray, IntArray, Joint
from loglift.sparse import Cells, Mass, as_cells
from loglift.values import checked_number

MAX_NAMED = 5  # values that a message lists
MAX_WEIGHT = 1e6  # beside the weight 1 of others, which hardly count beyond


@dataclass(frozen=True, eq=False)
class Target:
    """A public column, a coarser version of one, or any p(u|x), with a weight.

    Made by `column`, `coarser`, `bands` or `given`.

    Attributes
    ----------
    name
        What it is called in results.
    weight
        How much it matters, beside targets of the weight 1.
    of
        The public column that it is a version of; None for p(u|x).
    groups
        The group of each value of that column; None for the column itself.
    codes
        The group of each value of that column by position, in place of `groups`.
    table
        p(u|x), or n(u,x), with one row per public value.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> target = loglift.Target.given("income", [[9, 1], [1, 9], [5, 5]])
    >>> round(loglift.merge(joint, 0.5, utility=loglift.Utility.of([target])).utility, 2)
    0.39
    """

    name: str
    weight: float = 1.0
    of: str | None = None
    groups: Mapping[Any, Hashable] | None = None
    codes: IntArray | None = None
    table: Mass | Joint | None = None

    @classmethod
    def column(cls, name: str, weight: float = 1.0) -> Target:
        """Return a public column as a target."""
        return cls(name, _checked_weight(weight), of=name)

    @classmethod
    def coarser(
        cls,
        column: str,
        groups: Mapping[Any, Hashable],
        weight: float = 1.0,
        *,
        name: str | None = None,
    ) -> Target:
        """Return a coarser version of a public column: the group of each of its values."""
        if not isinstance(groups, Mapping):
            raise UtilityError(
                f"the groups of {column!r} must be a mapping of its values, got {groups!r}"
            )
        return cls(name or f"{column} in groups", _checked_weight(weight), column, groups)

    @classmethod
    def bands(cls, column: str, codes: IntArray, count: int, weight: float = 1.0) -> Target:
        """Return an ordered public column cut into bands, as `bands.bands_of` numbers them."""
        return cls(f"{column} in {count} bands", _checked_weight(weight), column, codes=codes)

    @classmethod
    def given(cls, name: str, table: Joint | ArrayLike | Cells, weight: float = 1.0) -> Target:
        """Return a target by p(u|x), or by counts n(u,x): one row per public value.

        Rows are scaled to p(u|x). A `Joint` of x and u is matched by its public values; an array
        has the rows of the joint that is released.
        """
        if isinstance(table, Joint):
            if len(table.variables) > 1:
                raise UtilityError(
                    f"the target {name!r} has {len(table.variables)} variables: give a target for "
                    "each part of .by_variable()"
                )
            return cls(name, _checked_weight(weight), table=table)
        try:
            checked = Joint(table, empty_public="drop", empty_sensitive="drop")
        except JointError as error:
            raise UtilityError(f"p(u|x) of the target {name!r}: {error}") from None
        rows = table.shape[0] if isinstance(table, Cells) else len(np.asarray(table))
        if checked.mass.shape[0] < rows:
            raise UtilityError(
                f"p(u|x) of the target {name!r} is zero in {rows - checked.mass.shape[0]} of "
                f"{rows} rows: give each public value a row that adds up to 1, or counts"
            )
        return cls(name, _checked_weight(weight), table=checked.mass)

    def weighing(self, weight: float) -> Target:
        """Return the target with another weight."""
        return replace(self, weight=weight)

    def mass(self, joint: Joint, weight: FloatArray) -> Mass:
        """Return n(u,x) on a joint, whose public values have these masses n(x)."""
        if self.of is not None:
            codes = self._codes(joint)
            starts = np.arange(weight.size + 1)
            return Cells(starts, codes.astype(np.int64), weight, int(codes.max()) + 1)
        cells = as_cells(self._rows(joint)).astype(np.float64)
        if cells.shape[0] != weight.size:
            raise UtilityError(
                f"p(u|x) of the target {self.name!r} has {cells.shape[0]} rows for {weight.size} "
                "public values: give one row per public value"
            )
        sums = cells.sum(axis=1)
        return Cells(
            cells.starts, cells.columns, cells.values * (weight / sums)[cells.rows], cells.width
        )

    def _rows(self, joint: Joint) -> Mass:
        """Return p(u|x) in the row order of a joint."""
        if not isinstance(self.table, Joint):
            if self.table is None:
                raise UtilityError(
                    f"the target {self.name!r} is neither a column nor p(u|x): make it with "
                    "Target.column, .coarser, .bands or .given"
                )
            return self.table
        place = {value: row for row, value in enumerate(self.table.public)}
        missing = [value for value in joint.public if value not in place]
        if missing:
            raise UtilityError(
                f"the target {self.name!r} has no p(u|x) for {listed(missing)}: count it on the "
                "same records"
            )
        rows = np.array([place[value] for value in joint.public])
        return as_cells(self.table.mass).take(rows)

    def _codes(self, joint: Joint) -> IntArray:
        """Return the number of the group of each public value."""
        column = _named(joint, str(self.of))
        if self.codes is not None:
            bands = np.asarray(self.codes, dtype=np.int64)
            if bands.size != len(column.values):
                raise UtilityError(
                    f"the target {self.name!r} has bands of {bands.size} values, but the column "
                    f"{column.name!r} has {len(column.values)} here: use bands_of this joint"
                )
            return np.asarray(bands[column.codes])
        if self.groups is None:
            return column.codes.astype(np.int64)
        missing = [value for value in column.values if value not in self.groups]
        if missing:
            raise UtilityError(
                f"no group is named for {listed(missing)} of column {column.name!r}: name one for "
                "each value"
            )
        numbers: dict[Hashable, int] = {}
        groups = [numbers.setdefault(self.groups[value], len(numbers)) for value in column.values]
        return np.asarray(np.array(groups, dtype=np.int64)[column.codes])


def _named(joint: Joint, name: str) -> Column:
    for column in joint.columns:
        if column.name == name:
            return column
    if not joint.columns:
        raise UtilityError(
            f"this joint was not counted from a table, so it has no column {name!r}: give p(u|x) "
            "with Target.given"
        )
    raise UtilityError(
        f"{name!r} is not a public column: name one of {', '.join(joint.column_names)}"
    )


def listed(values: Sequence[Any]) -> str:
    """Return the first values of a message, and how many more there are."""
    more = f" and {len(values) - MAX_NAMED} more" if len(values) > MAX_NAMED else ""
    return ", ".join(repr(value) for value in values[:MAX_NAMED]) + more


def checked_weight(weight: float, name: str, least: float = 0.0) -> float:
    """Return a weight after checking that it is a number within its limits."""
    return checked_number(weight, name, least=least, most=MAX_WEIGHT, error=UtilityError)


def _checked_weight(weight: float) -> float:
    return checked_weight(weight, "the weight of a target")
