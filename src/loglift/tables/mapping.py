"""Apply a mechanism to a table: a JOIN in the engine with the table's own distinct keys.

The keys of the join come from the table itself and keep their types; Python looks up their distinct
values only. So engines need not agree on types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift._compute.threads import Begun
from loglift.cuts import Cut
from loglift.errors import InputError, TableError
from loglift.joint import Column, IntArray, Joint
from loglift.mechanism.channel import Entries
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.naming import ReleasedColumn
from loglift.tables.codes import Values, tuples_of
from loglift.tables.columns import refuse_clashes
from loglift.tables.engines import LikeKey, Narrow, duckdb
from loglift.tables.faults import explained
from loglift.tables.from_counts import (
    MAX_NARROW_TEXTS,
    MAX_PERMUTED_ROWS,
    from_counts,
    numbered,
    permutation,
)
from loglift.tables.grouping import Groups, binned, group
from loglift.tables.held_rows import HeldRows
from loglift.tables.in_memory import Numbered, Rows, exchanged, packed, rows_of, shuffled
from loglift.tables.noise import Drawing, Exchange, Lots, Noise
from loglift.tables.opened import Table, open_table
from loglift.tables.shuffling import random_order
from loglift.values import NUMBERS


def apply(
    table: Any,
    mechanism: Mechanism,
    *,
    passthrough: Sequence[str] = (),
    keep_order: bool = False,
    noise: Noise | None = None,
    key: str | None = None,
    counts: Joint | None = None,
    order: Begun[NDArray[Any]] | None = None,
    held: HeldRows | None = None,
    narrow: bool = False,
) -> Any:
    """Replace the public columns by the released ones, in the table's own engine.

    Parameters
    ----------
    table
        Anything `open_table` takes. A dataframe gives a dataframe of the same kind, a lazy one a
        lazy one; a path gives a DuckDB relation.
    mechanism
        What becomes of each public value. Values that it does not know go to its `unseen` block.
    passthrough
        Other columns to release as they are, or in bands where the mechanism says so.
    keep_order
        Keep the input's order instead of shuffling, and in pandas the index. Dask keeps the order;
        Spark keeps it within each partition only.
    noise
        The randomness of a channel's draws; by default from the operating system's entropy.
    key
        For a channel: records of the same public value and the same value of this column get the
        same draw.
    counts
        The counts of this very table, if they are known: a file that is released without
        passthrough columns is then not read again.
    order
        What `begin_order` returned for these counts.
    held
        The rows of this very table with these passthrough columns, if they were read: they are used
        up.
    narrow
        Of a file: leave released texts as DuckDB's ENUMs, which are written faster; `widened` makes
        texts of them.

    Raises
    ------
    TableError
        When the mechanism does not know a value and has no `unseen` block, or when a column has
        another type than the mechanism's.

    """
    opened = open_table(table)
    shown = mechanism.released if mechanism.shares is None else mechanism.members
    if not shown:
        raise TableError("no released column is named: name at least one")
    if keep_order and opened.kind == "postgresql":
        raise TableError(
            "the rows of a PostgreSQL table have no order: leave keep_order (--keep-order) out"
        )
    names = {f"o{i}": column.name for i, column in enumerate(shown)}
    names |= {inner: name for name, inner in _inner_names(mechanism, passthrough).items()}
    refuse_clashes(list(names.values()), fold=opened.engine.folds_case)
    if not mechanism.is_drawn and (noise is not None or key is not None):
        raise InputError(
            "key (--key) and draw_seed (--draw-seed) are for releases that are drawn, randomized "
            "or shown as values: leave them out"
        )
    by = _Drawer(mechanism, Noise.of(None) if noise is None else noise, key, counts is not None)
    if _needs_counts_only(opened, passthrough, key, keep_order=keep_order):
        result = _counted(opened, mechanism, by, counts, order, narrow=narrow)
        if result is not None:
            return _renamed(result, names)
    if mechanism.is_drawn:
        result = _drawn(
            opened, mechanism, passthrough, by, held, keep_order=keep_order, narrow=narrow
        )
    else:
        result = _joined(opened, mechanism, passthrough, held, keep_order=keep_order, narrow=narrow)
    result = _renamed(result, names)
    if opened.kind == "pandas" and keep_order:  # shuffled rows get a new index, which links nothing
        return result.set_axis(opened.frame.index)
    return result


def begin_order(
    opened: Table, counts: Joint, passthrough: Sequence[str], key: str | None, *, keep_order: bool
) -> Begun[NDArray[Any]] | None:
    """Begin to bring the public values of the records into random order, for `apply` to release.

    The values are numbers, as in `counts`. None where `apply` takes the order of something else.
    """
    counted = _needs_counts_only(opened, passthrough, key, keep_order=keep_order)
    if not counted or counts.records.sum() > MAX_PERMUTED_ROWS:
        return None
    return Begun(lambda: permutation(counts.records))


def _needs_counts_only(
    opened: Table, passthrough: Sequence[str], key: str | None, *, keep_order: bool
) -> bool:
    """Return whether a release says nothing of a record but its values: it is made of counts."""
    return opened.is_file and not passthrough and key is None and not keep_order


def widened(table: Any, released: Any) -> Any:
    """Return what `apply` released of a table with texts in place of ENUMs."""
    opened = open_table(table)
    return duckdb.widened(released) if opened.is_file else released


def unseen_records(table: Any, mechanism: Mechanism) -> int:
    """Return how many records have public values that the mechanism does not know."""
    groups = _grouped(open_table(table), mechanism)
    values = values_of(groups, mechanism)
    unseen = np.array([value not in mechanism.lookup for value in values])
    return int(groups.records[unseen].sum())


def values_of(groups: Groups, mechanism: Mechanism) -> list[Values]:
    """Return the public values of groups as tuples; raise if they have other types."""
    found = zip(mechanism.column_names, groups.types, groups.columns, strict=True)
    columns = [Column(name, kind, None, tuple(c.values), c.places) for name, kind, c in found]
    refuse_types(columns, [column.type for column in mechanism.columns])
    return tuples_of(groups.columns)


def refuse_types(columns: Sequence[Column], types: Sequence[str]) -> None:
    """Raise if a column has another type than the mechanism's; a column of NULLs may have any."""
    for column, known in zip(columns, types, strict=True):
        alike = column.type == known or {column.type, known} <= NUMBERS
        if not alike and any(value is not None for value in column.values):
            raise TableError(
                f"column {column.name!r} holds {column.type} values and the mechanism knows "
                f"{known} values: convert the column"
            )


