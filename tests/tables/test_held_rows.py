"""Rows held in memory: counted as the engine's GROUP BY counts them, released as a join does."""

from collections import Counter

import duckdb
import pytest

import loglift
from loglift.errors import TableError
from loglift.release import protect as recipe
from loglift.tables import count, count_released, grouping, held_rows, in_memory, open_table
from loglift.tables.relations import connect

ROWS = 3000
PUBLIC = "'v' || hash(i) % 6"
ILL = "['yes', 'no', NULL][1 + (hash(i + 1) % 3)::INTEGER]"
BESIDE = {
    "boolean": "[true, false, NULL][1 + i % 3]",
    "whole": "i % 40",
    "whole and missing": "CASE WHEN i % 5 > 0 THEN i % 7 + 3 END",
    "negative": "i % 7 - 3",
    "largest of its type": "CASE WHEN i % 3 > 0 THEN 255::UTINYINT END",
    "largest of its signed type": "CASE WHEN i % 3 > 0 THEN 127::TINYINT END",
    "large": "1000000 + i % 7",
    "whole floats": "(i % 9)::DOUBLE",
    "zeros and nan": "['nan', '0.0', NULL, '-0.0', 'inf', '1'][1 + i % 6]::DOUBLE",
    "decimal": "(i % 5 / 4)::DECIMAL(9, 2)",
    "huge": "(i % 5)::HUGEINT",
    "date": "DATE '2020-01-30' + (i % 3)::INTEGER",
    "text": "['it''s', '', NULL, 'é'][1 + i % 4]",
    "measured": "hash(i) % 1000003 / 1000.0",
    "measured and missing": "CASE WHEN i % 11 > 0 THEN hash(i) % 1000003 / 1000.0 END",
    "measured and nan": "['nan', 'inf', '-inf', '-0.0', NULL, i::VARCHAR][1 + i % 6]::DOUBLE",
    "measured roughly": "(hash(i) % 1003 / 7 - 50)::FLOAT",
    "measured in whole numbers": "(hash(i) % 30000)::SMALLINT - 15000",
    "measured in large numbers": "hash(i)::UBIGINT",
    "measured in days": "DATE '2000-01-01' + (hash(i) % 9000)::INTEGER",
    "nothing": "NULL::INTEGER",
}


def file_of(folder, beside, public=PUBLIC):
    path = folder / "table.parquet"
    cells = ", ".join(f"{cell} AS y{i}" for i, cell in enumerate(beside))
    chosen = f"{public} AS x, i % 2 AS w, {ILL} AS s, {cells}, i AS place"
    duckdb.sql(f"FROM range({ROWS}) t(i)").project(chosen).write_parquet(str(path))
    return path


def released_with(path, passthrough, **options):
    """Release the table, and say whether its rows were held."""
    asked = {"sensitive": "s", "public": ["x", "w"], "eps": 0.05, "passthrough": passthrough}
    return loglift.protect(path, **asked, **options)


@pytest.fixture
def few_bands(monkeypatch):
    """Cut columns of more than 50 numbers into bands."""
    monkeypatch.setattr("loglift.tables.counting.MAX_AUDITED_VALUES", 50)


@pytest.fixture
def held(monkeypatch):
    """Collect what the recipe holds; with `.append(None)` first, it holds nothing."""
    found, made = [], held_rows.hold_rows

    def hold(*args):
        found.append(None if found == [None] else made(*args))
        return found[-1]

    monkeypatch.setattr(recipe.tables, "hold_rows", hold)
    return found


def shown(relation):
    """Count the rows as texts: NaN is not equal to itself."""
    cells = ", ".join(f'"{name}"::VARCHAR' for name in relation.columns)
    return Counter(relation.project(cells).fetchall())


