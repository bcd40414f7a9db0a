"""The difference of two mechanisms in words, on a terminal and in JSON."""

from __future__ import annotations

import io
import math

import pytest
from rich.console import Console

from compared import channel, partition
from loglift import Bound
from loglift.cuts import Cut
from loglift.mechanism.columns import PublicColumn, SensitiveColumn
from loglift.mechanism.difference import difference
from loglift.report.difference import MAX_NAMES, difference_document, print_difference
from loglift.report.sentences.difference import MAX_CHANGES, difference_statements

ROWS = {"a": [0.75, 0.25], "b": [0.25, 0.75]}


def printed(found, width=80):
    out = Console(file=io.StringIO(), width=width, highlight=False)
    print_difference(found, out, "a.json and b.json")
    return out.file.getvalue()


def plain(text):
    return " ".join(text.split())


def headlines(found):
    return [statement.headline for statement in difference_statements(found)]


RELATIONS = {
    "The same blocks.": (["ab", "c"], ["c", "ab"]),
    "The second is coarser.": (["ab", "c"], ["abc"]),
    "The second is finer.": (["abc"], ["ab", "c"]),
    "Neither is coarser.": (["ab", "c"], ["a", "bc"]),
    "No common value.": (["ab", "c"], ["x"]),
}


@pytest.mark.parametrize("headline", RELATIONS)
def test_each_relation_has_its_sentence(headline):
    found = difference(*map(partition, RELATIONS[headline]))
    first, *others = difference_statements(found)
    assert (first.headline, others) == (headline, [])
    assert plain(str(first)) in plain(printed(found))


def test_new_and_gone_values_are_told():
    found = difference(partition(["ab", "cg", "h"]), partition(["abx", "c", "y"]))
    [said] = [s.text for s in difference_statements(found) if s.headline == "Other values."]
    assert said == (
        "2 values are in the second only. A block that new values joined covers more than before. "
        "2 values are in the first only: g, h."
    )
    text = printed(found)
    assert "Blocks with new values (2)" in text
    assert [line for line in text.splitlines() if "x " in line and "a | b | x" in line]
    alone = difference(partition(["a"]), partition(["a", "y"]))
    assert "joined" not in " ".join(s.text for s in difference_statements(alone))


def test_other_names_and_numbers_are_told():
    pairs = [[("a", "1"), ("a", "2")], [("b", "9")]]
    turned = [pairs[1], [*pairs[0], ("a", "3")]]
    found = difference(partition(pairs, ("x", "y")), partition(turned, ("x", "y")))
    [said] = [s.text for s in difference_statements(found) if s.headline == "Other names."]
    assert said.startswith(
        "1 unchanged block has another name in the second release. 2 unchanged blocks have "
        "another number in loglift_block. Match"
    )
    assert "│ #1 a · 1 | 2 │ #2 a · 1 | 2 | 3 │" in printed(found)


