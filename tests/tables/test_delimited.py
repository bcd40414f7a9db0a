"""CSV as texts: which lines are records, and which fields are NULL."""

import gzip

import pytest

from loglift.errors import TableError
from loglift.tables import count, open_table

LINES = [
    ("a\nx\n\ny\n", [("x",), (None,), ("y",)]),  # of one column, an empty line is a record
    ('a\nx\n""\ny\n', [("x",), (None,), ("y",)]),
    ("a\n\n\n", [(None,), (None,)]),
    ("a\r\nx\r\n\r\ny\r\n", [("x",), (None,), ("y",)]),
    ("a\nx\n \ny\n", [("x",), (" ",), ("y",)]),
    ("a,b\n1,2\n\n3,4\n\n", [("1", "2"), ("3", "4")]),  # of several, it is none
    ("a,b\n,\n\n3,4\n", [(None, None), ("3", "4")]),
    ('a,b\n"",\n', [("", None)]),
]


@pytest.mark.parametrize(("text", "rows"), LINES, ids=[repr(text) for text, _ in LINES])
def test_every_record_is_read(tmp_path, text, rows):
    (tmp_path / "t.csv").write_text(text, newline="")
    assert open_table(tmp_path / "t.csv").frame.fetchall() == rows


def test_gaps_of_a_single_column_are_all_counted_in_a_large_file(tmp_path):
    (tmp_path / "t.csv").write_text("a\n" + "x\n\n" * 300_000)
    frame = open_table(tmp_path / "t.csv").frame
    assert frame.aggregate("count(*), count(c0)").fetchall() == [(600_000, 300_000)]


def test_a_file_that_begins_with_an_empty_line_or_holds_nothing_says_so(tmp_path):
    (tmp_path / "t.csv").write_text("\na,b\n1,2\n")
    with pytest.raises(TableError, match="begins with an empty line"):
        open_table(tmp_path / "t.csv")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(TableError, match="is empty"):
        open_table(tmp_path / "t.csv.gz")


def test_a_header_broken_in_another_way_than_the_lines_end_is_told(tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes(b'"a\nb",s\r\nu,y\r\nv,n\r\n')
    with pytest.raises(TableError, match="line break in its header"):
        open_table(file)
    file.write_bytes(b'"a\nb",s\nu,y\nv,n\n')
    assert count(file, "a\nb", "s").total == 2


def test_a_single_column_may_have_another_separator_in_its_name(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\nx\ny\n")
    assert open_table(tmp_path / "t.csv").columns == ("a;b",)


def test_other_line_ends_inside_quotes_are_values(tmp_path):
    (tmp_path / "t.csv").write_bytes(b'x,s\r\na,1\r\n"l\nf",2\r\na,2\r\n')
    assert count(tmp_path / "t.csv", "x", "s").tuples == (("a",), ("l\nf",))
    (tmp_path / "u.csv").write_bytes(b'x,s\na,1\n"cr\r\nlf",2\na,2\n')
    assert count(tmp_path / "u.csv", "x", "s").tuples == (("a",), ("cr\r\nlf",))


DECIMALS = {
    "1,5": "1.5",
    "-0,25": "-0.25",
    "7": "7",
    "": None,
}


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_decimal_commas_are_points_where_commas_separate_nothing(tmp_path, separator):
    rest = f"{separator}1,5 m{separator}a"
    lines = [separator.join("xys"), *(f"{x}{rest}" for x in DECIMALS)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    rows = open_table(tmp_path / "t.csv").frame.fetchall()
    assert rows == [(shown, "1,5 m", "a") for shown in DECIMALS.values()]


@pytest.mark.parametrize("other", ["1.234,5", "a", "1,2,3", "1e5", ",5"])
def test_a_column_with_anything_else_stays_as_it_is(tmp_path, other):
    (tmp_path / "t.csv").write_text(f"x;s\n1,5;a\n{other};b\n")
    assert open_table(tmp_path / "t.csv").frame.fetchall() == [("1,5", "a"), (other, "b")]


def test_decimal_commas_can_be_cut_and_counted(tmp_path):
    (tmp_path / "t.csv").write_text("x;s\n1,5;a\n2,5;b\n12;a\n")
    assert count(tmp_path / "t.csv", "x", "s").public == ("1.5", "12", "2.5")
    cut = count(tmp_path / "t.csv", "x", "s", bins={"x": 10})
    assert cut.tuples == (("[0, 10)",), ("[10, 20)",))


def test_numbers_with_commas_that_cannot_be_cut_are_explained(tmp_path):
    (tmp_path / "t.csv").write_text('x,s\n"1,5",a\n"1.234,5",b\n')
    with pytest.raises(TableError, match="2 of its values are not numbers; some have commas"):
        count(tmp_path / "t.csv", "x", "s", bins={"x": 10})
    (tmp_path / "t.csv").write_text("x,s\nmany,a\n1,b\n")
    with pytest.raises(TableError, match=r"1 of its values are not numbers$"):
        count(tmp_path / "t.csv", "x", "s", bins={"x": 10})
