"""Labels: which texts stand for codes, and when a column is labelled at all."""

from __future__ import annotations

from hypothesis import given, strategies as st

from loglift.tables.labels import code_text, is_labelled, shown_texts

CODES = st.integers(-9, 9).map(float) | st.sampled_from([0.5, 1.5])
NAMES = st.sampled_from(["yes", "no", "", " ", "1", "2", "-3", "0.5", "don't know"])


@given(st.dictionaries(CODES, NAMES), st.sets(CODES))
def test_different_codes_look_different(labels, others):
    texts = shown_texts(labels)
    assert list(texts) == sorted(labels)
    plain = {code: code_text(code) for code in others - labels.keys()}
    shown = [*texts.values(), *plain.values()]
    assert len(set(shown)) == len(shown)


def test_labels_stay_as_they_are_where_they_are_clear():
    assert shown_texts({2: "two", 1: "one"}) == {1: "one", 2: "two"}
    assert shown_texts({1: "", 2: "2"}) == {1: "1", 2: "2"}
    assert shown_texts({8: "unknown", 9: "unknown"}) == {8: "unknown (8)", 9: "unknown (9)"}
    assert shown_texts({1: "2"}) == {1: "2 (1)"}
    assert shown_texts({"m": "male", "f": "female"}) == {"f": "female", "m": "male"}


def test_a_column_is_labelled_if_half_of_its_codes_are():
    assert is_labelled({1, 2, None}, {1: "a"})
    assert not is_labelled({1, 2, 3}, {1: "a"})
    assert not is_labelled({None}, {1: "a"})
    assert not is_labelled({1}, {})
