"""Every fault of an input is one line that says what to do."""

# ruff: noqa: PLC0415 - a dataframe library is imported by the tests that use it

import gzip
import json
import signal
import threading
from fractions import Fraction

import numpy as np
import pytest

from loglift.errors import OutputError, TableError
from loglift.tables import Output, apply, count, open_table, write
from loglift.tables.files import _uninterrupted

GOOD = b"a,b\n1,x\n2,y\n"


def parquet_bytes(folder, query):
    import duckdb

    file = folder / "made.parquet"
    duckdb.connect().execute(f"COPY ({query}) TO '{file}'")
    data = file.read_bytes()
    file.unlink()
    return data


FILES = [
    ("empty.csv", b"", "is empty"),
    ("header.csv", b"a,b\n", "no rows, only a header"),
    ("header.jsonl", b"", "is empty"),
    ("table.xlsx", GOOD, "no ending loglift knows"),
    ("table", GOOD, "no ending loglift knows"),
    ("long.csv", b"a,b\n1,2\n1,2,3\n", r"more or fewer fields than the header \(line 3\)"),
    ("short.csv", b"a,b\n1,2\n1\n2,2\n", r"more or fewer fields than the header \(line 3\)"),
    ("late.csv", b"a,b\n" + b"1,2\n" * 5000 + b"1\n", r"more or fewer fields"),
    ("latin.csv", "a,b\né,x\n".encode("latin-1"), "not UTF-8"),
    ("latin_header.csv", "é,a,b\n1,x,y\n".encode("latin-1"), "not UTF-8"),
    ("late_latin.csv", b"a,b\n" + b"1,2\n" * 5000 + b"\xe9,2\n", "not UTF-8"),
    ("quote.csv", b'a,b\n"x,1\ny,2\n', "quoted field that does not end"),
    ("bad.parquet", b"PAR1xxxx", "not a readable Parquet file"),
    ("bad2.parquet", b"PAR1" + b"x" * 1000 + b"PAR1", "not a readable Parquet file"),
    ("text.parquet", GOOD * 100, "not a readable Parquet file"),
    ("bad.jsonl", b'{"a": 1, "b": 2}\n{"a": 1\n', "not valid JSON lines"),
    ("nested.jsonl", b'{"a": [1], "b": 2}\n{"a": [1], "b": 2}\n', "'a' is nested"),
    ("mixed.jsonl", b'{"a": 1, "b": 2}\n{"a": "1", "b": 2}\n', "'a' mixes values"),
    ("twice.csv", b"a,b,a\n1,2,3\n", "'a' stands 2 times"),
    ("bad.csv.gz", b"not gzip at all", "cannot be read|not UTF-8"),
]


@pytest.mark.parametrize(("name", "content", "message"), FILES, ids=[f[0] for f in FILES])
def test_a_file_at_fault_is_refused_in_one_line(tmp_path, name, content, message):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(TableError, match=message) as caught:
        count(file, "a", "b")
    assert "\n" not in str(caught.value)
    assert file.read_bytes() == content


def test_a_missing_file_a_directory_and_an_idle_glob_are_refused(tmp_path):
    with pytest.raises(TableError, match="there is no file"):
        open_table(tmp_path / "no.csv")
    with pytest.raises(TableError, match=r"is a directory: .*\*\.parquet"):
        open_table(str(tmp_path))
    with pytest.raises(TableError, match="no file matches"):
        open_table(tmp_path / "*.csv")
    with pytest.raises(TableError, match="int is not a table"):
        open_table(3)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_glob_of_different_columns_is_refused(tmp_path, ending):
    queries = {"one": "SELECT 1 AS a, 2 AS b", "two": "SELECT 1 AS a, 2 AS c"}
    texts = {
        "csv": {"one": b"a,b\n1,2\n", "two": b"a,c\n1,2\n"},
        "jsonl": {"one": b'{"a": 1, "b": 2}\n', "two": b'{"a": 1, "c": 2}\n'},
    }
    for name, query in queries.items():
        data = parquet_bytes(tmp_path, query) if ending == "parquet" else texts[ending][name]
        (tmp_path / f"{name}.{ending}").write_bytes(data)
    with pytest.raises(TableError, match="different columns"):
        open_table(tmp_path / f"*.{ending}")


