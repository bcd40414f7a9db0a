"""The joint of public and sensitive values, and all validation of distributions.

Everything that comes in from outside and claims to be a distribution passes through here once;
the rest of the library works on arrays it can trust.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property, partial
from numbers import Integral
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.cuts import Cut, with_codes
from loglift.errors import JointError, MechanismError
from loglift.sparse import (
    Cells,
    Mass,
    any_row,
    as_cells,
    block_sums,
    cells_of,
    column_sums,
    dense,
    refinement,
    side_by_side,
    take_columns,
)

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Empty: TypeAlias = Literal["refuse", "drop"]

# Positive cells are at least this share of the total, so that p(s)p(x), and the least safe lift
# times it, stay far from underflow, which could hide a violation. Counts never come near it.
SMALLEST_SHARE = 1e-60

# How far a probability vector given as floats may be from summing to one.
SUM_TOLERANCE = 1e-9

# What pandas.crosstab calls the row and the column of sums, unless it is told otherwise.
_MARGIN = "All"
_FEWEST = 3  # rows and columns: with fewer, the last may be sums of the others by chance


@dataclass(frozen=True)
class Variable:
    """A sensitive variable: its values are the columns `start` to `stop` - 1 of a joint's mass."""

    name: Hashable
    start: int
    stop: int

    @property
    def place(self) -> slice:
        """Its columns of the mass."""
        return slice(self.start, self.stop)


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """A column of the table that a joint was counted from.

    Attributes
    ----------
    name
        Its name.
    type
        The name of the type of its values (`loglift.values`); a column cut into bands is text.
    bin
        How it was cut into bands, and which of its values count as NULL, if any.
    values
        Its distinct values, in the order in which names list them.
    codes
        Which of them each public (or joint sensitive) value has.
    ranks
        The place of each value in the order of its categories, for ordered categories; else empty.
    nodes
        For each level of its taxonomy, from fine to coarse, the name of the node that each of its
        values belongs to.

    """

    name: str
    type: str
    bin: Cut | None
    values: tuple[Any, ...]
    codes: NDArray[np.signedinteger[Any]]
    ranks: tuple[int, ...] = ()
    nodes: tuple[tuple[str, ...], ...] = ()

    @property
    def banded(self) -> bool:
        """Whether its values are names of bands."""
        return self.bin is not None and self.bin.bands