def _bins(mechanism: Mechanism) -> dict[str, Cut]:
    """Return how the public columns are cut."""
    return {column.name: column.bin for column in mechanism.columns if column.bin is not None}


def _grouped(opened: Table, mechanism: Mechanism) -> Groups:
    types = [column.type for column in mechanism.columns]
    return group(opened, mechanism.column_names, bins=_bins(mechanism), expected=types)


@dataclass(frozen=True)
class _Drawer:
    """How the records of a table draw what they show; `whole` where it is the table counted."""

    mechanism: Mechanism
    noise: Noise
    key: str | None
    whole: bool

    def drawing(self, values: Sequence[Values], records: IntArray) -> Drawing:
        """Return the drawing for the distinct public values of a table, with their records.

        The records of the table that a mechanism was made from exchange their values within each
        block. Records of other tables, and all records of one key, draw a value by its share.
        """
        mechanism, rows = self.mechanism, self.mechanism.rows_of(values)
        if mechanism.exact_channel is not None:
            lots = Lots.of(mechanism.exact_channel.rows)
        elif self.exchanges:
            return Exchange.of(rows, records, self.noise)
        else:
            lots = Lots.of(_entries(mechanism))
        return Drawing(lots, rows, self.noise, self.key)

    @property
    def exchanges(self) -> bool:
        """Whether values are exchanged; then what is shown is a place among the table's values."""
        return self.mechanism.shares is not None and self.whole and self.key is None

    def shown(self, values: Sequence[Values]) -> list[ReleasedColumn]:
        """Return the columns of what is drawn; their names o0, o1, ... clash with no others."""
        if self.mechanism.shares is None:
            return [replace(c, name=f"o{i}") for i, c in enumerate(self.mechanism.released)]
        columns = self.mechanism.members
        if self.exchanges:
            cells = zip(*values, strict=True)
            columns = tuple(replace(c, values=v) for c, v in zip(columns, cells, strict=True))
        banded = [column.banded for column in self.mechanism.columns]
        return [
            replace(column, name=f"o{i}")
            if banded[i] or not self.whole
            else LikeKey(f"o{i}", column.type, column.values, key=f"c{i}")
            for i, column in enumerate(columns)
        ]


