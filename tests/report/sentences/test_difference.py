"""What changed between two mechanisms is told of the values that both know."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from compared import partition
from loglift.mechanism.difference import difference
from loglift.report.sentences.difference import TOGETHER, difference_statements


def test_the_sentence_says_which_values_it_is_about():
    def said(one, other):
        return difference_statements(difference(partition(one), partition(other)))[0].text

    assert said(["ab"], ["ab"]).startswith("On all 2 public values, ")
    assert said(["a"], ["a"]).startswith("On the 1 public value, ")
    assert said(["ab"], ["abx"]).startswith("On the 2 public values that both know, ")
    assert "both sides have the same values." in said(["ab", "c"], ["a", "bc"])
    assert "same values among those that both know." in said(["ab", "c"], ["a", "bcx"])


@given(st.lists(st.integers(0, 3), min_size=6, max_size=6), st.lists(st.integers(0, 3), min_size=6))
def test_both_releases_together_are_warned_of_where_blocks_overlap_in_parts(one, other):
    """Elsewhere what both blocks of a record share is a block of one release, within its bound."""
    first, second = (
        [[x for x, number in zip("abcdef", numbers, strict=False) if number == k] for k in range(4)]
        for numbers in (one, other)
    )
    first, second = ([block for block in blocks if block] for blocks in (first, second))
    parts = [{*block} & {*beside} for block in first for beside in second]
    partly = any(part and sorted(part) not in (*first, *second) for part in parts)
    found = difference(partition(first), partition(second))
    assert partly == (TOGETHER in difference_statements(found)[0].text)


def test_released_columns_that_differ_are_told():
    whole = partition([[1], [2], [3]], kind="integer")
    ranges = partition([[1, 2], [3]], kind="integer").with_ranges()
    said = difference_statements(difference(whole, ranges))[-1].text
    assert said == (
        "Types of released columns: x integer in the first, x_low integer, x_high integer, "
        "loglift_block integer in the second."
    )
