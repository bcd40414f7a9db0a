"""DuckDB files: tables, views and schemas, never changed."""

from __future__ import annotations

import subprocess
import sys

import duckdb
import pytest

from loglift.errors import TableError
from loglift.tables import count, open_table
from tables import survey


@pytest.fixture
def house(tmp_path):
    with duckdb.connect(str(tmp_path / "house.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT * FROM (VALUES ('a', 1), ('A', 2), (NULL, 1)) v(x, s);"
            "CREATE VIEW named AS FROM people WHERE x IS NOT NULL;"
            'CREATE SCHEMA "North"; CREATE TABLE "North"."a.b" AS FROM people LIMIT 2'
        )
    return tmp_path / "house.duckdb"


def test_a_table_is_read_in_its_own_types(tmp_path):
    opened = open_table(survey.warehouse(tmp_path))
    assert opened.frame.fetchall() == survey.shown()
    assert opened.columns == survey.NAMES


def test_tables_views_and_schemas_are_named(house):
    before = house.read_bytes()
    assert count(f"{house}::people", "x", "s").total == 3
    assert count(f"{house}::main.people", "x", "s").total == 3
    assert count(f"{house}::named", "x", "s").tuples == (("A",), ("a",))
    assert count(f'{house}::North."a.b"', "x", "s").total == 2
    assert house.read_bytes() == before
    assert [path.name for path in house.parent.iterdir()] == ["house.duckdb"]


def test_tables_that_are_not_there_are_told(house):
    with pytest.raises(TableError, match="no table 'peple': did you mean people"):
        open_table(f"{house}::peple")
    with pytest.raises(TableError, match=r"name one, such as .*house\.duckdb::"):
        open_table(house)
    (house.parent / "t.duckdb").write_bytes(b"a,b\n1,2\n" * 2000)
    with pytest.raises(TableError, match="not a readable DuckDB file"):
        open_table(house.parent / "t.duckdb::people")


def test_a_file_that_is_being_written_is_refused(house):
    program = (
        f"import duckdb, sys; c = duckdb.connect({str(house)!r}); print('open', flush=True); "
        "sys.stdin.read()"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert writer.stdout.readline() == b"open\n"
        with pytest.raises(TableError, match="being written by another program"):
            open_table(f"{house}::people")
    finally:
        writer.communicate()