def _entries(mechanism: Mechanism) -> list[Entries]:
    """Return the members of each block, as numbers of public values, with their shares."""
    found: list[list[tuple[int, int]]] = [[] for _ in range(mechanism.size)]
    if mechanism.shares is not None:
        for x, (block, share) in enumerate(zip(mechanism.partition, mechanism.shares, strict=True)):
            if share > 0:
                found[block].append((x, int(share)))
    return [tuple(members) for members in found]


def _counted(
    opened: Table,
    mechanism: Mechanism,
    by: _Drawer,
    counts: Joint | None,
    order: Begun[NDArray[Any]] | None,
    *,
    narrow: bool,
) -> Any | None:
    """Return the release of a file from its counts alone; None where it is too large for that."""
    known, values = counts, list[Values]()
    if known is not None and known.column_names == mechanism.column_names:
        records = known.records
    else:
        groups, order = _grouped(opened, mechanism), None
        known, values, records = None, values_of(groups, mechanism), groups.records
    if records.sum() > MAX_PERMUTED_ROWS:
        return None
    if mechanism.is_drawn:
        values = list(known.tuples) if known is not None else values
        shown, totals = by.shown(values), records
        drawn = None if order is None else order.result()
        if not by.exchanges:  # without other columns, an exchange is a shuffle
            totals = by.drawing(values, records).totals(records, len(shown[0].values))
            drawn = None
    else:
        rows = mechanism.rows_of(values) if known is None else mechanism.rows_in(known)
        shown, totals = by.shown(values), np.zeros(mechanism.size, dtype=np.int64)
        np.add.at(totals, rows, records)
        drawn = None if order is None else numbered(rows, order.result())
    frame, _ = binned(opened, mechanism.column_names, bins=_bins(mechanism))
    return from_counts(totals, shown, like=frame.to_native(), order=drawn, narrow=narrow)


def _beside(mechanism: Mechanism, passthrough: Sequence[str]) -> dict[str, Cut]:
    """Return the columns that pass through in bands."""
    cuts = {column.name: column.bin for column in mechanism.beside if column.bin is not None}
    return {name: cuts[name] for name in passthrough if name in cuts}


def _inner_names(mechanism: Mechanism, passthrough: Sequence[str]) -> dict[str, str]:
    """Return what columns that pass through are called in the frames of `_picked`."""
    banded, first = _beside(mechanism, passthrough), len(mechanism.columns)
    places = [*banded, *(name for name in passthrough if name not in banded)]
    return {
        name: f"{'b' if name in banded else 'c'}{first + places.index(name)}"
        for name in passthrough
    }


def _picked(
    opened: Table, mechanism: Mechanism, passthrough: Sequence[str], key: str | None = None
) -> Any:
    """Return a frame of the public columns, cut, those that pass through, and the key, the last.

    Columns that pass through in bands come first of them, and hold the names of their bands.
    """
    import narwhals as nw  # noqa: PLC0415 - only when a table is used

    banded, names = _beside(mechanism, passthrough), mechanism.column_names
    plain = [name for name in passthrough if name not in banded]
    others = [*plain, *([] if key is None else [key])]
    frame, _ = binned(opened, (*names, *banded), others, bins={**_bins(mechanism), **banded})
    for place, (name, cut) in enumerate(banded.items(), start=len(names)):
        bands = group(opened, (name,), bins={name: cut}, expected=[None])
        shown = ReleasedColumn(f"b{place}", "text", tuple(bands.columns[0].rows()))
        # The small frame calls its column c0, which is another one here.
        swapped = frame.rename({"c0": "first", f"c{place}": "c0"})
        with explained(opened.where):
            found = opened.engine.attach(
                swapped.to_native(), bands.small, ["c0"], [shown], ordered=True
            )
        frame = nw.from_native(found).rename({"first": "c0"})
    return frame


