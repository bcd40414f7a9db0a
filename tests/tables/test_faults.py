"""Every fault of an input is one line that says what to do."""

import pytest

from loglift.errors import TableError
from loglift.tables import count

GOOD = b"a,b\n1,x\n2,y\n"


FILES = [
    ("empty.csv", b"", "is empty"),
    ("header.csv", b"a,b\n", "no rows, only a header"),
    ("header.jsonl", b"", "is empty"),
    ("table.xlsx", GOOD, "not a readable Excel workbook"),
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
    ("twice.csv", b"a,b,a\n1,2,3\n", "2 columns .* are named 'a'"),
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
