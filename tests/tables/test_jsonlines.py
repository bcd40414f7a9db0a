"""JSON lines: which keys are columns, and how numbers pass through."""

import json
from datetime import date

import pytest

import loglift
from loglift.errors import TableError
from loglift.tables import count
from tables.makers import types_of


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
        ('{"x": 2, "s": 0}\n3', "a line that is not an object"),
        ("[1, 2]\n[3, 4]", "a line that is not an object"),
    ],
)
def test_json_that_is_no_table_is_refused(tmp_path, ending, text, message):
    (tmp_path / f"t.{ending}").write_text(text + "\n")
    with pytest.raises(TableError, match=message):
        count(tmp_path / f"t.{ending}", "x", "s")


def test_an_empty_key_inside_a_value_is_no_column(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"x": 1, "s": 0, "more": {"": 1}}\n{"x": 2, "s": 1}\n')
    assert count(tmp_path / "t.jsonl", "x", "s").tuples == ((1,), (2,))


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("1", "1.0", 1.0),
        ("1", "1e0", 1.0),
        ("0", "-0.0", 0.0),
        ("null", "-0.0", 0.0),
        ("null", "7", "7.0"),
    ],
)
def test_numbers_of_several_json_files_pass_as_they_are_counted(tmp_path, first, second, shown):
    for name, k, s in (("a", first, "A"), ("b", second, "B")):
        rows = [f'{{"x": "{x}", "k": {k}, "s": "{s}"}}' for x in "uv" * 10]
        rows += ['{"x": "u", "k": %s, "s": "B"}' % ("0.0" if "0.0" in second else k)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows))
    table = str(tmp_path / "*.jsonl")
    made = loglift.protect(table, sensitive="s", public="x", eps=5, passthrough="k")
    values = {row[0] for row in made.table.project("k").fetchall()}
    assert (None in values) == (first == "null")
    assert {repr(v) for v in values if v is not None} == {repr(shown)}


def test_a_number_too_long_for_python_is_refused_in_one_line(tmp_path):
    place = tmp_path / "t.jsonl"
    place.write_text("\n".join(f'{{"x": {"9" * 5000}, "s": {i % 2}}}' for i in range(4)))
    with pytest.raises(TableError, match="'x' holds a number that is too long"):
        loglift.audit(place, sensitive="s", public="x")
    place.write_text('{"x": "5", "s": 1}\n{"x": "6", "s": 0}')
    with pytest.raises(TableError, match="values are not numbers"):
        loglift.audit(place, sensitive="s", public="x", bins={"x": 2})


def test_json_values_keep_their_digits_and_their_types(tmp_path):
    (tmp_path / "t.jsonl").write_text(
        '{"a": 123456789012345678901234567890, "b": "2024-1-5", "c": "2024-01-05", "d": 1.5}\n'
        '{"a": 1, "b": "2024-01-05T00:00:00Z", "c": null, "d": 2, "e": "\\u00e9"}\n'
        '{"a": 1, "b": "NULL", "c": "2024-01-06", "d": 2, "e": "é"}\n'
    )
    counts = count(tmp_path / "t.jsonl", ["a", "b", "c"], ["d", "e"])
    assert types_of(counts.columns) == ("integer", "text", "date")
    assert types_of(counts.sensitive_columns) == ("float", "text")
    assert counts.tuples[-1] == (123456789012345678901234567890, "2024-1-5", date(2024, 1, 5))
    assert counts.sensitive == ((1.5, None), (2.0, "é"))
