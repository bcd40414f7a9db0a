"""Codes for missing values."""

import numpy as np
import pytest

from loglift.cuts import Cut, codes_of, with_codes
from loglift.errors import TableError


def test_codes_and_ignored_columns_are_read_together():
    given = {"a": [-9, "ignore"], "b": "ignore", "c": -8, "d": ("x", np.int64(3))}
    assert codes_of(given) == ({"a": (-9,), "c": (-8,), "d": ("x", 3)}, ("a", "b"))
    assert codes_of(None) == ({}, ())
    assert with_codes({"a": 10}, {"a": [-9], "c": 1}) == {
        "a": Cut.steps(10).with_missing([-9]), "c": Cut(missing=(1,)),
    }  # fmt: skip
    for wrong in ({"a": []}, {"a": None}, {"a": [""]}, ["a"]):
        with pytest.raises(TableError, match="missing"):
            codes_of(wrong)


def test_codes_of_an_array_or_a_set_have_one_order():
    expected = {"x": (-8, -9)}
    for several in ([-8, -9], np.array([-8, -9]), (np.int8(-8), np.float64(-9)), {-9, -8}):
        codes, _ = codes_of({"x": several})
        assert codes == expected
        assert {type(code) for code in codes["x"]} <= {int, float}
