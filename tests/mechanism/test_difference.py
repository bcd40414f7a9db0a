"""What changed between two mechanisms, beside slow oracles and on examples."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from compared import channel, partition
from loglift import Bound, Mechanism, MechanismError
from loglift.cuts import Cut
from loglift.mechanism.columns import PublicColumn, SensitiveColumn
from loglift.mechanism.difference import difference
from naive import is_coarser, overlapping

VALUES = "abcdefgh"


@st.composite
def block_numbers(draw):
    """The block of each of some values, at least one."""
    known = draw(st.lists(st.sampled_from(VALUES), min_size=1, unique=True))
    return {value: draw(st.integers(0, 3)) for value in known}


def made(numbers):
    """The mechanism of a partition: its blocks in the order of their first values."""
    blocks = {}
    for value, number in numbers.items():
        blocks.setdefault(number, []).append(value)
    return partition(list(blocks.values()))


def sets_of(blocks):
    return {frozenset(block.values) for block in blocks}


def members(numbers, chosen):
    return {frozenset(x for x in numbers if numbers[x] == number) for number in chosen}


@given(block_numbers(), block_numbers())
def test_blocks_are_told_as_the_oracle_tells_them(first, second):
    found = difference(made(first), made(second)).blocks
    expected = {"unchanged": [], "merged": [], "split": [], "rearranged": []}
    for before, after in overlapping(first, second):
        several = (len(before) > 1, len(after) > 1)
        kind = {
            (False, False): "unchanged",
            (True, False): "merged",
            (False, True): "split",
            (True, True): "rearranged",
        }[several]
        expected[kind].append((members(first, before), members(second, after)))
    assert found.unchanged == len(expected["unchanged"])
    for kind in ("merged", "split", "rearranged"):
        told = [(sets_of(change.before), sets_of(change.after)) for change in getattr(found, kind)]
        assert len(told) == len(expected[kind])
        assert all(change in expected[kind] for change in told)


@given(block_numbers(), block_numbers())
def test_the_relation_is_the_one_of_all_pairs_of_values(first, second):
    found = difference(made(first), made(second)).blocks.relation
    ways = (is_coarser(first, second), is_coarser(second, first))
    names = {
        (True, True): "same",
        (True, False): "coarser",
        (False, True): "finer",
        (False, False): "neither",
    }
    assert found == (names[ways] if first.keys() & second.keys() else None)


@given(block_numbers(), block_numbers())
def test_every_block_and_every_value_is_accounted_for(first, second):
    found = difference(made(first), made(second))
    blocks = found.blocks
    changes = (*blocks.merged, *blocks.split, *blocks.rearranged)
    before = blocks.unchanged + sum(len(change.before) for change in changes) + blocks.gone
    after = blocks.unchanged + sum(len(change.after) for change in changes) + blocks.new
    assert (before, after) == (found.before.released_values, found.after.released_values)
    assert (before, after) == (len(set(first.values())), len(set(second.values())))
    assert found.common + len(found.gone) == len(first)
    assert found.common + len(found.new) == len(second)
    assert found.new == tuple(x for x in made(second).public if x not in first)
    assert found.gone == tuple(x for x in made(first).public if x not in second)
    joined = [(x, joined.block.values) for joined in blocks.joined for x in joined.values]
    assert sorted(x for x, _ in joined) == sorted(found.new)
    assert all(members(second, [second[x]]) == {frozenset(block)} for x, block in joined)


@given(block_numbers(), block_numbers())
def test_added_up_both_sides_of_a_change_count_the_same(first, second):
    """What the terminal says to do: figures of both sides agree, on the values that both know."""
    blocks = difference(made(first), made(second)).blocks
    records = {x: 3**i for i, x in enumerate(VALUES) if x in first and x in second}
    changes = (*blocks.merged, *blocks.split, *blocks.rearranged, *blocks.renamed)
    sums = [
        [sum(records.get(x, 0) for block in side for x in block.values) for side in sides]
        for sides in ((change.before, change.after) for change in changes)
    ]
    assert [one for one, _ in sums] == [other for _, other in sums]


@given(block_numbers(), block_numbers())
def test_the_other_way_round_merges_are_splits(first, second):
    there = difference(made(first), made(second))
    back = difference(made(second), made(first))

    def turned(changes):
        return Counter((frozenset(sets_of(c.before)), frozenset(sets_of(c.after))) for c in changes)

    def straight(changes):
        return Counter((frozenset(sets_of(c.after)), frozenset(sets_of(c.before))) for c in changes)

    assert turned(there.blocks.merged) == straight(back.blocks.split)
    assert turned(there.blocks.rearranged) == straight(back.blocks.rearranged)
    assert (there.new, there.blocks.new) == (back.gone, back.blocks.gone)
    assert there.blocks.unchanged == back.blocks.unchanged


def test_a_mechanism_is_the_same_as_itself():
    one = partition(["ab", "c"])
    found = difference(one, one)
    assert (found.blocks.relation, found.blocks.unchanged) == ("same", 2)
    assert found.settings == found.new == found.gone == found.blocks.renamed == ()
    assert (found.not_compared, found.same_channel) == (None, None)


def test_blocks_are_labelled_by_what_they_show_and_in_the_order_of_the_first():
    found = difference(partition(["d", "ab", "c", "e"]), partition(["abc", "de"])).blocks
    assert found.relation == "coarser"
    one, other = found.merged
    assert [dict(block.shows) for block in one.before] == [{"x": "d"}, {"x": "e"}]
    assert [(dict(b.shows), b.values) for b in other.after] == [({"x": "a | b | c"}, tuple("abc"))]


def test_an_unchanged_block_that_a_value_joined_or_left_has_another_name():
    found = difference(partition(["ab", "cd", "e"]), partition(["abx", "c", "e"])).blocks
    assert (found.relation, found.unchanged) == ("same", 3)
    names = [(c.before[0].shows["x"], c.after[0].shows["x"]) for c in found.renamed]
    assert names == [("a | b", "a | b | x"), ("c | d", "c")]
    [joined] = found.joined
    assert (joined.values, joined.block.values) == (("x",), ("a", "b", "x"))


def test_a_number_that_became_a_text_has_the_same_name():
    whole = partition([[1], [2], [3]], kind="integer")
    found = difference(whole, partition([[1], [2, 3]], kind="integer"))
    assert whole.released[0].values[0] == 1
    assert found.blocks.renamed == ()
    [setting] = found.settings
    assert (setting.name, setting.before, setting.after) == (
        "released",
        {"x": "integer"},
        {"x": "text"},
    )


def test_releases_that_show_values_have_no_names_to_change():
    one, other = partition(["ab", "c"]), partition(["c", "abx"])
    assert len(difference(one, other).blocks.renamed) == 1
    shares = np.full(3, 2**51)
    found = difference(replace(one, shares=shares), other)
    assert (found.blocks.renamed, found.blocks.renumbered) == ((), 0)
    assert [(s.name, s.before, s.after) for s in found.settings] == [("shows", "values", "groups")]


def test_columns_in_another_order_are_the_same_columns():
    pairs = [[("a", "1"), ("a", "2")], [("b", "1")]]
    turned = [[(y, x) for x, y in block] for block in (pairs[1], pairs[0])]
    found = difference(partition(pairs, ("x", "y")), partition(turned, ("y", "x")))
    assert (found.public, found.common) == (("x", "y"), 3)
    assert (found.blocks.relation, found.blocks.unchanged) == ("same", 2)
    assert (found.blocks.renamed, found.blocks.renumbered, found.settings) == ((), 2, ())
    more = partition([*turned, [("9", "z")]], ("y", "x"))
    [joined] = difference(partition(pairs, ("x", "y")), more).blocks.joined
    assert (joined.values, joined.block.values) == ((("z", "9"),), (("z", "9"),))
    assert list(joined.block.shows) == ["x", "y", "loglift_block"]


def test_missing_values_are_found_in_both(tmp_path):
    one = partition([[None, 1.0], [math.nan]], kind="float")
    one.save(tmp_path / "m.json")
    found = difference(one, Mechanism.load(tmp_path / "m.json"))
    assert (found.common, found.blocks.relation, found.settings) == (3, "same", ())


def test_a_suppressed_block_has_no_values_to_compare():
    one = partition(["ab", "c"])
    found = difference(one, one.with_suppressed()).blocks
    assert (found.relation, found.unchanged, found.new) == ("same", 2, 0)


def test_other_public_columns_are_refused_and_named():
    one, other = partition([[("a", "1")]], ("x", "y")), partition([[("a", "1")]], ("x", "z"))
    with pytest.raises(MechanismError, match="only the first has 'y'; only the second has 'z'"):
        difference(one, other)
    with pytest.raises(MechanismError, match=r"columns .* differ: only the second has 'y'"):
        difference(partition(["a"]), one)


SETTINGS = {
    "bound": ({"bound": Bound(1, math.inf)}, Bound(1, 1), Bound(1, math.inf)),
    "method": ({"method": "exact"}, "search", "exact"),
    "sensitive": ({"sensitive": (SensitiveColumn("t"),)}, ("s",), ("t",)),
    "each": ({"each": True}, False, True),
    "intact": ({"intact": ("x",)}, None, ("x",)),
    "min_count": ({"min_count": 5}, None, 5),
    "types": ({"columns": (PublicColumn("x", "date"),)}, {"x": "text"}, {"x": "date"}),
    "bins": ({"columns": (PublicColumn("x", "text", Cut.steps(5)),)}, {}, {"x": Cut.steps(5)}),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_that_changed_is_told(name):
    changes, before, after = SETTINGS[name]
    [setting] = difference(partition(["a", "b"]), partition(["a", "b"], **changes)).settings
    assert (setting.name, setting.before, setting.after) == (name, before, after)


def test_the_order_of_sensitive_columns_is_no_change():
    s, t = SensitiveColumn("s"), SensitiveColumn("t")
    one, other = partition(["a"], sensitive=(s, t)), partition(["a"], sensitive=(t, s))
    assert difference(one, other).settings == ()


ROWS = {"a": [0.75, 0.25, 0], "b": [0.25, 0.25, 0.5], "c": [0, 0.5, 0.5]}


def test_channels_are_the_same_whatever_the_order_of_what_they_release():
    one = channel(ROWS)
    turned = channel({x: ROWS[x][::-1] for x in reversed(ROWS)})
    found = difference(one, turned)
    assert (found.same_channel, found.blocks) == (True, None)
    assert "have no blocks" in found.not_compared
    assert (found.before.kind, found.after.kind) == ("channel", "channel")


def test_the_least_change_of_a_channel_is_found():
    one, step = channel(ROWS), 2**-52
    other = channel({**ROWS, "c": [0, 0.5 + step, 0.5 - step]})
    assert difference(one, other).same_channel is False
    assert difference(one, channel({**ROWS, "b": [0.5, 0.25, 0.25]})).same_channel is False


def test_channels_are_compared_on_the_values_that_both_know():
    more = channel({**ROWS, "d": [0.5, 0.5, 0]})
    found = difference(channel(ROWS), more)
    assert (found.same_channel, found.new, found.gone) == (True, ("d",), ())
    apart = difference(channel(ROWS), channel({"z": [0.5, 0.5]}))
    assert (apart.common, apart.same_channel) == (0, None)


def test_a_channel_without_whole_numbers_is_refused():
    rough = replace(channel(ROWS), exact_channel=None)
    with pytest.raises(MechanismError, match="counts of a table"):
        difference(rough, rough)


def test_a_partition_and_a_channel_are_told_apart():
    merged, random = partition(["ab", "x"]), channel(ROWS)
    found = difference(merged, random)
    assert (found.blocks, found.same_channel) == (None, None)
    assert found.not_compared.startswith("The first mechanism merges values, the second one is")
    assert (found.new, found.gone) == (("c",), ("x",))
    assert {setting.name for setting in found.settings} >= {"method", "shows"}
    back = difference(random, merged)
    assert back.not_compared.startswith("The second mechanism merges values, the first one is")


def test_its_json_form_has_everything():
    one, other = partition(["ab", "c"]), partition(["abc", "x"], bound=Bound(math.inf, 2))
    document = json.loads(json.dumps(difference(one, other).as_dict()))
    assert document["blocks"]["merged"] == [
        {
            "before": [
                {"shows": {"x": "a | b"}, "values": ["a", "b"]},
                {"shows": {"x": "c"}, "values": ["c"]},
            ],
            "after": [{"shows": {"x": "a | b | c"}, "values": ["a", "b", "c"]}],
        }
    ]
    assert document["settings"][0]["after"]["upper"] == 2.0
    assert (document["new"], document["blocks"]["relation"]) == (["x"], "coarser")
