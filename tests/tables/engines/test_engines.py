"""One body, every engine: the same rows give the same counts and the same release."""

import math
import random
from collections import Counter
from datetime import date

import pytest

from loglift.errors import TableError
from loglift.tables import apply, count, open_table, unseen_records
from tables.makers import mechanism_of, types_of

NAMES = ["city", "born", "age", "kind", "ok", "note"]
KINDS = [str, date, int, str, bool, str]
VALUES = [
    ["", "NULL", None, "Zürich", "東京", "🦆", 'a "b", c', "nan"],
    [date(1999, 12, 31), None, date(2024, 2, 29)],
    [-7, 0, None, 10, 2**62],
    ["x", "X", " x"],
    [True, False, None],
    ["s1", "s2", None],
]


def rows(n=400, seed=3):
    rng = random.Random(seed)  # noqa: S311 - a fixed table, not a secret
    return [tuple(rng.choice(values) for values in VALUES) for _ in range(n)]


def order(values):
    return tuple((value is not None, value if value is not None else 0) for value in values)


def test_counts_are_those_of_a_plain_counter(maker, tmp_path):
    table = maker.make(NAMES, KINDS, rows(), tmp_path)
    counts = count(table, ["city", "born", "age"], ["ok", "note"])
    expected = Counter((row[:3], row[4:6]) for row in rows())
    assert list(counts.tuples) == sorted({x for x, _ in expected}, key=order)
    assert list(counts.sensitive) == sorted({s for _, s in expected}, key=order)
    matrix = counts.mass
    assert {
        (x, s): matrix[i, j]
        for i, x in enumerate(counts.tuples)
        for j, s in enumerate(counts.sensitive)
        if matrix[i, j]
    } == expected
    assert types_of(counts.columns) == ("text", "date", "integer")
    assert types_of(counts.sensitive_columns) == ("boolean", "text")
    assert [type(v) for v in counts.tuples[-1]] == [str, date, int]
    assert counts.total == 400


def test_joint_has_bare_labels_for_one_column_and_tuples_for_several(maker, tmp_path):
    table = maker.make(NAMES, KINDS, rows(), tmp_path)
    joint = count(table, "ok", ["kind", "note"])
    assert joint.public == (None, False, True)
    assert joint.sensitive[0] == (" x", None)
    assert joint.total == 400


SHOWN = [None, "", "a\nb", "🦆"]


def mapping(counts):
    """Four blocks of public values, released in two columns that say which block it is."""
    lookup = {value: i % 4 for i, value in enumerate(counts.tuples)}
    released = {"block": ("integer", range(4)), "x": ("text", SHOWN)}
    return mechanism_of([(c.name, c.type, c.bin) for c in counts.columns], lookup, released)


def test_apply_gives_every_row_its_block_in_order(maker, tmp_path):
    table = maker.make(NAMES, KINDS, rows(), tmp_path)
    counts = count(table, ["city", "born", "age"], "note")
    mechanism = mapping(counts)
    result = apply(table, mechanism, passthrough=["note", "kind"], keep_order=True)
    blocks = [mechanism.lookup[row[:3]] for row in rows()]
    expected = [(b, SHOWN[b], row[5], row[3]) for b, row in zip(blocks, rows(), strict=True)]
    assert maker.back(result) == expected


@pytest.mark.parametrize("passthrough", [(), ("kind",)])
def test_apply_shuffles_and_keeps_every_row(maker, tmp_path, passthrough):
    table = maker.make(NAMES, KINDS, rows(), tmp_path)
    counts = count(table, ["city", "age"], "note")
    mechanism = mapping(counts)
    result = maker.back(apply(table, mechanism, passthrough=passthrough, counts=counts))
    blocks = [mechanism.lookup[row[0], row[2]] for row in rows()]
    others = [tuple(row[3] for _ in passthrough) for row in rows()]
    expected = [(b, SHOWN[b], *other) for b, other in zip(blocks, others, strict=True)]
    assert Counter(result) == Counter(expected)
    assert result != expected
    assert result != sorted(result, key=order)


def test_what_comes_in_goes_out_as_the_same_kind(maker, tmp_path):
    table = maker.make(NAMES, KINDS, rows(), tmp_path)
    counts = count(table, "city", "note")
    result = apply(table, mapping(counts))
    expected = "DuckDBPyRelation" if open_table(table).is_file else type(table).__name__
    assert type(result).__name__ == expected


