"""Rows shuffled in memory: the rows that the engine's sort gives, and exchanges within blocks."""

from collections import Counter

import duckdb
import numpy as np
import pytest
from scipy.stats import chi2

import loglift
from loglift.errors import TableError
from loglift.tables import apply, in_memory, open_table
from loglift.tables.engines import duckdb as engine
from loglift.tables.grouping import group
from tables.makers import mechanism_of, released_of

ROWS = 2000
MERGED = mechanism_of("x", {(f"v{i}",): i // 2 for i in range(4)}, {"x": ("text", ["A", "B"])})
CELLS = {
    "boolean": "[true, false, NULL][1 + i % 3]",
    "integer": "[3, -9, NULL][1 + i % 3]::INTEGER",
    "unsigned": "(18446744073709551615 - i)::UBIGINT",
    "single": "['nan', '0.5', NULL, '-inf'][1 + i % 4]::FLOAT",
    "double": "(i / 7)::DOUBLE",
    "date": "['2020-01-30', '0044-03-15 (BC)', 'infinity', '-infinity', NULL][1 + i % 5]::DATE",
    "time": "['1066-10-14 09:00:00.123456', 'infinity', '-infinity', NULL][1 + i % 4]::TIMESTAMP",
    "text": "['it''s', '', NULL, 'é'][1 + i % 4]",
    "many texts": "'n' || i",
    "decimal": "(i % 5)::DECIMAL(9, 2)",
    "instant": "TIMESTAMPTZ '2024-10-27 02:30:00+02:00' + INTERVAL 1 HOUR * (i % 3)",
    "nothing": "NULL::INTEGER",
    "no text": "NULL::VARCHAR",
}
SORTED = ("many texts", "decimal", "instant", "no text")


def file_of(folder, cells, rows=ROWS):
    """Write a Parquet file with the public column x, the place i and others."""
    path = folder / "table.parquet"
    columns = ", ".join(["'v' || i % 4 AS x", *(f"{cell} AS y{i}" for i, cell in enumerate(cells))])
    duckdb.sql(f"FROM range({rows}) t(i)").project(columns).write_parquet(str(path))
    return path


def shown(relation):
    """Count the rows as texts: NaN is not equal to itself, and Python has no infinite times."""
    cells = ", ".join(f'"{name}"::VARCHAR' for name in relation.columns)
    return Counter(relation.project(cells).fetchall())


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("kind", CELLS)
def test_columns_pass_through_as_the_engine_sorts_them(tmp_path, monkeypatch, kind, narrow):
    monkeypatch.setattr(in_memory, "MAX_NARROW_TEXTS", 10)
    path, called = file_of(tmp_path, [CELLS[kind], "i"]), []
    made = in_memory.looked_up
    monkeypatch.setattr(in_memory, "looked_up", lambda *a, **k: called.append(a) or made(*a, **k))
    found = apply(path, MERGED, passthrough=["y0", "y1"], narrow=narrow)
    assert bool(called) == (kind not in SORTED)
    monkeypatch.setattr(in_memory, "MAX_BYTES", 0)
    sort = apply(path, MERGED, passthrough=["y0", "y1"], narrow=narrow)
    assert found.columns == sort.columns == ["x", "y0", "y1"]
    assert shown(found) == shown(sort)
    assert engine.widened(found).types == engine.widened(sort).types
    places = np.array([place for (place,) in found.project("y1").fetchall()])
    assert abs(np.corrcoef(places, np.arange(ROWS))[0, 1]) < 0.15  # six standard deviations


def by_x(opened):
    """Return the column x, called c0, and its distinct values."""
    groups = group(opened, ("x",))
    return in_memory.Numbered("b", ["c0"], groups.small, groups.records.size)


def test_rows_that_do_not_fit_are_left_to_the_engine(tmp_path, monkeypatch):
    opened = open_table(file_of(tmp_path, ["i"]))
    arguments = opened.pick(("x", "y0")), ["c1"], 1, ROWS
    assert in_memory.packed(*arguments) is not None
    # 8 bytes for the order, and twice 4 for the number of the public value and 8 for i.
    monkeypatch.setattr(in_memory, "MAX_BYTES", ROWS * 32)
    assert in_memory.packed(*arguments) is not None
    monkeypatch.setattr(in_memory, "MAX_BYTES", ROWS * 32 - 1)
    assert in_memory.packed(*arguments) is None


def test_only_tables_of_our_own_connections_are_moved():
    relation = duckdb.connect().sql("SELECT 'a' AS c0, 1 AS c1")
    assert in_memory.packed(relation, ["c1"], 1, 1) is None


@pytest.mark.parametrize(("values", "rows"), [(5, ROWS), (4, ROWS + 1), (4, ROWS - 1)])
def test_a_table_that_changed_is_refused(tmp_path, values, rows):
    opened = open_table(file_of(tmp_path, ["i"]))
    part = by_x(opened)
    cells = f"SELECT 'v' || i % {values} AS c0, i AS c1 FROM range({rows}) t(i)"  # noqa: S608, ours
    changed = opened.frame.query("before", cells)
    with pytest.raises(TableError, match="changed while it was read"):
        in_memory.rows_of(changed, [part], in_memory.packed(changed, ["c1"], 1, ROWS), ROWS)


def as_values(path):
    """Release x as values beside the place of each record; merged are v0 with v1, v2 with v3."""
    within = {f"v{i}": i // 2 for i in range(4)}
    made = loglift.protect(
        path, sensitive="y1", public="x", eps=0.1, passthrough="y0", show="values", intact=within
    )
    assert sorted(map(sorted, made.mechanism.blocks)) == [["v0", "v1"], ["v2", "v3"]]
    return np.array([(int(x[1:]), i) for x, i in made.table.fetchall()])


def test_an_exchange_shows_each_value_as_often_and_stays_in_its_block(tmp_path):
    found = as_values(file_of(tmp_path, ["i", "i % 2"]))
    assert sorted(found[:, 1].tolist()) == list(range(ROWS))
    assert np.bincount(found[:, 0]).tolist() == [ROWS // 4] * 4
    assert (found[:, 0] // 2 == found[:, 1] % 4 // 2).all()
    assert abs(np.corrcoef(found[:, 1], np.arange(ROWS))[0, 1]) < 0.15


def test_what_is_shown_tells_nothing_about_the_record_but_its_block(tmp_path):
    """Within a block, the shown value is independent of the own one, of place and of order."""
    found = as_values(file_of(tmp_path, ["i", "i % 2"]))
    for block in (0, 1):
        rows = np.flatnonzero(found[:, 0] // 2 == block)
        value, record = found[rows, 0] % 2, found[rows, 1]
        for other in (record % 2, record * 8 // ROWS, rows * 8 // ROWS):
            table = np.zeros((2, other.max() + 1))
            np.add.at(table, (value, other), 1)
            expected = table.sum(1, keepdims=True) * table.sum(0) / table.sum()
            statistic, freedom = ((table - expected) ** 2 / expected).sum(), other.max()
            assert chi2.sf(statistic, freedom) > 1e-7


def test_every_exchange_of_a_few_records_is_as_likely(tmp_path):
    opened = open_table(file_of(tmp_path, ["i"], rows=3))
    groups = group(opened, ("x",))
    names = groups.columns[0].rows()
    records = groups.records
    drawing = in_memory.Exchange.of(np.zeros(3, dtype=np.int64), records, None)
    added = released_of({"o0": ("text", names)})
    draws, seen = 150, Counter()
    relation, part = opened.pick(("x", "y0")), by_x(opened)
    packed = in_memory.packed(relation, ["c1"], 1, 3)
    for _ in range(draws):
        rows = in_memory.rows_of(relation, [part], packed, 3)  # an exchange uses them up
        made = in_memory.exchanged(rows, records, drawing, added, narrow=False)
        seen[tuple(sorted((i, x) for i, x in made.fetchall()))] += 1
    assert len(seen) == 6
    # Six standard deviations.
    assert max(abs(times - draws / 6) for times in seen.values()) < 6 * (draws / 6) ** 0.5


def test_a_seed_repeats_an_exchange(tmp_path):
    path = file_of(tmp_path, ["i", "i % 2"])
    first, second = (
        loglift.protect(
            path, sensitive="y1", public="x", eps=0.1, passthrough="y0", show="values", draw_seed=7
        )
        for _ in range(2)
    )
    assert set(first.table.fetchall()) == set(second.table.fetchall())
