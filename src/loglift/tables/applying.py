"""Applying a mapping to a table: a JOIN in the engine with the table's own distinct keys.

The keys that are joined on come from the table itself and never change their type; only their
distinct values are looked up in Python. So no engine has to agree with another on types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from loglift.errors import TableError
from loglift.joint import Joint
from loglift.tables.coded import Values, tuples_of
from loglift.tables.counting import Groups, binned, group
from loglift.tables.drawing import Drawing
from loglift.tables.engines import Output
from loglift.tables.faults import explained
from loglift.tables.release import MOST_ROWS, from_counts
from loglift.tables.table import Table, as_names, open_table
from loglift.values import NUMBERS

_LISTED = 10


@dataclass(frozen=True)
class Mapped:
    """A mapping of public values to blocks, and how to read a table's values for it."""

    lookup: Mapping[Values, int]
    types: Sequence[str] | None
    bins: Mapping[str, Any] | None
    unseen: int | Literal["refuse"]

    def values_of(self, groups: Groups, used: Sequence[str]) -> list[Values]:
        """Return the value tuples of groups, after comparing their types with the lookup's."""
        values = [column.values for column in groups.columns]
        refuse_types(used, groups.types, self.types or groups.types, values)
        return tuples_of(groups.columns)

    def blocks_of(self, groups: Groups, used: Sequence[str]) -> list[int]:
        """Return the block of each group."""
        return self.blocks(self.values_of(groups, used))

    def blocks(self, values: Sequence[Values]) -> list[int]:
        """Return the block of each value; unseen ones are refused, or sent to their block."""
        if self.unseen != "refuse":
            return [self.lookup.get(value, self.unseen) for value in values]
        missing = dict.fromkeys(value for value in values if value not in self.lookup)
        if missing:
            listed = ", ".join(repr(v[0] if len(v) == 1 else v) for v in list(missing)[:_LISTED])
            more = ", ..." if len(missing) > _LISTED else ""
            raise TableError(
                f"{len(missing)} values were not seen when the mechanism was made: "
                f"{listed}{more}: remove them, or release them with unseen='suppress' (--unseen "
                "suppress)"
            )
        return [self.lookup[value] for value in values]


def refuse_types(
    columns: Sequence[str],
    found: Sequence[str],
    expected: Sequence[str],
    values: Sequence[Sequence[Any]],
) -> None:
    """Raise if a column has another type than the mechanism knows; one of NULL alone may."""
    for column, kind, known, distinct in zip(columns, found, expected, values, strict=True):
        alike = kind == known or {kind, known} <= NUMBERS
        if not alike and any(value is not None for value in distinct):
            raise TableError(
                f"column {column!r} holds {kind} values and the mechanism knows {known} values: "
                "convert the column"
            )


def apply(
    table: Any,
    public: str | Sequence[str],
    lookup: Mapping[Values, int],
    outputs: Sequence[Output],
    *,
    types: Sequence[str] | None = None,
    bins: Mapping[str, Any] | None = None,
    keep: Sequence[str] = (),
    keep_order: bool = False,
    unseen: int | Literal["refuse"] = "refuse",
    counts: Joint | None = None,
    drawing: Drawing | None = None,
) -> Any:
    """Replace public values by the outputs of their blocks, in the table's own engine.

    Parameters
    ----------
    table
        Anything `open_table` takes. What comes in as one kind of dataframe goes out as the same
        kind, lazy ones lazy; a path gives a DuckDB relation.
    public
        The public columns.
    lookup
        Block number of every public value tuple, as in `Joint.tuples`.
    outputs
        The released columns: for each, one value per block.
    types
        The type names of the lookup's values, as in `Column.type`; the texts of a file
        are read as these.
    bins
        Widths of the intervals, as for `count`.
    keep
        Columns to pass through.
    keep_order
        Keep the input's order instead of shuffling, and in pandas the index. Dask keeps the order;
        Spark keeps it within each partition only.
    unseen
        The block for values that the lookup does not have, or "refuse".
    counts
        The counts of this very table, when they are known already: a file released without kept
        columns is then not read a second time.
    drawing
        For a randomized mechanism: the lookup's numbers are rows of this drawing, and the outputs
        have one value per released value, of which one is drawn for every record.

    Raises
    ------
    TableError
        When a value is unseen, or a column has another type than the lookup's.

    """
    opened, used = open_table(table), as_names(public, "public")
    _refuse_clashes(outputs, keep, fold=opened.engine.folds_case)
    mapped = Mapped(lookup, types, bins, unseen)
    if opened.is_file and not keep and not keep_order and not (drawing and drawing.key):
        size = len(outputs[0].values)
        totals = _block_records(
            opened, used, mapped, len(drawing.rows) if drawing else size, counts
        )
        if totals.sum() <= MOST_ROWS:
            totals = totals if drawing is None else drawing.totals(totals, size)
            return _renamed(from_counts(totals, _inner(outputs)), outputs)
    if drawing is not None:
        result = _drawn(opened, used, mapped, outputs, keep, drawing, keep_order=keep_order)
    else:
        result = _joined(opened, used, mapped, outputs, keep, keep_order=keep_order)
    kept = {f"c{len(used) + i}": name for i, name in enumerate(keep)}
    released = _renamed(result, outputs, kept)
    if opened.kind == "pandas" and keep_order:  # shuffled rows get a new index, which links nothing
        return released.set_axis(opened.frame.index)
    return released