def test_released_types_are_counted_again_as_they_were(maker, tmp_path):
    table = maker.make(NAMES, KINDS, rows(), tmp_path)
    public = ["city", "born", "age", "ok"]
    counts = count(table, public, "note")
    shown = {
        column.name: (column.type, [value[i] for value in counts.tuples])
        for i, column in enumerate(counts.columns)
    }
    lookup = {value: i for i, value in enumerate(counts.tuples)}
    mechanism = mechanism_of([(c.name, c.type) for c in counts.columns], lookup, shown)
    released = apply(table, mechanism, passthrough=["note"])
    again = count(released, public, "note")
    assert again.tuples == counts.tuples
    assert types_of(again.columns) == types_of(counts.columns)
    assert (again.mass == counts.mass).all()


def test_nan_and_null_each_go_to_their_own_block(maker, tmp_path):
    if maker.name in ("pandas", "dask", "jsonl"):
        pytest.skip("cannot hold NaN apart from NULL")
    nan = float("nan")
    values = [(1.5, "a"), (nan, "b"), (None, "c"), (nan, "d"), (0.0, "e"), (-0.0, "f")]
    table = maker.make(
        ["w", "s"], [float, str], values[: 5 if maker.name == "csv" else 6], tmp_path
    )
    counts = count(table, "w", "s")
    assert counts.tuples == ((None,), (math.nan,), (0.0,), (1.5,))
    lookup = {value: i for i, value in enumerate(counts.tuples)}
    released = {"w": ("float", [0.5, math.nan, None, 7.0])}
    mechanism = mechanism_of([("w", "float")], lookup, released)
    result = maker.back(apply(table, mechanism, passthrough=["s"], keep_order=True))
    expected = ["7.0", "nan", "0.5", "nan", "None", "None"]
    assert [(str(w), s) for w, s in result] == list(
        zip(expected[: len(result)], "abcdef"[: len(result)], strict=True)
    )


def test_zeros_of_either_sign_are_one_value_in_passthrough_columns_too(maker, tmp_path):
    """They are counted as one: released apart they would tell what the audit did not see."""
    if maker.name == "csv":
        pytest.skip("a passthrough column of a CSV is text, and counted as such")
    values = [("a", -0.0), ("b", 0.0), ("a", 1.5), ("b", -1.5), ("a", None)]
    table = maker.make(["x", "w"], [str, float], values, tmp_path)
    mechanism = mechanism_of("x", {("a",): 0, ("b",): 0}, {"x": ("text", ["A"])})
    for order in (True, False):
        result = apply(table, mechanism, passthrough=["w"], keep_order=order)
        found = [w for _, w in maker.back(result)]
        key = [str(w) for w in found]
        assert sorted(key) == sorted(["0.0", "0.0", "1.5", "-1.5", "None"])


def test_more_combinations_than_a_table_of_values_has_are_refused(maker, tmp_path, monkeypatch):
    table = maker.make(NAMES, KINDS, rows(), tmp_path)
    monkeypatch.setattr("loglift.tables.grouping.MAX_GROUPS", 20)
    with pytest.raises(TableError, match=r"more than 20 different combinations .*leave out 'city'"):
        count(table, ["city", "age"], "kind")


def test_unseen_values_are_listed_or_sent_to_their_block(maker, tmp_path):
    table = maker.make(NAMES, KINDS, rows(), tmp_path)
    lookup, released = {("",): 0, (None,): 0}, {"city": ("text", ["known", "other"])}
    with pytest.raises(TableError, match=r"6 values were not seen .*'NULL'"):
        apply(table, mechanism_of(["city"], lookup, released))
    mechanism = mechanism_of(["city"], lookup, released, unseen=1)
    assert unseen_records(table, mechanism) == sum(row[0] not in ("", None) for row in rows())
    result = Counter(maker.back(apply(table, mechanism)))
    known = sum(row[0] in ("", None) for row in rows())
    assert result == {("known",): known, ("other",): 400 - known}


def test_no_rows_and_no_such_column_are_refused(maker, tmp_path):
    table = maker.make(NAMES, KINDS, rows(), tmp_path)
    with pytest.raises(TableError, match=r"no column 'citi': did you mean 'city'\?"):
        count(table, "citi", "note")
    with pytest.raises(TableError, match="public and as sensitive"):
        count(table, ["city", "note"], "note")
    with pytest.raises(TableError, match="cannot be cut into bins"):
        count(table, "city", "note", bins={"city": 2})
