"""The file of a mechanism: written whole, read back the same, refused when it does not fit."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from loglift import Bound, Joint, Mechanism, MechanismError, merge
from loglift.cuts import Cut
from loglift.joint import Column, Variable
from loglift.mechanism.file import PARTITION_METHODS
from loglift.mechanism.making import channel_mechanism, partition_mechanism
from loglift.merging.merge import Method

FIVES = Cut.steps(5)
CODES = Cut(missing=(-9, "NA"))


def column(name, kind, entries, width=None):
    """A column of a table with these entries, its values in the order of their first use."""
    values = tuple(dict.fromkeys(entries))
    return Column(name, kind, width, values, np.array([values.index(e) for e in entries]))


def counted(columns, labels, sensitive=(("s", FIVES),)):
    """Counts of a table with these public columns."""
    counts = np.arange(1, 2 * len(labels) + 1).reshape(-1, 2)
    events = tuple(
        Column(name, "text", width, ("n", "y"), np.arange(2)) for name, width in sensitive
    )
    return Joint.trusted(counts, labels, ("n", "y"), (Variable("s", 0, 2),), columns, events)


def made(**changes):
    joint = counted(
        (column("city", "text", "aabb"), column("age", "integer", (1, None, 1, 2), CODES)),
        (("a", 1), ("a", None), ("b", 1), ("b", 2)),
    )
    mechanism = partition_mechanism(
        joint,
        np.array([0, 1, 0, 1]),
        Bound(math.inf, 0.5),
        method="greedy",
        upper_bound=1.0,
        scope="merging",
    )
    return replace(mechanism, **changes)


def test_a_mechanism_round_trips():
    mechanism = made(min_count=3, each=True, intact=())
    back = Mechanism.from_json(mechanism.to_json())
    for name in ("public", "bound", "method", "min_count", "intact", "columns", "sensitive"):
        assert getattr(back, name) == getattr(mechanism, name)
    assert back.released == mechanism.released
    assert back.labels.tolist() == mechanism.labels.tolist()
    assert (back.each, back.unseen) == (True, None)
    assert back.lookup == {("a", 1): 0, ("a", None): 1, ("b", 1): 0, ("b", 2): 1}
    assert back.blocks == ((("a", 1), ("b", 1)), (("a", None), ("b", 2)))
    assert back.bins == {"age": CODES, "s": Cut.steps(5)}
    assert back.to_json() == mechanism.to_json()


def test_a_file_tells_no_figures_until_it_is_measured(tmp_path):
    joint = Joint([[6, 2], [1, 3], [2, 2]], public=["a", "b", "c"])
    mechanism = merge(joint, 0.4)
    mechanism.save(tmp_path / "m.json")
    back = Mechanism.load(tmp_path / "m.json")
    assert back.public == ("a", "b", "c")
    with pytest.raises(MechanismError, match="measured"):
        _ = back.leakage
    again = back.measured(joint)
    assert (again.leakage, again.utility) == (mechanism.leakage, mechanism.utility)


def test_a_channel_of_numbers_has_no_file():
    with pytest.raises(MechanismError, match="counts of a table"):
        Mechanism.from_channel([[0.3, 0.2], [0.1, 0.4]], np.eye(2), eps=1).to_json()


def test_a_pickled_mechanism_still_finds_nan():
    joint = counted((column("x", "float", (math.nan, 1.5)),), (math.nan, 1.5))
    mechanism = partition_mechanism(
        joint, np.array([0, 1]), Bound(9, 9), method="greedy", upper_bound=1.0, scope="merging"
    )
    back = pickle.loads(pickle.dumps(mechanism))
    assert back.lookup[math.nan,] == 0
    assert back.leakage == mechanism.leakage


def test_several_columns_show_the_value_where_the_block_agrees_and_its_number():
    city, age, block = made().released
    assert city.values == ("*", "*")
    assert (age.type, age.values) == ("text", ("1", "NULL | 2"))
    assert (block.name, block.type, block.values) == ("loglift_block", "integer", (1, 2))


def test_a_public_column_named_like_the_block_is_refused():
    columns = (column("loglift_block", "text", "xy"), column("b", "text", "xy"))
    joint = counted(columns, (("x", "x"), ("y", "y")))
    with pytest.raises(MechanismError, match="rename"):
        _ = partition_mechanism(
            joint, np.array([0, 1]), Bound(9, 9), method="greedy", upper_bound=1, scope="merging"
        ).released


def damaged():
    good = json.loads(made().to_json())

    def without(key):
        return {k: v for k, v in good.items() if k != key}

    yield "not json", "{"
    yield "another json", "[1, 2]"
    yield "another format", json.dumps({**good, "format": "something"})
    for key in (
        "public",
        "values",
        "blocks",
        "released",
        "bound",
        "sensitive",
        "each",
        "method",
        "intact",
    ):
        yield f"without {key}", json.dumps(without(key))
    yield "blocks too few", json.dumps({**good, "blocks": good["blocks"][:-1]})
    yield "block out of range", json.dumps({**good, "blocks": [0, 1, 0, 7]})
    yield "block negative", json.dumps({**good, "blocks": [0, 1, 0, -1]})
    yield "block boolean", json.dumps({**good, "blocks": [False, 1, 0, 1]})
    yield "block text", json.dumps({**good, "blocks": ["0", 1, 0, 1]})
    yield "blocks empty", json.dumps({**good, "blocks": [], "values": []})
    yield "value repeated", json.dumps({**good, "values": [good["values"][0]] * 4})
    yield "value too short", json.dumps({**good, "values": [["a"]] * 4})
    yield "value nested", json.dumps({**good, "values": [["a", [1]]] * 4})
    yield "value of unknown tag", json.dumps({**good, "values": [["a", {"hour": "1"}]] * 4})
    yield "bound negative", json.dumps({**good, "bound": {"lower": -1, "upper": 1}})
    yield "bound text", json.dumps({**good, "bound": {"lower": "1", "upper": 1}})
    yield "bound none", json.dumps({**good, "bound": {"lower": None, "upper": None}})
    yield "released empty", json.dumps({**good, "released": []})
    yield (
        "released too short",
        json.dumps({**good, "released": [{"name": "a", "type": "text", "values": ["x"]}]}),
    )
    yield "public column unknown key", json.dumps({**good, "public": [{"nome": "x"}]})
    yield "block huge", json.dumps({**good, "blocks": [0, 1, 0, 10**12]})
    yield "version text", json.dumps({**good, "version": "2"})
    yield "version zero", json.dumps({**good, "version": 0})
    yield "min_count text", json.dumps({**good, "min_count": "7"})
    yield "method number", json.dumps({**good, "method": 7})
    yield "each text", json.dumps({**good, "each": "no"})
    yield "sensitive of text", json.dumps({**good, "sensitive": ["s"]})
    yield "sensitive empty", json.dumps({**good, "sensitive": []})
    yield (
        "name number",
        json.dumps({**good, "public": [{"name": 7, "type": "text"}, good["public"][1]]}),
    )
    yield "name half a pair", json.dumps({**good, "sensitive": [{"name": "\ud800", "bin": None}]})
    yield (
        "type unknown",
        json.dumps({**good, "released": [{"name": "a", "type": "colour", "values": ["x", "y"]}]}),
    )
    yield (
        "values of another type",
        json.dumps({**good, "released": [{"name": "a", "type": "integer", "values": ["x", "y"]}]}),
    )
    yield "deep", "[" * 100_000


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in damaged()])
def test_a_damaged_file_is_refused_with_one_line(text):
    with pytest.raises(MechanismError) as raised:
        Mechanism.from_json(text, "m.json")
    assert "m.json" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_an_older_file_says_to_make_it_again(version):
    older = {**json.loads(made().to_json()), "version": version}
    with pytest.raises(MechanismError, match=f"older loglift .format {version}.*make it again"):
        Mechanism.from_json(json.dumps(older))


def test_a_newer_file_says_to_upgrade():
    newer = {**json.loads(made().to_json()), "version": 7}
    with pytest.raises(MechanismError, match="upgrade"):
        Mechanism.from_json(json.dumps(newer))


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(MechanismError, match="there is no file"):
        Mechanism.load(tmp_path / "missing.json")
    (tmp_path / "latin.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MechanismError, match="not JSON"):
        Mechanism.load(tmp_path / "latin.json")
    with pytest.raises(MechanismError, match=r"has no mechanism\.json"):
        Mechanism.load(tmp_path)


def test_the_methods_of_a_file_are_those_of_merge():
    assert set(get_args(Method)) < set(PARTITION_METHODS)


def test_a_channel_that_mixes_values_of_an_intact_column_is_refused():
    joint = counted(
        (column("city", "text", "aabb"), column("age", "integer", (1, 2, 1, 2))),
        (("a", 1), ("a", 2), ("b", 1), ("b", 2)),
    )
    apart = [[1, 0], [1, 0], [0, 1], [0, 1]]
    good = channel_mechanism(
        joint, apart, Bound(9, 9), method="randomized", upper_bound=1.0, scope="release"
    )
    back = Mechanism.from_json(replace(good, intact=("city",)).to_json())
    assert back.intact == ("city",)
    assert back.groups.tolist() == [0, 0, 1, 1]
    with pytest.raises(MechanismError, match="mix values of an intact column"):
        Mechanism.from_json(replace(good, intact=("age",)).to_json())


def test_a_channel_has_a_released_value_for_values_never_seen():
    """A row is added for them where they are applied; until then there is none to take."""
    joint = counted((column("city", "text", "abcd"),), tuple("abcd"))
    halves = [[0.5, 0.5], [1, 0], [0, 1], [0.25, 0.75]]
    good = channel_mechanism(
        joint, halves, Bound(9, 9), method="randomized", upper_bound=1.0, scope="release"
    )
    back = Mechanism.from_json(replace(good, unseen=1).to_json())
    assert back.unseen == 1
    ready = back.with_unseen()
    assert ready.rows_of([("z",), ("b",)]).tolist() == [4, 1]
    assert ready.channel.tolist() == [*halves, [0, 1]]
    assert len(back.exact_channel.rows) == 4
    with pytest.raises(MechanismError, match="block of unseen values does not exist"):
        Mechanism.from_json(replace(good, unseen=2).to_json())