@dataclass(frozen=True, eq=False, repr=False)
class Survey:
    """Survey weights: how the records of a weighted joint make up its mass.

    Attributes
    ----------
    column
        The column with the weights.
    counts
        The number of records in each cell of the mass.
    unit
        The mass is sums of weights as whole numbers of this unit, so that they are exact.

    """

    column: str
    counts: Mass
    unit: Fraction


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
        array: Mass = _checked_mass(mass) if sparse is None else _checked_cells(sparse)
        index, names = _labels_of(mass)
        if index and names:
            _refuse_margins(index, names, array)
        given = _checked_variables(variables)
        rows = _checked_labels(index if public is None else public, array.shape[0], "public")
        columns = _checked_labels(
            names if sensitive is None else sensitive, array.shape[1], "sensitive", among=given
        )
        keep_rows = _nonempty(array.sum(axis=1), rows, empty_public, "public")
        keep_columns = _nonempty(array.sum(axis=0), columns, empty_sensitive, "sensitive")
        kept = _kept(array, keep_rows, keep_columns)
        named = [None] * keep_columns.size if given is None else [given[j] for j in keep_columns]
        self.__dict__.update(  # a frozen dataclass has no other way to set fields
            mass=kept,
            public=tuple(rows[i] for i in keep_rows),
            sensitive=tuple(columns[j] for j in keep_columns),
            variables=_runs_of(named),
            columns=(),
            sensitive_columns=(),
            survey=None,
        )
        _refuse_other_weights(kept, self.variables)

    def __repr__(self) -> str:
        n, m = self.mass.shape
        several = f" of {len(self.variables)} variables" if len(self.variables) > 1 else ""
        size = f"{self.total} {'records' if self.is_counts else 'total mass'}"
        if self.survey is not None:
            size = f"{self.records.sum()} records weighted by {self.survey.column!r}"
        return f"Joint({n} public values x {m} sensitive values{several}, {size})"

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
        columns to codes that count as NULL. Labels are the values of a single
        column, tuples of values for several. Several sensitive columns are one variable, their
        joint value; `apart` makes a variable of each. `weights` is a column of survey weights,
        which are added up in place of the records.
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
            raise JointError(f"combined values of {column!r} have the name of another value")
        codes_of = np.searchsorted(kept, into)[found.codes]
        columns = tuple(
            replace(c, values=values, codes=codes_of, ranks=()) if c is found else c
            for c in self.sensitive_columns
        )
        labels = refinement([c.codes for c in columns])
        one_each = any_row(labels)
        shown = tuple(replace(c, codes=c.codes[one_each]) for c in columns)
        rows = zip(*(c.codes.tolist() for c in shown), strict=True)
        events = [tuple(c.values[i] for c, i in zip(shown, row, strict=True)) for row in rows]
        return self._recast(
            lambda mass: column_sums(mass, labels, one_each.size),
            sensitive=tuple(event[0] for event in events) if len(shown) == 1 else tuple(events),
            variables=(Variable(self.variables[0].name, 0, one_each.size),),
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

    def drawn(self, channel: FloatArray) -> Joint:
        """Return the expected joint of released values drawn by p(y|x), one row of it per x.

        Its public values are the numbers of the released values; those never drawn are left out.
        """
        released = channel[:, channel.any(axis=0)].T
        return self._recast(
            lambda mass: released @ dense(mass).astype(np.float64),
            public=tuple(range(released.shape[0])),
            columns=(),
        )

    def seen_as(self, columns: tuple[Column, ...]) -> Joint:
        """Return the joint of a table that shows these columns in place of its public ones.

        Each has a code for every public value of this joint; public values that show the same in
        all columns become one.
        """
        labels = refinement([column.codes for column in columns])
        one_each = any_row(labels)
        shown = tuple(replace(column, codes=column.codes[one_each]) for column in columns)
        codes = zip(*(column.codes.tolist() for column in shown), strict=True)
        values = [tuple(c.values[i] for c, i in zip(shown, row, strict=True)) for row in codes]
        return self._recast(
            lambda mass: block_sums(mass, labels),
            public=tuple(value[0] for value in values) if len(columns) == 1 else tuple(values),
            columns=shown,
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

    @property
    def tuples(self) -> tuple[tuple[Any, ...], ...]:
        """The public values as tuples, with one entry per public column."""
        if len(self.columns) > 1:
            return self.public  # type: ignore[return-value]  # labels of several columns are tuples
        return tuple((value,) for value in self.public)

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


def _row_sums(mass: Mass, variables: tuple[Variable, ...]) -> NDArray[Any]:
    """Add up each row over the columns of one variable; the others have the same records."""
    if len(variables) > 1:
        mass = take_columns(mass, np.arange(variables[0].stop))
    return np.asarray(mass.sum(axis=1))


def _as_numbers(sums: NDArray[Any]) -> NDArray[Any]:
    """Return sums of Python integers as float64, other sums as they are."""
    return sums.astype(np.float64) if sums.dtype == object else sums


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Make the array read-only and return it."""
    array.flags.writeable = False
    return array


def as_joint(joint: Joint | ArrayLike) -> Joint:
    """Return `joint` itself, or the validated Joint of an array without labels."""
    return joint if isinstance(joint, Joint) else Joint(joint)


def as_distribution(mass: ArrayLike) -> FloatArray:
    """Return a non-negative mass vector as probabilities; zeros are allowed."""
    scaled = _floats(_numeric(mass, "a distribution", "(values,)"), "a distribution")
    with np.errstate(over="ignore"):
        total = scaled.sum()
    if not 0 < total < np.inf:
        raise JointError(
            f"a distribution needs a positive, finite total, got {total}: give counts or "
            "probabilities with at least one positive entry"
        )
    p: FloatArray = scaled / total
    return p


def as_channel(channel: ArrayLike, inputs: int) -> FloatArray:
    """Return p(y|x) as float64, shape (inputs, outputs), after checking that rows sum to one."""
    try:
        shape = "(public values, released values)"
        array = _floats(_numeric(channel, "a channel p(y|x)", shape), "a channel p(y|x)")
    except JointError as error:
        raise MechanismError(str(error)) from None
    if array.shape[0] != inputs:
        raise MechanismError(
            f"the channel has {array.shape[0]} rows for {inputs} public values: "
            "give one row p(.|x) per public value"
        )
    with np.errstate(over="ignore"):
        off = np.abs(array.sum(axis=1) - 1).max()
    if off > SUM_TOLERANCE:
        raise MechanismError(
            f"a row of the channel is off by {off:.3g} from summing to 1: divide rows by their sums"
        )
    return array


def _labels_of(mass: Any) -> tuple[list[Any] | None, list[Any] | None]:
    """Return the row labels and the column labels of a frame; None where it has no such labels.

    pandas has both; Polars and PyArrow have column names only. No library is imported to find out.
    """
    index: Any = getattr(mass, "index", None)
    columns: Any = getattr(mass, "columns", None)
    if hasattr(index, "tolist") and hasattr(columns, "tolist"):
        return index.tolist(), columns.tolist()
    names = getattr(mass, "column_names", columns)
    return None, names if isinstance(names, list) else None


def _refuse_margins(index: list[Any], names: list[Any], mass: Mass) -> None:
    """Refuse a last row or column that is the sum of the others and is named or placed so.

    `pandas.crosstab` makes both, and calls them 'All' unless it is told otherwise.
    """
    rows = dense(mass)
    sides = (("row", index[-1], rows), ("column", names[-1], rows.T))
    sums = [
        (side, last)
        for side, last, cells in sides
        if len(cells) > 1 and np.allclose(cells[-1], cells[:-1].sum(axis=0))
    ]
    for side, last in sums:
        name = last[0] if isinstance(last, tuple) and last else last
        if name == _MARGIN or (len(sums) == len(sides) and min(rows.shape) >= _FEWEST):
            raise JointError(
                f"the {side} {last!r} is the sum of the others, not a value: make the crosstab "
                "without margins"
            )


def _checked_cells(cells: Cells) -> Cells:
    """Return the cells of a sparse mass after the same checks as those of an array."""
    values = cells.values if cells.values.size else np.zeros(1, dtype=cells.dtype)
    checked = frozen(_checked_mass(values[np.newaxis])[0])
    return cells.mapped(lambda _: checked)


def _kept(mass: Mass, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Mass:
    """Return the kept rows and columns, read-only."""
    if isinstance(mass, np.ndarray):
        return frozen(mass[np.ix_(rows, columns)])
    return take_columns(mass.take(rows), columns)


def _checked_mass(mass: Any) -> NDArray[Any]:
    what = "the mass of a joint"
    array = _numeric(mass, what, "(public values, sensitive values)")
    _refuse_negative_or_nonfinite(array, what)
    with np.errstate(over="ignore"):
        total = float(array.sum(dtype=np.float64))
    if total == 0:
        raise JointError("the joint has no mass at all: at least one count must be positive")
    if np.issubdtype(array.dtype, np.integer):
        if array.max() > np.iinfo(np.int64).max or total >= np.iinfo(np.int64).max:
            raise JointError("the counts add up to more than 2^63: divide them by a common factor")
        return array.astype(np.int64)
    if not np.isfinite(total):
        raise JointError("the mass adds up to infinity: divide it by a common factor")
    floats = _floats(array, what)
    if floats[floats > 0].min() < SMALLEST_SHARE * total:
        raise JointError(
            f"a positive cell is below {SMALLEST_SHARE:g} of the total, too small to compute a "
            "lift from: round it to zero"
        )
    return floats


def _numeric(values: ArrayLike, what: str, shape: str) -> NDArray[Any]:
    """Return `values` as a numeric array with as many dimensions as `shape` names, none empty."""
    if isinstance(values, Joint):
        raise JointError(f"{what} is expected, not a Joint: give its .p_public or .probabilities")
    if np.ma.is_masked(values):
        raise JointError(f"{what} has masked entries: fill them, or leave them out")
    try:
        array = np.asarray(values)
    except ValueError:  # ragged nested lists
        raise JointError(f"{what} must be a rectangular array of numbers, shape {shape}") from None
    if array.dtype.kind == "O":
        array = _from_objects(array, what)
    if array.dtype.kind not in "iuf":
        raise JointError(f"{what} must hold numbers, got {array.dtype}: give counts or weights")
    if array.ndim != len(shape.removesuffix(",)").split(",")):
        raise JointError(f"{what} must have shape {shape}, got {array.shape}")
    if array.size == 0:
        raise JointError(f"{what} is empty, shape {array.shape}: it needs at least one value")
    return array


def _from_objects(array: NDArray[Any], what: str) -> NDArray[Any]:
    """Convert an array of objects, such as large integers, decimals or fractions, to numbers."""
    if any(isinstance(item, (str, bytes, complex)) or item is None for item in array.flat):
        raise JointError(f"{what} must hold numbers only: replace missing or text entries")
    whole = all(isinstance(item, Integral) and not isinstance(item, bool) for item in array.flat)
    try:
        return array.astype(np.int64 if whole else np.float64)
    except (TypeError, ValueError, OverflowError):
        raise JointError(f"{what} must hold numbers below 2^63 in a rectangular array") from None


def _floats(array: NDArray[Any], what: str) -> FloatArray:
    """Return the array as float64; entries that do not fit are infinite there, and refused."""
    with np.errstate(over="ignore"):
        floats = array.astype(np.float64)
    _refuse_negative_or_nonfinite(floats, what)
    return floats


def _refuse_negative_or_nonfinite(array: NDArray[Any], what: str) -> None:
    if not np.isfinite(array).all():
        raise JointError(f"{what} holds NaN or infinity: replace or remove those entries")
    if (array < 0).any():
        raise JointError(f"{what} holds negative entries, the least is {array.min()}: remove them")


def _checked_variables(variables: Iterable[Hashable] | None) -> list[Hashable] | None:
    """Return the name of the variable of each column as a list; None where all belong to one."""
    if variables is None:
        return None
    if isinstance(variables, (str, bytes)) or not isinstance(variables, Iterable):
        raise JointError(f"variables must be a list with a name for each column, got {variables!r}")
    named = [one_nan(name) for name in variables]
    if not all(isinstance(name, Hashable) for name in named):
        raise JointError("the names of variables must be hashable: use texts or numbers")
    return named


def _runs_of(names: Sequence[Hashable]) -> tuple[Variable, ...]:
    """Return the variables, given the name of the one that each column belongs to."""
    variables: list[Variable] = []
    for j, name in enumerate(names):
        if variables and (variables[-1].name is name or variables[-1].name == name):
            variables[-1] = replace(variables[-1], stop=j + 1)
        elif any(variable.name == name for variable in variables):
            raise JointError(
                f"the columns of the variable {name!r} stand apart: put them side by side"
            )
        else:
            variables.append(Variable(name, j, j + 1))
    return tuple(variables)


def _refuse_other_weights(mass: Mass, variables: tuple[Variable, ...]) -> None:
    """Raise if the columns of two variables do not add up to the same p(x)."""
    sums = [take_columns(mass, np.arange(v.start, v.stop)).sum(axis=1) for v in variables]
    for variable, weight in zip(variables[1:], sums[1:], strict=True):
        exactly = np.issubdtype(weight.dtype, np.integer)
        if not np.allclose(weight, sums[0], rtol=0 if exactly else SUM_TOLERANCE, atol=0):
            raise JointError(
                f"the columns of the variable {variable.name!r} do not add up to the row sums of "
                f"{variables[0].name!r}: every record has one value of each variable"
            )


def _checked_labels(
    labels: Iterable[Hashable] | None,
    size: int,
    side: str,
    *,
    among: Sequence[Hashable] | None = None,
) -> tuple[Hashable, ...]:
    """Return one label for each value, all different; within each variable that `among` names."""
    if among is not None and len(among) != size:
        raise JointError(f"{len(among)} variables for {size} {side} values: name one for each")
    if labels is None:
        return tuple(range(size))
    if isinstance(labels, (str, bytes, AbstractSet)):
        raise JointError(f"the {side} labels must be a list: give one label per value")
    try:
        given = _plain(labels) if isinstance(labels, np.ndarray) else labels
        found = tuple(map(one_nan, given))
        told = found if among is None else tuple(zip(among, found, strict=False))
        distinct = len({"NaN" if _is_nan(label) else label for label in told})
    except TypeError:
        raise JointError(
            f"the {side} labels must be hashable, in a list: use tuples for several columns"
        ) from None
    if len(found) != size:
        raise JointError(f"{len(found)} {side} labels for {size} {side} values: give one each")
    if distinct != size:
        raise JointError(
            f"the {side} label {_first_repeated(told)!r} is repeated: "
            "add up its rows, or rename one"
        )
    return found


def _plain(labels: NDArray[Any]) -> list[Any]:
    """Return an array's labels as Python values; times in microseconds, the most Python has."""
    if labels.dtype.kind in "mM":
        labels = labels.astype(f"{labels.dtype.kind}8[us]")
    plain: list[Any] = labels.tolist()
    return plain


def one_nan(label: Any) -> Any:
    """Return a label as Python has it: a NumPy number or text as Python's own, and one NaN for all.

    Look-ups find NaN by identity.
    """
    if isinstance(label, np.generic) and label.dtype.kind in "iufbU":
        label = label.item()
    return math.nan if _is_nan(label) else label


def _is_nan(label: Hashable) -> bool:
    return isinstance(label, float) and math.isnan(label)


def _first_repeated(labels: tuple[Hashable, ...]) -> Hashable:
    counts = Counter("NaN" if _is_nan(label) else label for label in labels)
    return counts.most_common(1)[0][0]


def _nonempty(
    sums: NDArray[Any], labels: tuple[Hashable, ...], empty: Empty, side: str
) -> NDArray[np.intp]:
    if not isinstance(empty, str) or empty not in ("refuse", "drop"):
        raise JointError(f"empty_{side} must be 'refuse' or 'drop', got {empty!r}")
    keep = np.flatnonzero(sums > 0)
    if empty == "refuse" and len(keep) < len(labels):
        first = labels[int(np.flatnonzero(sums == 0)[0])]
        raise JointError(
            f"the {side} value {first!r} has no mass ({len(labels) - len(keep)} such in all), so "
            f"no lift is defined for it: pass empty_{side}='drop' to leave it out"
        )
    return keep
