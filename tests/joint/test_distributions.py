"""What is no distribution is refused, with what to fix."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from loglift import InputError, Joint, JointError
from loglift.joint import as_distribution

BAD_MASS = {
    "negative": [[1, -1], [1, 1]],
    "nan": [[1.0, np.nan]],
    "infinite": [[1.0, np.inf]],
    "empty": [],
    "no columns": np.zeros((3, 0)),
    "one-dimensional": [1, 2, 3],
    "three-dimensional": np.ones((2, 2, 2)),
    "ragged": [[1, 2], [3]],
    "text": [["a", "b"]],
    "numbers as text": [["1", "2"]],
    "missing": [[1, None]],
    "boolean": [[True, False]],
    "complex": [[1j, 2]],
    "no mass": [[0, 0], [0, 0]],
    "empty row": [[1, 2], [0, 0]],
    "empty column": [[1, 0], [2, 0]],
    "counts beyond 2^63": np.full((2, 2), 2**62),
    "python integers beyond 2^63": [[2**70, 1]],
    "total overflows": [[1e308, 1e308]],
    "cell underflows": [[1.0, 1e-200]],
    "scalar": 3,
    "nothing": None,
    "masked": np.ma.masked_array([[1, 2], [3, 4]], mask=[[True, False], [False, False]]),
    "a joint": Joint([[1, 2]]),
    "beyond float64": np.array([[1.0, 2.0]], dtype=np.longdouble) * np.longdouble("1e4000"),
}


@pytest.mark.parametrize("mass", BAD_MASS.values(), ids=BAD_MASS.keys())
def test_bad_mass_is_refused(mass):
    with pytest.raises(JointError):
        Joint(mass)


def test_errors_say_what_to_fix():
    with pytest.raises(JointError, match="empty_public='drop'"):
        Joint([[1, 2], [0, 0]])
    with pytest.raises(JointError, match="empty_sensitive='drop'"):
        Joint([[1, 0], [2, 0]])
    with pytest.raises(JointError, match="'b' is repeated"):
        Joint([[1], [2], [3]], public=["a", "b", "b"])
    with pytest.raises(JointError, match="'refuse' or 'drop'"):
        Joint([[1]], empty_public="ignore")


def test_every_input_error_is_a_value_error():
    with pytest.raises(ValueError, match="negative"):
        Joint([[-1, 2]])
    assert issubclass(JointError, InputError)


def test_python_integers_in_an_object_array_stay_integers():
    assert Joint(np.array([[3, 1], [2, 2]], dtype=object)).is_counts
    assert Joint(np.array([[np.int64(3), 1], [2, 2]], dtype=object)).is_counts
    assert not Joint(np.array([[Fraction(1, 2), Fraction(1, 2)]], dtype=object)).is_counts


@pytest.mark.parametrize("mass", [[], [0, 0], [-1, 2], [np.nan], [[1, 2]], "ab", [1e308, 1e308]])
def test_bad_distributions_are_refused(mass):
    with pytest.raises(JointError):
        as_distribution(mass)
