from __future__ import annotations

import math

import pytest

from loglift import Joint, MechanismError, UnsafeError
from loglift.promise.min_count import checked_min_count

JOINT = Joint([[3, 1], [1, 3]])


@pytest.mark.parametrize("value", [0, -1, math.nan, "3", True, [1]])
def test_what_is_not_a_positive_number_is_refused(value):
    with pytest.raises(MechanismError, match="min_count"):
        checked_min_count(JOINT, value)


def test_more_records_than_there_are_have_no_safe_release():
    with pytest.raises(UnsafeError, match=r"for every value: there are \d+ in all, ask for fewer"):
        checked_min_count(JOINT, 9)


def test_counts_stay_whole_numbers():
    assert checked_min_count(JOINT, None) == 0
    assert checked_min_count(JOINT, 8) == 8
    assert isinstance(checked_min_count(JOINT, 8), int)