def unseen_records(
    table: Any,
    public: str | Sequence[str],
    lookup: Mapping[Values, int],
    *,
    types: Sequence[str] | None = None,
    bins: Mapping[str, Any] | None = None,
) -> int:
    """Return how many records have public values that the lookup does not have."""
    opened, used = open_table(table), as_names(public, "public")
    groups = group(opened, used, bins=bins, expected=types)
    values = Mapped(lookup, types, bins, "refuse").values_of(groups, used)
    unseen = np.array([value not in lookup for value in values])
    return int(groups.records[unseen].sum())


def _joined(
    opened: Table,
    used: Sequence[str],
    mapped: Mapped,
    outputs: Sequence[Output],
    keep: Sequence[str],
    *,
    keep_order: bool,
) -> Any:
    groups = group(opened, used, bins=mapped.bins, expected=mapped.types)
    blocks = mapped.blocks_of(groups, used)
    keys = [f"c{i}" for i in range(len(used))]
    whole = {name: i for i, name in enumerate(used) if name not in (mapped.bins or {})}
    added = []
    for output, inner in zip(outputs, _inner(outputs), strict=True):
        values, at = [inner.values[block] for block in blocks], whole.get(output.name)
        untouched = at is not None and values == groups.columns[at].rows()
        added.append(replace(inner, values=values, same_as=f"c{at}" if untouched else None))
    frame, _ = binned(opened, used, tuple(keep), bins=mapped.bins)
    with explained(opened.where):
        return opened.engine.attach(
            frame.to_native(), groups.small, keys, added, ordered=keep_order
        )


def _drawn(
    opened: Table,
    used: Sequence[str],
    mapped: Mapped,
    outputs: Sequence[Output],
    keep: Sequence[str],
    drawing: Drawing,
    *,
    keep_order: bool,
) -> Any:
    groups = group(opened, used, bins=mapped.bins, expected=mapped.types)
    among = drawing.among(mapped.blocks_of(groups, used))
    passed = tuple(keep) if drawing.key is None else (*keep, drawing.key)
    frame, _ = binned(opened, used, passed, bins=mapped.bins)
    keys = [f"c{i}" for i in range(len(used))]
    if drawing.key is not None:
        among = replace(among, key=f"c{len(used) + len(keep)}")
        _refuse_missing_keys(opened, frame, drawing.key, f"c{len(used) + len(keep)}")
    with explained(opened.where):
        return opened.engine.draw(
            frame.to_native(), groups.small, keys, among, _inner(outputs), ordered=keep_order
        )


def _refuse_missing_keys(opened: Table, frame: Any, name: str, column: str) -> None:
    """Refuse a key column with gaps: people without a key would all get the same draw."""
    import narwhals as nw  # noqa: PLC0415 - only when a table is used

    gaps = frame.select(nw.col(column).is_null().cast(nw.Int64).sum().alias("gaps"))
    with explained(opened.where):
        found = opened.engine.gather(gaps.to_native()).columns[0].values[0]
    if found:
        raise TableError(
            f"the key column {name!r} is empty in {found} records, which would all get the same "
            "draw: give every record a key"
        )


def _block_records(
    opened: Table, used: Sequence[str], mapped: Mapped, size: int, counts: Joint | None
) -> NDArray[np.int64]:
    """Return the number of records of each block."""
    if counts is not None and [column.name for column in counts.columns] == list(used):
        blocks, records = mapped.blocks(counts.tuples), counts.weight
    else:
        groups = group(opened, used, bins=mapped.bins, expected=mapped.types)
        blocks, records = mapped.blocks_of(groups, used), groups.records
    totals = np.zeros(size, dtype=np.int64)
    np.add.at(totals, blocks, records)
    return totals


def _inner(outputs: Sequence[Output]) -> list[Output]:
    """Return the outputs under names that clash with nothing inside the engines."""
    return [replace(output, name=f"o{i}") for i, output in enumerate(outputs)]


def _renamed(frame: Any, outputs: Sequence[Output], kept: Mapping[str, str] | None = None) -> Any:
    import narwhals as nw  # noqa: PLC0415 - only when a table is used

    names = {f"o{i}": output.name for i, output in enumerate(outputs)} | dict(kept or {})
    renamed = nw.from_native(frame).select(nw.col(old).alias(new) for old, new in names.items())
    return renamed.to_native()


def _refuse_clashes(outputs: Sequence[Output], keep: Sequence[str], *, fold: bool) -> None:
    if not outputs:
        raise TableError("no released column is named: name at least one")
    if "" in (*(output.name for output in outputs), *keep):
        raise TableError("a column that would be released has no name: give it one")
    seen: dict[str, str] = {}
    for name in [*(output.name for output in outputs), *keep]:
        other = seen.get(name.casefold() if fold else name)
        if other is not None:
            raise TableError(
                f"two released columns would be named {other!r} and {name!r}, which is the same "
                "name here: keep or rename only one"
            )
        seen[name.casefold() if fold else name] = name
