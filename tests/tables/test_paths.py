"""Files that are no tables, and what to do about them."""

# ruff: noqa: PLC0415 - a dataframe library is imported by the tests that use it

import gzip
import os
import re
import subprocess
import sys

import pytest

from loglift.errors import TableError
from loglift.tables import count, open_table
from loglift.tables.paths import encoding_of

CSV = "town,ill\nBern,flu\nZürich,cold\n"
JSON = '{"town": "Bern", "ill": 1}\n{"town": "Zürich", "ill": 2}\n'
ENCODINGS = {
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "utf-32": "UTF-32",
    "utf-32-le": "UTF-32LE",
    "utf-32-be": "UTF-32BE",
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.jsonl", "t.json", "t.jsonl.gz"])
def test_other_encodings_are_told_with_the_command_that_converts_them(tmp_path, encoding, name):
    data = (JSON if "json" in name else CSV).encode(encoding)
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    with pytest.raises(TableError) as caught:
        open_table(tmp_path / name)
    assert f"iconv -f {ENCODINGS[encoding]} -t UTF-8 " in str(caught.value)
    assert "LATIN1" not in str(caught.value)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_command_converts_them(tmp_path, encoding):
    (tmp_path / "t.csv").write_bytes(CSV.encode(encoding))
    command = ["iconv", "-f", ENCODINGS[encoding], "-t", "UTF-8", tmp_path / "t.csv"]
    converted = subprocess.run(command, capture_output=True, check=True)
    (tmp_path / "u.csv").write_bytes(converted.stdout)
    assert count(tmp_path / "u.csv", "town", "ill").tuples == (("Bern",), ("Zürich",))


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_files_of_windows_are_told_the_command_that_converts_them(tmp_path, encoding):
    price = "10 €" if encoding == "cp1252" else "10 £"
    text = CSV.replace("Bern", price)
    assert price in text
    (tmp_path / "old.csv").write_bytes(text.encode(encoding))
    with pytest.raises(TableError, match="not UTF-8") as caught:
        count(tmp_path / "old.csv", "town", "ill")
    [command] = re.findall(r"\((iconv .*) OLD > NEW", str(caught.value))
    words = [*command.split(), tmp_path / "old.csv"]
    converted = subprocess.run(words, capture_output=True, check=True)
    (tmp_path / "new.csv").write_bytes(converted.stdout)
    assert (price,) in count(tmp_path / "new.csv", "town", "ill").tuples


def test_a_mark_at_the_other_end_is_told_too():
    assert encoding_of(b"\xfe\xff" + CSV.encode("utf-16-be")) == "UTF-16"
    assert encoding_of(b"\0\0\xfe\xff" + CSV.encode("utf-32-be")) == "UTF-32"


@pytest.mark.parametrize(
    "text", [CSV, JSON, "", "a", "a\n\0\n\0\n\0\n", "a,b\nx\0y,\0\n", "\ufeffa,b\n1,2\n"], ids=repr
)
def test_utf_8_is_utf_8_whatever_it_holds(text):
    assert encoding_of(text.encode()) is None


def test_a_link_that_leads_nowhere_is_no_table(tmp_path):
    for name, target in (("loop.csv", "loop.csv"), ("dangling.csv", "nowhere.csv")):
        (tmp_path / name).symlink_to(tmp_path / target)
        with pytest.raises(TableError, match="link that leads nowhere"):
            open_table(tmp_path / name)
    with pytest.raises(TableError, match="no file matches"):
        open_table(tmp_path / "*.csv")


def test_a_pipe_is_no_table(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for name in ("pipe.csv", "*.csv"):
        with pytest.raises(TableError, match="cannot be read twice: save"):
            open_table(tmp_path / name)
    code = "from loglift.tables import open_table; open_table('/dev/stdin')"
    done = subprocess.run(
        [sys.executable, "-c", code], input=CSV, capture_output=True, text=True, check=False
    )
    assert "cannot be read twice: save" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="there are no devices")  # noqa: PTH110
def test_a_device_is_no_table():
    with pytest.raises(TableError, match="is a pipe or a device"):
        open_table("/dev/null")


GOOD = b"a,b\n1,x\n2,y\n"


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
    (tmp_path / "t[1].csv").write_bytes(b"a,b\n9,z\n9,y\n")
    assert count(tmp_path / "t?.csv", "a", "b").total == 4
    assert count(tmp_path / "t[1].csv", "a", "b").tuples == ((9,),)
    (tmp_path / "t3.parquet").write_bytes(parquet_bytes(tmp_path, "SELECT 1 AS a"))
    with pytest.raises(TableError, match="different formats"):
        open_table(tmp_path / "t?.*")


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
        assert count(tmp_path / name, "a", "b").tuples == ((1,), (2,)), name
    assert count(tmp_path / "t.jsonl.zst", "a", "b").tuples == (("1",), ("2",))


def parquet_bytes(folder, query):
    import duckdb

    file = folder / "made.parquet"
    duckdb.connect().execute(f"COPY ({query}) TO '{file}'")
    data = file.read_bytes()
    file.unlink()
    return data


@pytest.mark.parametrize("scheme", ["mysql", "postgressql", "jdbc:postgresql", "https"])
def test_an_address_of_something_else_is_refused_without_its_password(scheme):
    with pytest.raises(TableError, match="that loglift does not read: name a file") as caught:
        open_table(f"{scheme}://user:s3cret@host/db::people")
    assert "s3cret" not in str(caught.value)
    assert str(caught.value).startswith(f"{scheme}://... ")