def test_a_glob_is_one_table_and_a_file_with_magic_in_its_name_is_itself(tmp_path):
    (tmp_path / "t1.csv").write_bytes(GOOD)
    (tmp_path / "t2.csv").write_bytes(GOOD)
    (tmp_path / "t[1].csv").write_bytes(b"a,b\n9,z\n")
    assert count(tmp_path / "t?.csv", "a", "b").total == 4
    assert count(tmp_path / "t[1].csv", "a", "b").public == ((9,),)
    (tmp_path / "t3.parquet").write_bytes(parquet_bytes(tmp_path, "SELECT 1 AS a"))
    with pytest.raises(TableError, match="different formats"):
        open_table(tmp_path / "t?.*")


def test_unused_repeated_names_are_fine(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,c,b,c,a_1\n1,2,x,3,4\n2,2,y,3,4\n")
    counts = count(tmp_path / "t.csv", "a", "b")
    assert counts.public == ((1,), (2,))
    assert open_table(tmp_path / "t.csv").columns == ("a", "c", "b", "c", "a_1")
    with pytest.raises(TableError, match="'c' stands 2 times"):
        count(tmp_path / "t.csv", "a", "c")


def test_repeated_names_in_frames_are_refused_only_when_used():
    import duckdb
    import pandas as pd
    import pyarrow as pa

    columns, names = [[1, 1], [2, 3], ["x", "y"], ["u", "u"]], ["a", "a", "b", "c"]
    for table in (
        pd.DataFrame(dict(enumerate(columns))).set_axis(names, axis=1),
        pa.table(columns, names=names),
        duckdb.connect().sql("SELECT 1 AS a, 2 AS a, unnest(['x', 'y']) AS b, 'u' AS c"),
    ):
        assert count(table, "b", "c").public == (("x",), ("y",))
        with pytest.raises(TableError, match="'a' stands 2 times"):
            count(table, "a", "b")


def test_nested_and_mixed_columns_of_frames_are_refused():
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    rows = {"a": [[1], [2]], "b": ["x", "y"]}
    for table in (
        pa.table(rows),
        pl.DataFrame(rows),
        pl.LazyFrame(rows),
        duckdb.connect().from_arrow(pa.table(rows)),
    ):
        with pytest.raises(TableError, match="'a' is nested"):
            count(table, "a", "b")
    for values in ([1, "1"], [1, True], [1.5, "x"], [[1], [2]], [{1}, {2}]):
        frame = pd.DataFrame({"a": pd.Series(values, dtype=object), "b": ["x", "y"]})
        with pytest.raises(TableError, match="'a' holds Python objects of several types"):
            count(frame, "a", "b")


def test_frames_without_rows_are_refused():
    import polars as pl

    with pytest.raises(TableError, match="has no rows"):
        count(pl.DataFrame({"a": [], "b": []}), "a", "b")


@pytest.mark.parametrize(
    "width",
    [0, -1, float("nan"), float("inf"), "10", None, True, -(10**400), np.float32("inf")],
    ids=lambda width: repr(width)[:12],
)
def test_a_width_must_be_a_positive_number(tmp_path, width):
    (tmp_path / "t.csv").write_bytes(GOOD)
    with pytest.raises(TableError, match="must be a positive number"):
        count(tmp_path / "t.csv", "a", "b", bins={"a": width})
    with pytest.raises(TableError, match="neither public nor sensitive"):
        count(tmp_path / "t.csv", "a", "b", bins={"c": 1})


@pytest.mark.parametrize(
    "width",
    [1e308, 1e-320, 10**400, 2**54, 1.2345678901234567e-9, Fraction(1, 10**400)],
    ids=lambda width: repr(width)[:12],
)
def test_a_width_must_be_one_that_doubles_can_count_with(tmp_path, width):
    (tmp_path / "t.csv").write_bytes(GOOD)
    with pytest.raises(TableError, match="too large, too small, or has too many digits") as caught:
        count(tmp_path / "t.csv", "a", "b", bins={"a": width})
    assert len(str(caught.value)) < 200


def test_a_width_may_be_of_numpy(tmp_path):
    (tmp_path / "t.csv").write_bytes(GOOD)
    for width in (np.float32(0.5), np.float64(0.5), np.int8(2), np.uint64(2)):
        found = count(tmp_path / "t.csv", "a", "b", bins={"a": width}).public
        assert found == count(tmp_path / "t.csv", "a", "b", bins={"a": width.item()}).public


def test_integers_at_the_end_of_64_bits_are_in_their_bins_or_refused(maker, tmp_path):
    """An edge below -2^63 must not come around as one near 2^63."""
    rows = [(-(2**63), "x"), (2**63 - 1, "y"), (5, "x")]
    table = maker.make(["a", "b"], [int, str], rows, tmp_path)
    with pytest.raises(TableError, match=r"too large for bins|cannot be read") as caught:
        count(table, "a", "b", bins={"a": 10})
    assert "\n" not in str(caught.value)
    assert count(table, "a", "b", bins={"a": 2**40}).public == (
        (f"[{-(2**63)}, {-(2**63) + 2**40})",),
        (f"[0, {2**40})",),
        (f"[{2**63 - 2**40}, {2**63})",),
    )


def test_infinite_values_cannot_be_binned():
    import polars as pl

    frame = pl.DataFrame({"a": [1.0, float("inf")], "b": ["x", "y"]})
    with pytest.raises(TableError, match="infinite or too large"):
        count(frame, "a", "b", bins={"a": 1})


def test_a_measurement_without_bins_is_refused_with_the_hint(tmp_path):
    lines = "".join(f"{i / 7:.3f},x\n" for i in range(3000))
    (tmp_path / "t.csv").write_text("w,s\n" + lines)
    with pytest.raises(TableError, match="--bin w=WIDTH"):
        count(tmp_path / "t.csv", "w", "s")
    assert len(count(tmp_path / "t.csv", "w", "s", bins={"w": 100}).public) == 5


def test_unseen_values_are_listed_up_to_ten_with_their_number(tmp_path):
    (tmp_path / "t.csv").write_text("a\n" + "".join(f"v{i}\n" for i in range(30)))
    with pytest.raises(TableError, match=r"^30 values were not seen .*, \.\.\.") as caught:
        apply(tmp_path / "t.csv", "a", {}, [Output("a", ["x"], "text")], types=["text"])
    assert str(caught.value).count("'v") == 10


def test_a_column_of_another_type_than_the_mechanism_knows_is_refused():
    import polars as pl

    frame = pl.DataFrame({"a": [True, False]})
    with pytest.raises(TableError, match="holds boolean values and the mechanism knows integer"):
        apply(frame, "a", {(1,): 0}, [Output("a", ["x"], "text")], types=["integer"])


def test_texts_are_read_as_the_types_the_mechanism_knows(tmp_path):
    (tmp_path / "t.csv").write_text("a\n7\n007\n")
    with pytest.raises(TableError, match=r"1 values were not seen .*: '007'"):
        apply(tmp_path / "t.csv", "a", {(7,): 0}, [Output("a", ["x"], "text")], types=["integer"])


def test_released_names_must_differ(tmp_path):
    (tmp_path / "t.csv").write_bytes(GOOD)
    with pytest.raises(TableError, match="two released columns would be named 'b'"):
        apply(tmp_path / "t.csv", "a", {}, [Output("b", ["x"], "text")], keep=["b"])


def test_compressed_files_and_other_separators_are_read(tmp_path):
    import duckdb

    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(GOOD))
    query = "COPY (SELECT * FROM (VALUES ('1', 'x'), ('2', 'y')) v(a, b)) TO "
    duckdb.connect().execute(f"{query} '{tmp_path}/t.csv.zst'")
    duckdb.connect().execute(f"{query} '{tmp_path}/t.jsonl.zst'")
    (tmp_path / "semi.csv").write_bytes(b"a;b\n1;x,5\n2;y,6\n")
    (tmp_path / "bom.csv").write_bytes(b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n"))
    (tmp_path / "t.tsv").write_bytes(GOOD.replace(b",", b"\t"))
    for name in ("t.csv.gz", "t.csv.zst", "semi.csv", "bom.csv", "t.tsv"):
        assert count(tmp_path / name, "a", "b").public == ((1,), (2,)), name
    assert count(tmp_path / "t.jsonl.zst", "a", "b").public == (("1",), ("2",))


def test_a_single_column_may_have_another_separator_in_its_name(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\nx\ny\n")
    assert open_table(tmp_path / "t.csv").columns == ("a;b",)


def test_a_place_that_cannot_be_written_to_is_refused(tmp_path):
    import duckdb

    relation = duckdb.connect().sql("SELECT 1 AS a")
    with pytest.raises(OutputError, match="cannot be written"):
        write(relation, tmp_path / "no" / "out.csv")
    with pytest.raises(OutputError, match="no ending loglift writes"):
        write(relation, tmp_path / "out.txt")
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(OutputError, match="cannot be written"):
        write(relation, tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_a_failure_while_writing_leaves_what_was_there(tmp_path):
    import duckdb

    (tmp_path / "out.csv").write_text("old")
    (tmp_path / "ragged.csv").write_bytes(b"a,b\n" + b"1,2\n" * 5000 + b"1\n")
    failing = open_table(tmp_path / "ragged.csv").frame
    with pytest.raises(TableError, match="more or fewer fields"):
        write(failing, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2
    assert duckdb.connect().sql("SELECT 1").fetchall() == [(1,)]


def test_other_line_ends_inside_quotes_are_values(tmp_path):
    (tmp_path / "t.csv").write_bytes(b'x,s\r\na,1\r\n"l\nf",2\r\na,2\r\n')
    assert count(tmp_path / "t.csv", "x", "s").public == (("a",), ("l\nf",))
    (tmp_path / "u.csv").write_bytes(b'x,s\na,1\n"cr\r\nlf",2\na,2\n')
    assert count(tmp_path / "u.csv", "x", "s").public == (("a",), ("cr\r\nlf",))


def test_wide_and_sparse_json_is_read(tmp_path):
    lines = [json.dumps({"x": i % 3, "s": i % 2, f"k{i % 40}": 1}) for i in range(100)]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    assert count(tmp_path / "t.jsonl", "x", "s").total == 100


def test_json_keys_that_differ_in_case_only_are_refused(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"Job": "a", "job": "x", "s": 0}\n')
    with pytest.raises(TableError, match="'Job' and 'job'"):
        count(tmp_path / "t.jsonl", "job", "s")


@pytest.mark.parametrize("ending", ["jsonl", "json"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"": 1, "x": 2, "s": 0}', 'objects with the key ""'),
        ("{}\n{}", "has no columns: give one object per line"),
        ('{"x": 2, "s": 0}\n{"": 1}', 'objects with the key ""'),
        ('{"x": 2, "s": 0}\n3', "a line that is no object"),
        ("[1, 2]\n[3, 4]", "a line that is no object"),
    ],
)
def test_json_that_is_no_table_is_refused(tmp_path, ending, text, message):
    (tmp_path / f"t.{ending}").write_text(text + "\n")
    with pytest.raises(TableError, match=message):
        count(tmp_path / f"t.{ending}", "x", "s")


def test_an_empty_key_inside_a_value_is_no_column(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"x": 1, "s": 0, "more": {"": 1}}\n{"x": 2, "s": 1}\n')
    assert count(tmp_path / "t.jsonl", "x", "s").public == ((1,), (2,))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_waits_while_duckdb_is_imported(number):
    def stop(_number, _frame):
        raise KeyboardInterrupt

    def imported():
        with _uninterrupted():
            signal.raise_signal(number)
            done.append("imported")

    before, done = signal.signal(number, stop), []
    try:
        with pytest.raises(KeyboardInterrupt):
            imported()
        assert done == ["imported"]
        assert signal.getsignal(number) is stop
    finally:
        signal.signal(number, before)


def test_in_a_thread_signals_are_left_alone():
    handler, found = signal.getsignal(signal.SIGINT), []

    def work():
        with _uninterrupted():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [handler]
