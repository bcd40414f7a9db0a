"""The public and the sensitive side of grouped rows, and the joint of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loglift.cuts import Cut
from loglift.joint import Column, IntArray, Joint, Survey, Variable
from loglift.sparse import held
from loglift.tables.codes import Coded, distinct_rows
from loglift.tables.grouping import Groups
from loglift.tables.weighing import Weights, compact


@dataclass(frozen=True, eq=False)
class Side:
    """The public or the sensitive columns: their distinct joint values, and that of each group.

    Labels are bare values for a single column, and tuples for several, sorted column by column:
    NULL first, then NaN, then by value. The order is the same from every engine.
    """

    columns: tuple[Column, ...]
    labels: tuple[Any, ...]
    places: IntArray


def side_of(
    names: Sequence[str],
    types: Sequence[str],
    columns: Sequence[Coded],
    cuts: Sequence[Cut | None],
) -> Side:
    """Number the distinct joint values of some columns of the groups."""
    found = distinct_rows(columns)
    named = zip(names, types, cuts, columns, found.codes, strict=True)
    return Side(
        tuple(
            Column(name, kind, cut, tuple(column.values), codes)
            for name, kind, cut, column, codes in named
        ),
        tuple(found.columns[0].rows()) if len(columns) == 1 else found.values,
        found.places,
    )


def sides_of(
    groups: Groups, names: Sequence[str], public: int, cuts: Sequence[Cut | None]
) -> tuple[Side, Side]:
    """Number the distinct joint values of the first `public` columns, and those of the others."""
    x, s = (
        side_of(names[place], groups.types[place], groups.columns[place], cuts[place])
        for place in (slice(0, public), slice(public, None))
    )
    return x, s


def joint_of(
    public: Side,
    sensitive: Side,
    rows: IntArray,
    columns: IntArray,
    records: IntArray,
    weights: Weights | None = None,
) -> Joint:
    """Return the joint in which public value rows[k] occurs records[k] times with columns[k].

    With weights, these are what is added up.
    """
    shape = len(public.labels), len(sensitive.labels)
    name = tuple(column.name for column in sensitive.columns)
    mass, survey = held(rows, columns, records, shape), None
    if weights is not None:
        survey = Survey(weights.column, mass, weights.unit)
        mass = compact(held(rows, columns, weights.numbers, shape))
    return Joint.trusted(
        mass,
        public.labels,
        sensitive.labels,
        (Variable(name[0] if len(name) == 1 else name, 0, shape[1]),),
        public.columns,
        sensitive.columns,
        survey,
    )