@pytest.mark.usefixtures("few_bands")
@pytest.mark.parametrize(("show", "compiled_from"), [("groups", 1), ("values", 2**21)])
@pytest.mark.parametrize("kind", BESIDE)
def test_held_rows_are_counted_and_released_as_the_engine_does(
    tmp_path, held, kind, show, compiled_from, monkeypatch
):
    monkeypatch.setattr(held_rows, "_MIN_COMPILED_ROWS", compiled_from)
    path = file_of(tmp_path, [BESIDE[kind]])
    found = released_with(path, "y0", show=show)
    assert (held[0] is not None) == (kind != "decimal")  # which is not held as numbers
    held[:] = [None]
    plain = released_with(path, "y0", show=show)
    assert found.mechanism.to_json() == plain.mechanism.to_json()
    assert repr(found.passthrough_audit) == repr(plain.passthrough_audit)
    for name in ("x", "w", "y0"):
        assert shown(found.table.project(name)) == shown(plain.table.project(name))
    if show == "groups":
        assert shown(found.table) == shown(plain.table)


@pytest.mark.usefixtures("few_bands")
@pytest.mark.parametrize("beside", [["y0"], ["y0", "y1"], ["y1", "y2", "y0"]])
@pytest.mark.parametrize("compiled_from", [1, 2**21])
def test_the_counts_are_those_of_one_group_by(tmp_path, beside, compiled_from, monkeypatch):
    monkeypatch.setattr(held_rows, "_MIN_COMPILED_ROWS", compiled_from)
    cells = [BESIDE[kind] for kind in ("zeros and nan", "measured and missing", "text")]
    path = file_of(tmp_path, cells)
    opened, made = open_table(path), released_with(path, []).mechanism
    held = held_rows.hold_rows(opened, count(opened, ["x", "w"], "s"), beside, beside)
    found, plain = (count_released(opened, made, beside, held=rows) for rows in (held, None))
    assert repr(found.tuples) == repr(plain.tuples)  # as texts: NaN is not equal to itself
    assert (found.mass == plain.mass).all()
    assert found.sensitive == plain.sensitive


def test_values_are_exchanged_within_their_blocks_beside_their_own_record(tmp_path, held):
    path = file_of(tmp_path, ["i // 2"])
    found = released_with(path, ["y0", "place"], show="values")
    assert held[0] is not None
    rows = found.table.project("x, w, y0, place").fetchall()
    assert sorted(place for *_, place in rows) == list(range(ROWS))
    own = dict(duckdb.read_parquet(str(path)).project("place, (x, w)").fetchall())
    block = found.mechanism.lookup
    for x, w, half, place in rows:
        assert half == place // 2
        assert block[x, w] == block[own[place]]
    assert sum((x, w) != own[place] for x, w, _, place in rows) > ROWS / 4


def test_kept_sensitive_columns_are_released_from_the_held_rows(tmp_path, held):
    path = file_of(tmp_path, ["i % 40"])
    found = released_with(path, ["y0"], keep_sensitive=True)
    assert held[0] is not None
    tables = found.table, duckdb.read_parquet(str(path))
    shown, true = (t.aggregate("y0, list(s ORDER BY s)", "y0").fetchall() for t in tables)
    assert dict(shown) == dict(true)


@pytest.mark.parametrize(
    "options",
    [
        {"keep_order": True},
        {"show": "values", "draw_seed": 1},
        {"show": "values", "key": "place"},
        {"bins": {"y0": 10}},
    ],
    ids=repr,
)
def test_other_releases_leave_the_rows_where_they_are(tmp_path, held, options):
    released_with(file_of(tmp_path, ["i % 40"]), "y0", **options)
    assert held in ([], [None])


def test_too_many_combinations_are_left_to_the_engine(tmp_path, held, monkeypatch):
    path = file_of(tmp_path, ["i % 40"])
    monkeypatch.setattr(held_rows, "MAX_PAIRS", 36 * 40 - 1)
    assert released_with(path, "y0").passthrough_audit is not None
    assert held == [None]


