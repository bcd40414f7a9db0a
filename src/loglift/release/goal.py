"""The goal of a release: from what was asked for to a `Utility` on the counts of a table.

By default a table with several public columns, or an ordered one, keeps its columns. Any other, and
a release that is certified for the population, keeps I(X;Y). Purposes are columns of the table,
released or not, whose relation to the released ones should be kept: each is counted against the
public columns, smoothed, and becomes a target; the more of it is chance, the less it weighs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from loglift import tables
from loglift.errors import TableError, UtilityError
from loglift.joint import Column, Joint
from loglift.release.options import Options
from loglift.sparse import column_sums, take_rows
from loglift.tables.columns import same_name
from loglift.utility.bands import bands_of, is_ordered
from loglift.utility.smoothing import smoothed
from loglift.utility.target import Target
from loglift.utility.taxonomy import Taxonomy
from loglift.utility.utility import Utility, default_utility

TaxonomyLike: TypeAlias = Taxonomy | str | PathLike[str] | Mapping[Any, Any]

PURPOSE_WEIGHT = 16.0  # of all purposes together, in units of the weight of all columns
MIN_RELIABILITY = 0.01  # of a purpose about which the counts say nothing but chance
MAX_PURPOSE_VALUES = 16  # numbers, dates and times with more are cut into as many bands


def with_taxonomies(joint: Joint, options: Options) -> Joint:
    """Return the joint with the nodes of the taxonomies that were given for its columns."""
    _refuse_unknown("taxonomies (--taxonomy) name", options.taxonomies, joint)
    columns = tuple(_with_nodes(column, options.taxonomies) for column in joint.columns)
    return joint.with_columns(columns) if options.taxonomies else joint


def goal_of(opened: tables.Table | None, joint: Joint, options: Options) -> Utility:
    """Return what a release of these counts is to keep.

    `opened` is the table, from which purposes are counted.
    """
    if isinstance(options.utility, Utility):
        return options.utility
    asked = options.importance or options.unordered or options.taxonomies or options.purposes
    default = default_utility(joint)
    plain = options.utility is None and default.is_joint and not asked
    if options.utility == "joint" or options.confidence is not None or plain:
        return Utility.joint()
    _refuse_unknown("importance (--importance) names", options.importance, joint)
    purposes = [_purpose(opened, joint, name, options) for name in options.purposes]
    weights = [options.importance.get(name, 1.0) for name in joint.column_names]
    whole = PURPOSE_WEIGHT * max(1.0, sum(weights))
    weighing = [target.weighing(target.weight * whole / len(purposes)) for target in purposes]
    coarser = {
        column.name: [dict(zip(column.values, level, strict=True)) for level in column.nodes]
        for column in joint.columns
        if column.nodes
    }
    return Utility.columns(
        options.importance, coarser=coarser, unordered=options.unordered, targets=weighing
    )


def _with_nodes(column: Column, taxonomies: Mapping[str, TaxonomyLike]) -> Column:
    if column.name not in taxonomies:
        return column
    given = taxonomies[column.name]
    if not isinstance(given, Taxonomy):
        given = Taxonomy.of(given) if isinstance(given, Mapping) else Taxonomy.read(given)
    levels = given.matched(column)
    return replace(
        column, nodes=tuple(tuple(level[value] for value in column.values) for level in levels)
    )


def _purpose(opened: tables.Table | None, joint: Joint, name: str, options: Options) -> Target:
    """Return a column of the table as a target; one of many numbers or dates is cut into bands."""
    if name in joint.column_names:
        return Target.column(name)
    if opened is None:
        raise UtilityError(f"the purpose {name!r} is not a public column: give its p(u|x)")
    if same_name(name, options.sensitive, fold=opened.engine.folds_case) is not None:
        raise TableError(
            f"the purpose (--for) {name!r} is sensitive: name columns that are not sensitive"
        )
    types = [None if column.banded else column.type for column in joint.columns]
    bins: dict[str, Any] = {c.name: c.bin for c in joint.columns if c.bin is not None}
    bins |= {name: options.bins[name]} if name in options.bins else {}
    counted = tables.count(opened, options.public, (name,), bins=bins, types=types)
    column, mass = counted.sensitive_columns[0], counted.mass
    if is_ordered(column) and len(column.values) > MAX_PURPOSE_VALUES:
        bands = bands_of(column, np.asarray(counted.prior), MAX_PURPOSE_VALUES)
        mass = column_sums(mass, bands, int(bands.max()) + 1)
    place = {value: row for row, value in enumerate(counted.public)}
    rows = np.array([place[value] for value in joint.public])
    found = smoothed(take_rows(mass, rows))
    return Target.given(name, found.table).weighing(max(found.reliability, MIN_RELIABILITY))


def _refuse_unknown(what: str, names: Iterable[str], joint: Joint) -> None:
    for name in names:
        if name not in joint.column_names:
            raise UtilityError(
                f"{what} {name!r}, which is not a public column: name one of "
                f"{', '.join(joint.column_names)}"
            )
