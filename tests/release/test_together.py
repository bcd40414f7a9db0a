"""Several releases of the same records: what they tell together is counted, not added up.

Sequences of releases that know of each other are tested in test_knowledge and test_earlier.
"""

from __future__ import annotations

import math

import polars as pl
import pytest

from loglift import protect, verify, verify_together


def halves(right):
    """A table in which a and b tell nothing alone; together they are s in `right` of 8 rows."""
    rows = [
        (a, b, a ^ b if i < right else 1 - (a ^ b))
        for a in (0, 1)
        for b in (0, 1)
        for i in range(8)
    ]
    return pl.DataFrame(rows, schema=["a", "b", "s"], orient="row")


@pytest.mark.parametrize(("right", "holds"), [(4, True), (5, True), (7, False), (8, False)])
def test_releases_that_are_safe_alone_may_tell_much_together(right, holds):
    table = halves(right)
    first, second = (protect(table, sensitive="s", public=x, eps=0.5) for x in "ab")
    assert all(verify(each, table).leakage == 0 for each in (first, second))
    check = verify_together([first, second], table)
    assert check.holds == holds
    assert check.promised == (True, True)
    lifts = [2 * right / 8, 2 * (8 - right) / 8]
    worst = max(math.inf if lift == 0 else abs(math.log(lift)) for lift in lifts)
    assert [told.leakage for told in check.together] == pytest.approx([worst, worst])


def test_one_release_together_is_that_release():
    table = halves(6)
    release = protect(table, sensitive="s", public=["a", "b"], eps=1)
    check = verify_together([release], table)
    assert check.holds
    assert check.certificates[0].leakage == check.together[0].leakage == pytest.approx(math.log(2))
