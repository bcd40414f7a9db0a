"""Arrow and Feather files: lazily, streams, repeated names, ordered categories."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.feather as pf
import pytest
from pyarrow import ipc

from loglift.errors import TableError
from loglift.tables import count, open_table
from tables import survey


def written(path, table, opener=ipc.new_file):
    with opener(str(path), table.schema) as out:
        out.write_table(table)
    return path


@pytest.mark.parametrize("opener", [ipc.new_file, ipc.new_stream])
def test_files_and_streams_are_read(tmp_path, opener):
    path = written(tmp_path / "t.arrow", survey.arrow(), opener)
    assert open_table(path).frame.fetchall() == survey.shown()


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_feather_is_read_however_it_is_compressed(tmp_path, compression):
    pf.write_feather(survey.arrow(), tmp_path / "t.feather", compression=compression)
    assert open_table(tmp_path / "t.feather").frame.fetchall() == survey.shown()


def test_a_glob_is_one_table_of_the_same_columns(tmp_path):
    for name in "ab":
        written(tmp_path / f"{name}.arrow", survey.arrow())
    assert count(tmp_path / "*.arrow", "town", "health").total == 2 * survey.ROWS
    written(tmp_path / "c.arrow", pa.table({"town": ["x"]}))
    with pytest.raises(TableError, match="different columns"):
        open_table(tmp_path / "*.arrow")


def test_repeated_names_stay_apart_until_they_are_used(tmp_path):
    table = pa.table([pa.array([1, 2]), pa.array([3, 4]), pa.array([5, 6])], names=["a", "a", "s"])
    for opener in (ipc.new_file, ipc.new_stream):
        path = written(tmp_path / "t.arrow", table, opener)
        assert open_table(path).columns == ("a", "a", "s")
        with pytest.raises(TableError, match="2 columns"):
            count(path, "a", "s")


@pytest.mark.parametrize("ordered", [False, True])
def test_categories_are_texts_and_only_ordered_ones_have_an_order(tmp_path, ordered):
    codes, texts = pa.array([0, 1, 2, None]), pa.array(["low", "mid", "high"])
    column = pa.DictionaryArray.from_arrays(codes, texts, ordered=ordered)
    path = written(tmp_path / "t.arrow", pa.table({"a": column, "s": [1, 2, 1, 2]}))
    found = count(path, "a", "s").columns[0]
    assert found.values == (None, "high", "low", "mid")
    assert found.ranks == ((-1, 2, 0, 1) if ordered else ())


def test_other_files_are_told_in_one_line(tmp_path):
    (tmp_path / "t.arrow").write_bytes(b"a,b\n1,2\n" * 50)
    with pytest.raises(TableError, match="not a readable Arrow or Feather file") as caught:
        open_table(tmp_path / "t.arrow")
    assert "\n" not in str(caught.value)
