from __future__ import annotations

import json
import math
import pickle
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import get_args

import numpy as np
import pytest

from loglift import Bound, MechanismError
from loglift.mechanism.recode import recode
from loglift.mechanism.recoding import METHODS, PublicColumn, Recoding, SensitiveColumn
from loglift.merging.merge import Method
from loglift.values import decode, encode

VALUES = [
    None,
    True,
    False,
    0,
    -1,
    2**70,
    1.5,
    -0.25,
    1e300,
    "",
    "NULL",
    "é\n\x00\U0001f600",
    "1",
    date(2020, 2, 29),
    datetime(2020, 1, 2, 3, 4, 5, 6),
    datetime(2020, 1, 2, tzinfo=UTC),
    time(1, 2, 3),
    Decimal("1.10"),
    b"\x00\xff",
    math.inf,
    -math.inf,
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_keep_their_type_through_json(value):
    back = decode(json.loads(json.dumps(encode(value), allow_nan=False)))
    assert back == value
    assert type(back) is type(value)


def test_nan_comes_back_as_the_one_nan():
    assert decode(json.loads(json.dumps(encode(math.nan)))) is math.nan  # noqa: PLW0177


def made(**changes):
    columns = [PublicColumn("city", "text"), PublicColumn("age", "integer", 10)]
    values = [("a", 1), ("a", None), ("b", 1), ("b", 2)]
    options = {
        "bound": Bound(math.inf, 0.5),
        "method": "greedy",
        "orders": [("a", "b"), (None, 1, 2)],
    }
    return recode(
        columns, [SensitiveColumn("s", 5)], values, np.array([0, 1, 0, 1]), **(options | changes)
    )


def test_a_recoding_round_trips():
    recoding = made(min_count=3, each=True)
    back = Recoding.from_json(recoding.to_json())
    assert vars(back).items() >= {k: v for k, v in vars(recoding).items() if k != "lookup"}.items()
    assert back.lookup == {("a", 1): 0, ("a", None): 1, ("b", 1): 0, ("b", 2): 1}
    assert back.bins == {"age": 10}
    assert back.sensitive_bins == {"s": 5}


def test_a_pickled_recoding_still_finds_nan():
    columns, values = [PublicColumn("x", "float")], [(math.nan,), (1.5,)]
    made_of_nan = recode(
        columns,
        [SensitiveColumn("s")],
        values,
        np.array([0, 1]),
        orders=[(math.nan, 1.5)],
        bound=Bound(1, 1),
        method="greedy",
    )
    assert pickle.loads(pickle.dumps(made_of_nan)).lookup[math.nan,] == 0


def test_several_columns_show_the_value_where_the_block_agrees_and_a_group():
    city, age, group = made().released
    assert city.values == ("a | b", "a | b")
    assert (age.type, age.values) == ("text", ("1", "NULL | 2"))
    assert (group.name, group.type, group.values) == ("loglift_group", "integer", (1, 2))


def test_a_public_column_named_like_the_group_is_refused():
    with pytest.raises(MechanismError, match="rename"):
        recode(
            [PublicColumn("loglift_group", "text"), PublicColumn("b", "text")],
            [SensitiveColumn("s")],
            [("x", "y")],
            np.array([0]),
            orders=[("x",), ("y",)],
            bound=Bound(1, 1),
            method="greedy",
        )


def damaged():
    good = json.loads(made().to_json())

    def without(key):
        return {k: v for k, v in good.items() if k != key}

    yield "not json", "{"
    yield "another json", "[1, 2]"
    yield "another format", json.dumps({**good, "format": "something"})
    for key in ("public", "values", "blocks", "released", "bound", "sensitive", "each", "method"):
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
        Recoding.from_json(text, "m.json")
    assert "m.json" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_newer_file_says_to_upgrade():
    newer = {**json.loads(made().to_json()), "version": 3}
    with pytest.raises(MechanismError, match="upgrade"):
        Recoding.from_json(json.dumps(newer))


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(MechanismError, match="No such file"):
        Recoding.load(tmp_path / "missing.json")
    (tmp_path / "latin.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MechanismError, match="not JSON"):
        Recoding.load(tmp_path / "latin.json")
    with pytest.raises(MechanismError, match="directory"):
        Recoding.load(tmp_path)


def test_the_methods_of_a_file_are_those_of_merge():
    assert get_args(Method) == METHODS
