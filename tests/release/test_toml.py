"""TOML that is written: tomllib reads back what was written, and nothing more."""

from __future__ import annotations

import math
import tomllib

import numpy as np
import pytest
from hypothesis import given, strategies as st

from loglift.errors import InputError
from loglift.release.toml import (
    WIDTH,
    is_plain,
    toml_comment,
    toml_key,
    toml_line,
    toml_text,
    toml_value,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(TEXTS, VALUES)
def test_tomllib_reads_back_what_was_written(name, value):
    read = tomllib.loads(toml_line(name, value))
    assert read == {name: value}
    assert type(read[name]) is type(value)


@given(TEXTS, VALUES)
def test_no_text_leaves_its_line(name, value):
    assert toml_key(name).isprintable()
    assert toml_value(value).isprintable()


@given(TEXTS)
def test_a_comment_holds_nothing_but_itself(text):
    written = toml_comment(text)
    assert tomllib.loads(f'a = 1\n{written}\nb = "c"') == {"a": 1, "b": "c"}
    assert len(written.split("\n")) == text.count("\n") + 1


@given(TEXTS)
def test_a_name_in_a_comment_is_one_line(name):
    assert "\n" not in toml_comment(toml_key(name))


@pytest.mark.parametrize("value", [0.1, 1e-7, 1e16, 1e300, -0.0, math.inf, -math.inf, 5e-324])
def test_floats_are_read_back_exactly(value):
    read = tomllib.loads(toml_line("x", value))["x"]
    assert (type(read), math.copysign(1, read)) == (float, math.copysign(1, value))
    assert read == value


def test_numbers_of_numpy_are_numbers():
    values = [np.int64(3), np.float64(0.5)]
    assert toml_line("x", values) == "x = [3, 0.5]"


def test_a_long_list_has_one_item_on_each_line():
    names = [f"column {i}" for i in range(30)]
    lines = toml_line("public", names).split("\n")
    assert (lines[0], lines[1], lines[-1]) == ("public = [", '    "column 0",', "]")
    assert max(map(len, lines)) <= WIDTH
    assert tomllib.loads("\n".join(lines)) == {"public": names}


def test_marks_that_reverse_the_direction_of_text_are_escaped():
    assert toml_text("a\u202eb\x00\x7f\U000e0001") == r'"a\u202Eb\u0000\u007F\U000E0001"'


@pytest.mark.parametrize("value", [b"x", {1, 2}, None, "\ud800", [object()]])
def test_what_toml_cannot_say_is_refused(value):
    assert not is_plain(value)
    with pytest.raises(InputError):
        toml_value(value)


@given(VALUES)
def test_what_is_plain_is_written(value):
    assert is_plain(value)
    assert tomllib.loads(toml_line("x", value)) == {"x": value}


@pytest.mark.parametrize("value", [math.nan, {1: 2}, b"x"])
def test_not_everything_is_plain(value):
    assert not is_plain(value)