@pytest.mark.parametrize(
    ("cell", "rows"), [("41", ROWS), ("-1", ROWS), ("7e9", ROWS), ("5", ROWS), ("5", ROWS - 1)]
)
def test_a_table_that_changes_meanwhile_is_refused(tmp_path, monkeypatch, cell, rows):
    path, made = file_of(tmp_path, ["i % 40"]), in_memory.rows_of
    opened = open_table(path)
    counts = count(opened, ["x", "w"], "s")

    def changed(relation, parts, packed, records):
        names = ", ".join(name for name in relation.columns if name != "u3")
        # The last column before those to release is the one beside.
        other = f"SELECT CASE WHEN u3 = 3 THEN {cell} ELSE u3 END AS u3, {names} FROM t"  # noqa: S608, ours
        return made(relation.query("t", f"{other} LIMIT {rows}"), parts, packed, records)

    monkeypatch.setattr(held_rows, "rows_of", changed)
    with pytest.raises(TableError, match="changed while it was read"):
        held_rows.hold_rows(opened, counts, ["y0"], ["y0"])


@pytest.mark.parametrize("cell", ["1000 * (i % 2)", "i"])
def test_pairs_stay_few_enough_however_they_are_numbered(tmp_path, monkeypatch, cell):
    """36 combinations with 2 numbers below 1001, or with the bands of a column."""
    monkeypatch.setattr(held_rows, "MAX_PAIRS", 36 * 40)
    monkeypatch.setattr("loglift.tables.counting.MAX_AUDITED_VALUES", 50)
    sizes, tallied = [], held_rows._tallied  # noqa: SLF001
    monkeypatch.setattr(held_rows, "_tallied", lambda *of: sizes.append(of[2]) or tallied(*of))
    opened = open_table(file_of(tmp_path, [cell]))
    held = held_rows.hold_rows(opened, count(opened, ["x", "w"], "s"), ["y0"], ["y0"])
    if cell == "i":  # 64 bands
        assert held is None
        assert sizes == []
    else:
        assert sizes == [(36, 2)]


def test_what_is_counted_is_not_counted_again(tmp_path, monkeypatch):
    opened, asked = open_table(file_of(tmp_path, ["i % 40"])), []
    tallied = grouping._tallied  # noqa: SLF001
    monkeypatch.setattr(grouping, "_tallied", lambda *of: asked.append(of[1]) or tallied(*of))
    counts = count(opened, ["x", "w"], "s")
    assert held_rows.hold_rows(opened, counts, ["y0"], ["y0"]) is not None
    assert list(map(tuple, asked)) == [("x", "w", "s"), ("y0",)]


@pytest.mark.parametrize("cell", ["(i % 5 / 4)::DECIMAL(9, 2)", "i::VARCHAR"])
def test_columns_that_are_not_numbers_are_left_before_anything_is_counted(
    tmp_path, monkeypatch, cell
):
    monkeypatch.setattr(in_memory, "MAX_NARROW_TEXTS", 100)
    opened = open_table(file_of(tmp_path, [cell]))
    counts = count(opened, ["x", "w"], "s")
    monkeypatch.setattr(held_rows, "group", None)
    assert held_rows.hold_rows(opened, counts, ["y0"], ["y0"]) is None


def test_whole_numbers_are_their_own_numbers_up_to_a_limit():
    for values, order in (
        ("(3), (NULL), (0)", [3, 4, 0]),
        (f"({in_memory.MAX_WHOLE - 1})", [in_memory.MAX_WHOLE - 1]),
        (f"({in_memory.MAX_WHOLE})", None),
        ("(-1)", None),
        ("(0.5)", None),
        ("('nan'::DOUBLE), (1)", None),
        ("('1')", None),
        ("(true)", None),
    ):
        rows = f"SELECT c0, row_number() OVER () - 1 AS k FROM (VALUES {values}) t(c0)"  # noqa: S608, ours
        part = in_memory.Numbered.of_whole("b", "c0", connect().sql(rows))
        assert (None if part is None else part.order.tolist()) == order
