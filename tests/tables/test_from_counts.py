"""A release from counts: the right copies, in an order that is uniformly random."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from loglift.mechanism.naming import ReleasedColumn
from loglift.tables import from_counts
from tables.makers import released_of


@pytest.mark.parametrize(("chunk", "dealt"), [(2, 3), (100, 3), (2, 2), (100, 2)])
def test_every_order_of_a_small_multiset_is_as_likely(monkeypatch, chunk, dealt):
    monkeypatch.setattr(from_counts, "_ROWS_PER_CHUNK", chunk)
    monkeypatch.setattr(from_counts, "_MAX_DEALT_VALUES", dealt)
    draws, seen = 1500, Counter()
    for _ in range(draws):
        seen[tuple(from_counts.permutation(np.array([2, 1, 2])).tolist())] += 1
    assert len(seen) == 30
    # About six standard deviations: the cases together fail by chance about once in 10^6 runs
    # (binomial tail of a cell times cells).
    assert max(abs(times - draws / 30) for times in seen.values()) < 6 * (draws / 30) ** 0.5


@pytest.mark.parametrize("dealt", [5, 6])
def test_copies_are_exact_over_many_chunks(monkeypatch, dealt):
    monkeypatch.setattr(from_counts, "_ROWS_PER_CHUNK", 1000)
    monkeypatch.setattr(from_counts, "_MAX_DEALT_VALUES", dealt)
    records = np.array([0, 12345, 1, 0, 54321, 300])
    drawn = from_counts.permutation(records)
    assert np.bincount(drawn, minlength=6).tolist() == records.tolist()
    assert drawn.dtype == np.uint8


@pytest.mark.parametrize("kept", [range(5), [0, 3, 4], [0, 4]])
def test_values_are_the_same_from_arrays_and_from_sql(kept):
    columns = [
        ReleasedColumn("oa", "text", ("x", "", 'quo"te', "2020-01-01", "\u2028 ü")),
        ReleasedColumn("ob", "text", ("x", None, "y", "NULL", "z")),
        ReleasedColumn("oc", "integer", (1, -(2**63), 3, 2**63 - 1, 5)),
        ReleasedColumn("od", "integer", (1, 2**70, 3, 4, 5)),
        ReleasedColumn("oe", "float", (0.1, 2.0, -1.5, 4.0, 1e300)),
    ]
    some = [replace(c, values=tuple(c.values[i] for i in kept)) for c in columns]
    for several in [*([column] for column in some), some[:3], some]:
        made = from_counts.from_counts(np.arange(1, len(kept) + 1), several).fetchall()
        rows = zip(*(column.values for column in several), strict=True)
        copies = [row for times, row in enumerate(rows, start=1) for _ in range(times)]
        assert sorted(made, key=str) == sorted(copies, key=str)


def test_no_records_give_no_rows():
    assert from_counts.permutation(np.zeros(3, dtype=np.int64)).tolist() == []


def test_narrow_columns_list_the_texts_that_records_have():
    released = released_of({"o0": ("text", ["a", "b", "gone"]), "o1": ("integer", [1, 2, 3])})
    made = from_counts.from_counts(np.array([2, 3, 0]), released, narrow=True)
    assert list(map(str, made.types)) == ["ENUM('a', 'b')", "BIGINT"]
    assert Counter(made.fetchall()) == {("a", 1): 2, ("b", 2): 3}


def test_an_order_that_was_drawn_is_the_order_of_the_rows():
    released = released_of({"o0": ("text", ["a", "gone", "b"])})
    order = np.array([2, 0, 2, 2, 0])
    made = from_counts.from_counts(np.array([2, 0, 3]), released, order=order)
    assert [text for (text,) in made.fetchall()] == ["b", "a", "b", "b", "a"]


def test_numbers_take_as_few_bytes_as_they_need():
    found = from_counts.numbered(np.array([7, 300]), np.array([1, 0, 1]))
    assert (found.tolist(), found.dtype) == ([300, 7, 300], np.uint16)


def test_columns_of_many_texts_are_not_narrow(monkeypatch):
    monkeypatch.setattr(from_counts, "MAX_NARROW_TEXTS", 1)
    released = released_of({"o0": ("text", ["a", "b"]), "o1": ("text", ["c", "c"])})
    made = from_counts.from_counts(np.array([2, 3]), released, narrow=True)
    assert list(map(str, made.types)) == ["VARCHAR", "ENUM('c')"]