SETTINGS = {
    "bound": ({"bound": Bound(math.inf, 2)}, "Bound: eps 1 in the first, upper 2 in the second."),
    "method": ({"method": "exact"}, "Method: search in the first, exact in the second."),
    "sensitive": (
        {"sensitive": (SensitiveColumn("t"), SensitiveColumn("u"))},
        "Sensitive columns: s in the first, t, u in the second.",
    ),
    "each": (
        {"each": True},
        "Each sensitive column on its own: no in the first, yes in the second.",
    ),
    "intact": ({"intact": ("x",)}, "Intact columns: no column in the first, x in the second."),
    "groups": (
        {"intact": ()},
        "Intact columns: no column in the first, groups given value by value in the second.",
    ),
    "min_count": (
        {"min_count": 5},
        "Least records of a released value: not set in the first, 5 in the second.",
    ),
    "types": (
        {"columns": (PublicColumn("x", "date"),)},
        "Types of public columns: x text in the first, x date in the second.",
    ),
    "bins": (
        {"columns": (PublicColumn("x", "text", Cut.steps(2.5)),)},
        "Bands: x not cut in the first, x in steps of 2.5 in the second.",
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_that_differ_are_told_in_words(name):
    changes, words = SETTINGS[name]
    found = difference(partition(["a", "b"]), partition(["a", "b"], **changes))
    said = difference_statements(found)[-1]
    assert (said.headline, said.text) == ("Other settings.", words)
    assert words in plain(printed(found))


def test_values_of_other_intervals_say_why_nothing_is_common():
    cut = partition([["[1, 3)"]], columns=(PublicColumn("x", "text", Cut.steps(2)),))
    first, _ = difference_statements(difference(partition(["1"]), cut))
    assert first.text.endswith("The types or the bands of their columns differ.")
    assert "new values" not in printed(difference(partition(["1"]), cut))


def test_channels_have_one_sentence_and_no_blocks():
    one, other = channel(ROWS), channel({**ROWS, "b": [0.5, 0.5]})
    assert headlines(difference(one, one)) == ["The same channel."]
    found = difference(one, other)
    assert headlines(found)[0] == "Another channel."
    assert "p(y|x) is not the same for all 2 public values." in plain(printed(found))
    assert "have no blocks" in plain(printed(found))
    assert "Merged" not in printed(found)
    mixed = difference(partition(["ab"]), one)
    assert headlines(mixed)[0] == "Two kinds of mechanism."
    assert "randomized and has no blocks" in plain(printed(mixed))
    assert "│ released as     │ blocks │ random values │" in printed(mixed)


def test_ten_changes_are_listed_and_the_number_of_others():
    first = [[f"v{i:02}"] for i in range(26)]
    second = [[f"v{i:02}", f"v{i + 1:02}"] for i in range(0, 26, 2)]
    found = difference(partition(first), partition(second))
    text = printed(found)
    assert len(found.blocks.merged) == 13
    assert "Merged blocks (13)" in text
    assert f"and {13 - MAX_CHANGES} more; --json has all." in text
    assert "v19" in text
    assert "v20" not in text
    assert len(difference_document(found)["blocks"]["merged"]) == 13


def test_of_a_large_change_the_first_blocks_are_listed():
    first = [[f"v{i:02}"] for i in range(20)]
    text = printed(difference(partition(first), partition([[value for [value] in first]])))
    assert f"and {20 - MAX_NAMES} more" in text
    assert "│ v03 " in text
    assert "v04" not in text


@pytest.mark.parametrize("width", [40, 80, 200])
def test_lines_fit_the_width_and_names_are_whole_in_json(width):
    long = [[f"{letter} {'very ' * 30}long"] for letter in "abcd"]
    found = difference(partition(long), partition([[name for [name] in long]]))
    assert max(map(len, printed(found, width).splitlines())) <= width
    assert "…" in printed(found, 40)
    document = difference_document(found)
    assert document["blocks"]["merged"][0]["before"][0]["values"] == long[0]


def test_control_characters_are_not_printed():
    found = difference(partition(["ab"]), partition([["a", "b", "x\x1b[31m"]]))
    assert "\x1b" not in printed(found)


def test_json_has_the_same_sentences():
    found = difference(partition(["ab", "c"]), partition(["abc"]))
    said = difference_document(found)["statements"]
    assert [part["headline"] for part in said] == headlines(found)
    assert plain(said[0]["text"]) in plain(printed(found))


def test_the_figures_account_for_every_block():
    found = difference(partition(["ab", "c", "de", "g"]), partition(["abc", "d", "e", "x", "y"]))
    lines = [line.split("│")[1:4] for line in printed(found).splitlines() if "│" in line]
    figures = [tuple(cell.strip() for cell in line) for line in lines[:6]]
    assert figures == [
        ("public values", "6", "7"),
        ("only here", "1", "2"),
        ("blocks", "4", "5"),
        ("merged", "2", "1"),
        ("split", "1", "2"),
        ("of values only here", "1", "2"),
    ]
