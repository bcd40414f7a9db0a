"""The joint of public and sensitive values: counts, probabilities or weights, with labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.cuts import with_codes
from loglift.errors import JointError
from loglift.joint.arrays import FloatArray, frozen
from loglift.joint.columns import Column, Survey, Variable, runs_of
from loglift.joint.distributions import checked_cells, checked_mass, refuse_other_weights
from loglift.joint.labels import (
    Empty,
    checked_labels,
    checked_variables,
    labels_of_frame,
    nonempty,
    refuse_margins,
)
from loglift.sparse import (
    Cells,
    IntArray,
    Mass,
    any_row,
    as_cells,
    block_sums,
    cells_of,
    column_sums,
    dense,
    drawn_sums,
    holders,
    refinement,
    side_by_side,
    take_columns,
)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Joint:
    """p(s,x), or its counts, with labels: one row per public value, one column per sensitive.

    Parameters
    ----------
    mass
        Counts, probabilities or weights, shape (public values, sensitive values). Integers stay
        integers; any other mass may have any positive total and is normalised where a
        probability is needed. A sparse matrix of SciPy is held as `Cells`: only what is not zero.
        A frame with an index, such as `pandas.crosstab` makes, also gives the labels, one without
        an index those of the columns; margins are refused.
    public, sensitive
        Labels of the rows and columns; when not given, those of a frame, or 0, 1, 2, ...
    variables
        For several sensitive variables, each to be bounded on its own: the name of the variable
        that each column belongs to. The columns of a variable stand side by side and add up to the
        same p(x) as those of the others. By default all columns belong to one variable.
    empty_public, empty_sensitive
        What to do with a row (column) whose mass is zero, for which no lift is defined:
        "refuse" raises `JointError`, "drop" leaves it out.

    Attributes
    ----------
    mass
        The mass as given, read-only, int64 or float64, without dropped rows and columns; `Cells`
        for a sparse matrix, or for a table with many values and few cells that are not zero. With
        k variables every record is in it k times, which changes no lift. Sums of survey weights are
        whole numbers, those beyond 2^63 as Python integers (dtype object).
    public, sensitive
        The labels, as tuples; those of a table are bare values for a single column, tuples for
        several.
    variables
        The sensitive variables, as `Variable`s.
    columns, sensitive_columns
        The public and sensitive columns of the table it was counted from, as `Column`s; empty for
        other joints.
    survey
        The survey weights that the mass adds up; None where every record counts the same.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> joint.records, joint.is_counts, joint.prior.tolist()
    (array([40, 40, 40]), True, [60, 60])
    """

    mass: Mass
    public: tuple[Hashable, ...]
    sensitive: tuple[Hashable, ...]
    variables: tuple[Variable, ...]
    columns: tuple[Column, ...]
    sensitive_columns: tuple[Column, ...]
    survey: Survey | None

    def __init__(
        self,
        mass: ArrayLike | Cells,
        public: Iterable[Hashable] | None = None,
        sensitive: Iterable[Hashable] | None = None,
        *,
        variables: Iterable[Hashable] | None = None,
        empty_public: Empty = "refuse",
        empty_sensitive: Empty = "refuse",
    ) -> None:
        sparse = cells_of(mass)
        array: Mass = checked_mass(mass) if sparse is None else checked_cells(sparse)
        index, names = labels_of_frame(mass)
        if index and names:
            refuse_margins(index, names, array)
        given = checked_variables(variables)
        rows = checked_labels(index if public is None else public, array.shape[0], "public")
        columns = checked_labels(
            names if sensitive is None else sensitive, array.shape[1], "sensitive", among=given
        )
        keep_rows = nonempty(array.sum(axis=1), rows, empty_public, "public")
        keep_columns = nonempty(array.sum(axis=0), columns, empty_sensitive, "sensitive")
        kept = _kept(array, keep_rows, keep_columns)
        named = [None] * keep_columns.size if given is None else [given[j] for j in keep_columns]
        self.__dict__.update(  # a frozen dataclass has no other way to set fields
            mass=kept,
            public=tuple(rows[i] for i in keep_rows),
            sensitive=tuple(columns[j] for j in keep_columns),
            variables=runs_of(named),
            columns=(),
            sensitive_columns=(),
            survey=None,
        )
        refuse_other_weights(kept, self.variables)

    def __repr__(self) -> str:
        n, m = self.mass.shape
        several = f" of {len(self.variables)} variables" if len(self.variables) > 1 else ""
        size = f"{self.total} {'records' if self.is_counts else 'total mass'}"
        if self.survey is not None:
            size = f"{self.records.sum()} records weighted by {self.survey.column!r}"
        return f"Joint({n} public values x {m} sensitive values{several}, {size})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from loglift.joint.card import card_of  # noqa: PLC0415, it shows this class

        return card_of(self).html()

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (getattr(self, field.name) for field in fields(self))
        return (Joint.trusted, tuple(parts))

    @classmethod
    def trusted(
        cls,
        mass: Mass,
        public: tuple[Hashable, ...],
        sensitive: tuple[Hashable, ...],
        variables: tuple[Variable, ...],
        columns: tuple[Column, ...] = (),
        sensitive_columns: tuple[Column, ...] = (),
        survey: Survey | None = None,
    ) -> Joint:
        """Put a joint together from parts that were checked before, such as counts of a table."""
        joint = cls.__new__(cls)
        joint.__dict__.update(
            mass=mass if isinstance(mass, Cells) else frozen(mass),
            public=public,
            sensitive=sensitive,
            variables=variables,
            columns=columns,
            sensitive_columns=sensitive_columns,
            survey=survey,
        )
        return joint

    def _recast(self, change: Callable[[Mass], Mass], **parts: Any) -> Joint:
        """Return the joint with its mass, and the counts behind its weights, changed alike."""
        survey = self.survey
        if survey is not None:
            survey = replace(survey, counts=change(survey.counts))
        kept = {field.name: getattr(self, field.name) for field in fields(self)}
        return Joint.trusted(**{**kept, **parts, "mass": change(self.mass), "survey": survey})

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        sensitive: str | Sequence[str],
        public: str | Sequence[str],
        bins: Mapping[str, Any] | None = None,
        missing: Mapping[str, Any] | None = None,
        weights: str | None = None,
    ) -> Joint:
        """Count the public values of a table against its sensitive ones.

        `table` is a path or a dataframe, `bins` are as in `loglift.audit`, and `missing` maps
        columns to codes that count as NULL. Labels are the values of a single column, tuples of
        values for several. Several sensitive columns are one variable, their joint value; `apart`
        makes a variable of each. `weights` is a column of survey weights, which are added up in
        place of the records.
        """
        from loglift.tables import count  # noqa: PLC0415, dataframe engines load only when used

        return count(table, public, sensitive, bins=with_codes(bins, missing), weights=weights)

    def apart(self) -> Joint:
        """Return the joint with each sensitive column of the table as a variable of its own."""
        if len(self.sensitive_columns) == 1 or len(self.variables) > 1:
            return self
        if not self.sensitive_columns:
            raise JointError(
                "this joint was not counted from a table: name the variable of each column with "
                "variables="
            )
        labels: list[Hashable] = []
        variables = []
        for column in self.sensitive_columns:
            size = len(column.values)
            variables.append(Variable(column.name, len(labels), len(labels) + size))
            labels += column.values
        return self._recast(self.apart_mass, sensitive=tuple(labels), variables=tuple(variables))

    def apart_mass(self, mass: Mass) -> Mass:
        """Return mass of this joint's shape with the columns that `apart` has."""
        parts = [
            column_sums(mass, column.codes, len(column.values)) for column in self.sensitive_columns
        ]
        return side_by_side(parts)

    def combined(self, column: str, groups: Sequence[Sequence[Any]]) -> Joint:
        """Return the joint in which some values of a sensitive column are one, group by group.

        They are named by all their values, "NULL or Borderline". Values that the column does not
        have are passed over. Nothing is promised about telling the values of a group apart.
        """
        found = next((c for c in self.sensitive_columns if c.name == column), None)
        if found is None or len(self.variables) > 1:
            names = ", ".join(c.name for c in self.sensitive_columns)
            raise JointError(
                f"values of {column!r} cannot be combined: name a sensitive column ({names}), "
                "before the columns are taken apart"
            )
        place = {value: code for code, value in enumerate(found.values)}
        into = np.arange(len(place))
        names_of: list[Any] = list(found.values)
        for group in groups:
            codes = sorted({place[value] for value in group if value in place})
            if not codes:
                continue
            into[codes] = codes[0]
            # The name says all of them, so that it is the same for every table.
            words = ("NULL" if value is None else str(value) for value in group)
            names_of[codes[0]] = " or ".join(words) if len(group) > 1 else names_of[codes[0]]
        kept = np.unique(into)
        values = tuple(names_of[code] for code in kept.tolist())
        if len(set(values)) < len(values):
            raise JointError(
                f"combined values of {column!r} have the name of another value: rename that value"
            )
        codes_of = np.searchsorted(kept, into)[found.codes]
        columns = tuple(
            replace(c, values=values, codes=codes_of, ranks=(), mixed=True) if c is found else c
            for c in self.sensitive_columns
        )
        labels, shown = _one_each(columns)
        events = _values_of(shown)
        return self._recast(
            lambda mass: column_sums(mass, labels, len(events)),
            sensitive=events,
            variables=(Variable(self.variables[0].name, 0, len(events)),),
            sensitive_columns=shown,
        )

    def by_variable(self) -> tuple[Joint, ...]:
        """Return one joint for each sensitive variable, with the counts of every record once."""
        if len(self.variables) == 1:
            return (self,)
        return tuple(
            self._recast(
                partial(take_columns, columns=np.arange(variable.start, variable.stop)),
                sensitive=self.sensitive[variable.place],
                variables=(Variable(variable.name, 0, variable.stop - variable.start),),
                sensitive_columns=tuple(
                    c for c in self.sensitive_columns if c.name == variable.name
                ),
            )
            for variable in self.variables
        )

    def merged(self, labels: IntArray, size: int | None = None) -> Joint:
        """Return the joint of the blocks that the labels number, as many as `size`.

        Its public values are the numbers of the blocks; a block without members has no mass.
        """
        blocks = int(labels.max()) + 1 if size is None else size
        return self._recast(
            lambda mass: block_sums(mass, labels, blocks), public=tuple(range(blocks)), columns=()
        )

    def drawn(self, channel: Mass) -> Joint:
        """Return the expected joint of released values drawn by p(y|x), one row of it per x.

        Its public values are the numbers of the released values; those never drawn are left out.
        """
        released = take_columns(channel, np.flatnonzero(holders(channel)))
        return self._recast(
            lambda mass: drawn_sums(released, dense(mass).astype(np.float64)),
            public=tuple(range(released.shape[1])),
            columns=(),
        )

    def seen_as(self, columns: tuple[Column, ...]) -> Joint:
        """Return the joint of a table that shows these columns in place of its public ones.

        Each has a code for every public value of this joint; public values that show the same in
        all columns become one.
        """
        labels, shown = _one_each(columns)
        return self._recast(
            lambda mass: block_sums(mass, labels), public=_values_of(shown), columns=shown
        )

    def with_columns(self, columns: tuple[Column, ...]) -> Joint:
        """Return the joint with more known of its public columns."""
        return self._recast(lambda mass: mass, columns=columns)

    def event(self, number: int) -> Any:
        """Return a sensitive value: `{column: value, ...}` for a table, else its label."""
        label, names = self.sensitive[number], [column.name for column in self.sensitive_columns]
        if not names:
            return label
        if len(self.variables) > 1:
            of = next(variable for variable in self.variables if number < variable.stop)
            return {of.name: label}
        values = label if isinstance(label, tuple) and len(names) > 1 else (label,)
        return dict(zip(names, values, strict=True))

    @cached_property
    def tuples(self) -> tuple[tuple[Any, ...], ...]:
        """The public values as tuples, with one entry per public column."""
        if len(self.columns) > 1:
            return self.public  # type: ignore[return-value]  # labels of several columns are tuples
        return tuple(zip(self.public, strict=True))

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the public columns of the table."""
        return tuple(column.name for column in self.columns)

    @property
    def is_counts(self) -> bool:
        """Whether the mass is counts of records."""
        return self.survey is None and self.is_whole

    @property
    def is_whole(self) -> bool:
        """Whether the mass is whole numbers, which add up without rounding."""
        return self.mass.dtype == object or bool(np.issubdtype(self.mass.dtype, np.integer))

    @property
    def counts(self) -> Mass:
        """The number of records in each cell; the mass, where it is not weighted."""
        return self.mass if self.survey is None else self.survey.counts

    @cached_property
    def weight(self) -> NDArray[Any]:
        """n(x), or the mass of each public value; Python integers as float64."""
        return frozen(_as_numbers(_row_sums(self.mass, self.variables)))

    @cached_property
    def prior(self) -> NDArray[Any]:
        """n(s), or the mass of each sensitive value; Python integers as float64."""
        return frozen(_as_numbers(np.asarray(self.mass.sum(axis=0))))

    @cached_property
    def total(self) -> int | float:
        """The total mass: the number of records when the mass is counts."""
        total: int | float = self.weight.sum().item()
        return total

    @cached_property
    def records(self) -> NDArray[Any]:
        """The number of records of each public value; its mass, where that is not counts."""
        return self.weight if self.survey is None else _row_sums(self.counts, self.variables)

    @cached_property
    def records_with(self) -> NDArray[Any]:
        """The number of records of each sensitive value; its mass, where that is not counts."""
        return self.prior if self.survey is None else np.asarray(self.counts.sum(axis=0))

    @cached_property
    def scaled(self) -> Mass:
        """The mass as float64 on a scale where products of two masses neither over- nor underflow.

        Counts are kept as they are, so that their ratios are exact up to one rounding; other
        masses are scaled by a power of two, which rounds nothing, to a total in [1/2, 1).
        """
        mass = self.mass.astype(np.float64)
        if not np.issubdtype(self.mass.dtype, np.integer):
            _, exponent = np.frexp(mass.sum())
            if isinstance(mass, Cells):
                return mass.mapped(lambda values: np.ldexp(values, -exponent))
            mass = np.ldexp(mass, -exponent)
        return mass if isinstance(mass, Cells) else frozen(mass)

    @cached_property
    def positive(self) -> Cells:
        """The positive cells of `scaled`."""
        return as_cells(self.scaled)

    @cached_property
    def probabilities(self) -> FloatArray:
        """p(x,s), shape (public values, sensitive values)."""
        return frozen(dense(self.scaled) / (self.scaled.sum() / len(self.variables)))

    @cached_property
    def p_public(self) -> FloatArray:
        """p(x)."""
        rows = self.scaled.sum(axis=1)
        return frozen(rows / rows.sum())

    @cached_property
    def p_sensitive(self) -> FloatArray:
        """p(s); the values of each variable add up to one."""
        columns = self.scaled.sum(axis=0)
        return frozen(columns / (columns.sum() / len(self.variables)))


def _one_each(columns: tuple[Column, ...]) -> tuple[IntArray, tuple[Column, ...]]:
    """Number what the columns show together, and return them with one code for each number."""
    labels = refinement([column.codes for column in columns])
    firsts = any_row(labels)
    return labels, tuple(replace(column, codes=column.codes[firsts]) for column in columns)


def _values_of(columns: tuple[Column, ...]) -> tuple[Hashable, ...]:
    """Return what columns show together: bare values of a single one, tuples of several."""
    cells = [[column.values[code] for code in column.codes.tolist()] for column in columns]
    return tuple(cells[0]) if len(columns) == 1 else tuple(zip(*cells, strict=True))


def _row_sums(mass: Mass, variables: tuple[Variable, ...]) -> NDArray[Any]:
    """Add up each row over the columns of one variable; the others have the same records."""
    if len(variables) > 1:
        mass = take_columns(mass, np.arange(variables[0].stop))
    return np.asarray(mass.sum(axis=1))


def _as_numbers(sums: NDArray[Any]) -> NDArray[Any]:
    """Return sums of Python integers as float64, other sums as they are."""
    return sums.astype(np.float64) if sums.dtype == object else sums


def as_joint(joint: Joint | ArrayLike) -> Joint:
    """Return `joint` itself, or the validated Joint of an array without labels."""
    return joint if isinstance(joint, Joint) else Joint(joint)


def _kept(mass: Mass, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Mass:
    """Return the kept rows and columns, read-only."""
    if isinstance(mass, np.ndarray):
        return frozen(mass[np.ix_(rows, columns)])
    return take_columns(mass.take(rows), columns)
