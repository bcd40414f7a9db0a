"""Tables, and their columns by position."""

# ruff: noqa: PLC0415 - a dataframe library is imported by the tests that use it

import pytest

from loglift.errors import TableError
from loglift.tables import count, open_table


def test_unused_repeated_names_are_fine(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,c,b,c,a_1\n1,2,x,3,4\n2,2,y,3,4\n")
    counts = count(tmp_path / "t.csv", "a", "b")
    assert counts.tuples == ((1,), (2,))
    assert open_table(tmp_path / "t.csv").columns == ("a", "c", "b", "c", "a_1")
    with pytest.raises(TableError, match=r"2 columns .* are named 'c'"):
        count(tmp_path / "t.csv", "a", "c")


def test_repeated_names_in_frames_are_refused_only_when_used():
    import duckdb
    import pandas as pd
    import pyarrow as pa

    columns, names = [[1, 1], [2, 3], ["x", "y"], ["u", "v"]], ["a", "a", "b", "c"]
    for table in (
        pd.DataFrame(dict(enumerate(columns))).set_axis(names, axis=1),
        pa.table(columns, names=names),
        duckdb.connect().sql(
            "SELECT 1 AS a, 2 AS a, unnest(['x', 'y']) AS b, unnest(['u', 'v']) AS c"
        ),
    ):
        assert count(table, "b", "c").tuples == (("x",), ("y",))
        with pytest.raises(TableError, match=r"2 columns .* are named 'a'"):
            count(table, "a", "b")


def test_opening_an_opened_table_is_free(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    opened = open_table(tmp_path / "t.csv")
    assert open_table(opened) is opened
    assert repr(opened).endswith("csv, 2 columns)")