def _joined(
    opened: Table,
    mechanism: Mechanism,
    passthrough: Sequence[str],
    held: HeldRows | None,
    *,
    keep_order: bool,
    narrow: bool,
) -> Any:
    groups = held.public if held is not None else _grouped(opened, mechanism)
    names = mechanism.column_names
    blocks = mechanism.rows_of(values_of(groups, mechanism)).tolist()
    added: list[ReleasedColumn] = []
    for i, column in enumerate(mechanism.released):
        values = tuple(column.values[block] for block in blocks)
        few = column.type == "text" and len(set(values)) <= MAX_NARROW_TEXTS
        kind = Narrow if narrow and opened.is_file and few else ReleasedColumn
        added.append(kind(f"o{i}", column.type, values))
        at = names.index(column.name) if column.name in names else -1
        plain = at >= 0 and not mechanism.columns[at].banded
        if plain and list(values) == groups.columns[at].rows():
            added[i] = LikeKey(f"o{i}", column.type, values, key=f"c{at}")
    if held is not None:
        order = random_order(int(groups.records.sum()))
        return shuffled(held.rows, order, added, narrow=narrow)
    frame = _picked(opened, mechanism, passthrough).to_native()
    keys = [f"c{i}" for i in range(len(names))]
    with explained(opened.where):
        if opened.is_file and not keep_order:
            found = _rows(frame, groups, keys)
            if found is not None:
                order = random_order(int(groups.records.sum()))
                return shuffled(found, order, added, narrow=narrow)
        return opened.engine.attach(frame, groups.small, keys, added, ordered=keep_order)


def _drawn(
    opened: Table,
    mechanism: Mechanism,
    passthrough: Sequence[str],
    by: _Drawer,
    held: HeldRows | None,
    *,
    keep_order: bool,
    narrow: bool,
) -> Any:
    groups = held.public if held is not None else _grouped(opened, mechanism)
    names, values = mechanism.column_names, values_of(groups, mechanism)
    drawing, shown = by.drawing(values, groups.records), by.shown(values)
    if held is not None and isinstance(drawing, Exchange):
        return exchanged(held.rows, groups.records, drawing, shown, narrow=narrow)
    frame = _picked(opened, mechanism, passthrough, by.key)
    if by.key is not None:
        column = f"c{len(names) + len(passthrough)}"
        _refuse_missing_keys(opened, frame, by.key, column)
        drawing = replace(drawing, key=column)
    keys = [f"c{i}" for i in range(len(names))]
    rows = frame.to_native()
    with explained(opened.where):
        if opened.is_file and isinstance(drawing, Exchange) and not (keep_order or by.noise.seeded):
            found = _rows(rows, groups, keys)
            if found is not None:
                return exchanged(found, groups.records, drawing, shown, narrow=narrow)
        return opened.engine.draw(rows, groups.small, keys, drawing, shown, ordered=keep_order)


def _rows(frame: Any, groups: Groups, keys: Sequence[str]) -> Rows | None:
    """Read the rows of a file; None where they are too large."""
    records = int(groups.records.sum())
    found = packed(frame, [name for name in frame.columns if name not in keys], 1, records)
    if found is None:
        return None
    part = Numbered("b", keys, groups.small, groups.records.size)
    return rows_of(frame, [part], found, records)


def _refuse_missing_keys(opened: Table, frame: Any, name: str, column: str) -> None:
    """Raise if a key is NULL: all people without a key would get the same draw."""
    import narwhals as nw  # noqa: PLC0415 - only when a table is used

    missing = frame.select(nw.col(column).is_null().cast(nw.Int64).sum().alias("missing"))
    with explained(opened.where):
        found = opened.engine.gather(missing.to_native()).columns[0].values[0]
    if found:
        raise TableError(
            f"the key column {name!r} is empty in {found} records, which would all get the same "
            "draw: give every record a key"
        )


def _renamed(frame: Any, names: Mapping[str, str]) -> Any:
    """Return the columns of a frame under their final names, in the order of `names`."""
    import narwhals as nw  # noqa: PLC0415 - only when a table is used

    renamed = nw.from_native(frame).select(nw.col(old).alias(new) for old, new in names.items())
    return renamed.to_native()
