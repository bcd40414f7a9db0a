"""Taxonomies: every file form gives the same one, and what is not a taxonomy is refused."""

from __future__ import annotations

import csv
import io
import json
import math
from datetime import UTC, date, datetime, time
from decimal import Decimal

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from loglift.errors import UtilityError
from loglift.joint import Column
from loglift.utility.taxonomy import Taxonomy

# What CSV, JSON and TOML must escape, among letters of any language. A BOM is not a letter, and
# TOML cannot hold most control characters.
characters = st.one_of(
    st.sampled_from(";,\"\n\\ '#.=[]"),
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff"),
)
texts = st.text(characters, max_size=5)
names = texts.map(str.strip).filter(bool)

PROVINCES = {
    "Alberta": ("Prairie provinces", "West"),
    "Saskatchewan": ("Prairie provinces", "West"),
    "British Columbia": ("Pacific", "West"),
    "Nova Scotia": ("Atlantic provinces", "East"),
}


@st.composite
def trees(draw):
    """Return the nodes of each value in two or three levels; some levels are constant."""
    values = draw(st.lists(texts.filter(lambda v: v != "value"), min_size=1, unique=True))
    places, levels = list(range(len(values))), []
    for _ in range(draw(st.integers(2, 3))):
        numbers = sorted(set(places))
        named = draw(st.lists(names, min_size=3, max_size=3, unique=True))
        parent = {number: draw(st.integers(0, 2)) for number in numbers}
        places = [parent[place] for place in places]
        levels.append([named[place] for place in places])
    return dict(zip(values, zip(*levels, strict=True), strict=True))


def as_csv(tree, separator=";", *, quoting=csv.QUOTE_MINIMAL, end="\n"):
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerows([value, *nodes] for value, nodes in tree.items())
    return file.getvalue()


def as_toml(tree):
    """Return the lines of a TOML file; a text of JSON is a text of TOML."""
    return "\n".join(
        f"{json.dumps(value, ensure_ascii=False)} = {json.dumps(nodes, ensure_ascii=False)}"
        for value, nodes in tree.items()
    )


def nested(tree):
    found = {}
    for value, nodes in tree.items():
        place = found
        for node in reversed(nodes[1:]):
            place = place.setdefault(node, {})
        place.setdefault(nodes[0], []).append(value)
    return found


def nested_toml(tree, above=()):
    """Return the same with one table for each node that has nodes below it."""
    path = ".".join(json.dumps(node, ensure_ascii=False) for node in above)
    lines = [f"[{path}]"] if above else []
    for node, below in tree.items():
        if isinstance(below, dict):
            lines.append(nested_toml(below, (*above, node)))
        else:
            lines.append(f"{json.dumps(node, ensure_ascii=False)} = {json.dumps(below)}")
    return "\n".join(lines)


def written(folder, name, text, encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def column_of(values, type_name="text"):
    return Column("c", type_name, None, tuple(values), np.arange(len(values)))


def refused(build):
    """Return the message with which something is refused."""
    with pytest.raises(UtilityError) as error:
        build()
    return str(error.value)


@given(trees(), st.sampled_from(["utf-8", "utf-8-sig"]), st.sampled_from(["\n", "\r\n"]))
def test_every_form_of_file_gives_the_same_taxonomy(tmp_path_factory, tree, encoding, end):
    folder = tmp_path_factory.mktemp("taxonomy")
    header = ";".join(["value", *("level" for _ in next(iter(tree.values())))]) + end
    forms = {
        "semicolons.csv": as_csv(tree, end=end),
        "header.csv": header + as_csv(tree, end=end),
        "commas.csv": as_csv(tree, ",", quoting=csv.QUOTE_ALL, end=end),
        "lists.json": json.dumps(tree),
        "nested.JSON": json.dumps(nested(tree)),
        "lists.toml": as_toml(tree),
    }
    expected = Taxonomy.of(tree)
    for name, text in forms.items():
        assert Taxonomy.read(written(folder, name, text, encoding)) == expected, name
    assert Taxonomy.of(nested(tree)) == expected


@given(trees())
def test_only_levels_that_tell_values_apart_are_kept(tree):
    levels = [level for level in zip(*tree.values(), strict=True) if len(set(level)) > 1]
    found = Taxonomy.of(tree)
    assert found.levels == len(levels)
    assert [
        tuple(nodes[i] for nodes in found.nodes.values()) for i in range(found.levels)
    ] == levels
    matched = found.matched(column_of(tree))
    assert [tuple(level.values()) for level in matched] == levels


def test_a_nested_toml_file_with_tables_is_a_tree(tmp_path):
    path = written(tmp_path, "provinces.toml", nested_toml(nested(PROVINCES)))
    assert Taxonomy.read(path) == Taxonomy.of(PROVINCES)


def test_one_level_is_a_mapping_of_values_to_nodes(tmp_path):
    regions = {value: nodes[-1] for value, nodes in PROVINCES.items()}
    expected = Taxonomy.of({value: [node] for value, node in regions.items()})
    assert expected.nodes["Nova Scotia"] == ("East",)
    assert Taxonomy.of(regions) == expected
    for name, text in (("r.json", json.dumps(regions)), ("r.toml", as_toml(regions))):
        assert Taxonomy.read(written(tmp_path, name, text)) == expected


def test_a_hierarchy_of_arx_is_read_without_its_top(tmp_path):
    text = "1;[0, 5[;[0, 10[;*\n7;[5, 10[;[0, 10[;*\n12;[10, 15[;[10, 20[;*\n"
    found = Taxonomy.read(written(tmp_path, "age.csv", text))
    assert found.nodes == {
        "1": ("[0, 5[", "[0, 10["),
        "7": ("[5, 10[", "[0, 10["),
        "12": ("[10, 15[", "[10, 20["),
    }
    assert found.matched(column_of([1, 7, 12], "integer"))[1] == {
        1: "[0, 10[",
        7: "[0, 10[",
        12: "[10, 20[",
    }


def test_a_taxonomy_with_one_node_for_all_has_no_level():
    found = Taxonomy.of({"a": "*", "b": "*"})
    assert found.levels == 0
    assert found.matched(column_of(["a", "b"])) == ()


def test_a_level_that_is_constant_in_the_table_only_is_kept():
    found = Taxonomy.of(PROVINCES).matched(column_of(["Alberta", "Saskatchewan"]))
    assert found[0] == {"Alberta": "Prairie provinces", "Saskatchewan": "Prairie provinces"}


def test_blank_lines_and_spaces_around_nodes_mean_nothing_but_spaces_of_values_count(tmp_path):
    path = written(tmp_path, "t.csv", "\n a, x \n\nb,y\n")
    assert Taxonomy.read(path).nodes == {" a": ("x",), "b": ("y",)}
    path = written(tmp_path, "t.csv", "\n a; x \n\nb;y\n")
    assert Taxonomy.read(path).nodes == {" a": ("x",), "b": ("y",)}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "a;x;p\nb;y\n", "'a' has 2 and 'b' has 1 nodes"),
        ("t.json", '{"a": ["x"], "b": ["x", "y"]}', "'a' has 1 and 'b' has 2 nodes"),
        ("t.json", '{"p": {"x": ["a"]}, "q": ["b"]}', "'a' has 2 and 'b' has 1 nodes"),
        ("t.csv", "a\nb\n", "'a' has no node"),
        ("t.json", '{"a": []}', "'a' has no node"),
        ("t.csv", "a;x\nb;y\na;x\n", "'a' occurs twice"),
        ("t.json", '{"a": "x", "b": "y", "a": "x"}', "'a' occurs twice"),
        ("t.json", '{"p": {"x": ["a"]}, "q": {"y": ["a"]}}', "'a' occurs twice"),
        ("t.toml", 'a = "x"\na = "x"\n', "has a key twice"),
        ("t.csv", "", "no values"),
        ("t.csv", "\n\n", "no values"),
        ("t.csv", "value;region\n", "no values"),
        ("t.json", "{}", "no values"),
        ("t.json", '{"p": {}}', "no values"),
        ("t.toml", "", "no values"),
        ("t.csv", "a;x;p\nb;x;q\n", "'x' of level 1 is under 'p' and under 'q' of level 2"),
        ("t.json", '{"p": {"x": ["a"]}, "q": {"x": ["b"]}}', "'x' of level 1 is under 'p'"),
        ("t.csv", "a;x;p;1\nb;y;p;2\n", "'p' of level 2 is under '1' and under '2' of level 3"),
        ("t.csv", "a;x;p\nb; ;p\n", "'b' has a node without a name"),
        ("t.json", '{"a": null}', "'a' has the node None"),
        ("t.json", '{"a": true}', "'a' has the node True"),
        ("t.json", '{"p": {"x": "a"}}', "'x' is followed by 'a'"),
        ("t.toml", '1.5 = "low"\n', "quote keys with dots"),
        ("t.json", '{"p": {"x": [["a"]]}}', "['a'] cannot be a value"),
        ("t.json", '["a"]', "must be a mapping of values to nodes, got list"),
        ("t.json", "{", "is not JSON"),
        ("t.toml", "a", "is not TOML"),
        ("t.csv", 'a;x\n"b;y\n', "line 2 is not CSV"),
    ],
)
def test_a_file_that_is_no_taxonomy_is_refused_by_name(tmp_path, name, text, message):
    path = written(tmp_path, name, text)
    told = refused(lambda: Taxonomy.read(path))
    assert str(path) in told
    assert message in told


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    gone = tmp_path / "gone.csv"
    assert f"{gone} cannot be read: No such file" in refused(lambda: Taxonomy.read(gone))
    assert "cannot be read" in refused(lambda: Taxonomy.read(tmp_path))
    latin = written(tmp_path, "latin.csv", "Québec;East\n", "latin-1")
    assert f"{latin} is not UTF-8" in refused(lambda: Taxonomy.read(latin))


TYPED = [
    ("integer", {7: "07", 1000: "1000.0", -3: "-3", 2**70: str(2**70)}),
    ("float", {0.5: "0.50", 1.0: "1", math.inf: "inf", math.nan: "NaN"}),
    ("decimal", {Decimal("1.50"): "1.5", Decimal("0.1"): "0.10"}),
    ("boolean", {True: "TRUE", False: "false"}),
    ("text", {"007": "007", "True": "True", "1.0": "1.0", "": ""}),
    ("date", {date(2020, 1, 2): "2020-01-02"}),
    ("time", {time(8, 30): "08:30"}),
    ("datetime", {datetime(2020, 1, 2, 8): "2020-01-02 08:00"}),
    ("instant", {datetime(2020, 1, 2, 8, tzinfo=UTC): "2020-01-02T09:00+01:00"}),
    ("bytes", {b"\x01\xff": "01FF"}),
]


@pytest.mark.parametrize(("type_name", "texts_of"), TYPED)
def test_a_value_is_matched_by_itself_and_by_a_text_that_means_it(type_name, texts_of):
    column = column_of([None, *texts_of], type_name)
    by_value = {None: "missing"} | {value: f"node {i}" for i, value in enumerate(texts_of)}
    by_text = {"NULL": "missing"} | {texts_of[v]: by_value[v] for v in texts_of}
    assert Taxonomy.of(by_value).matched(column) == (by_value,)
    assert Taxonomy.of(by_text).matched(column) == (by_value,)


@pytest.mark.parametrize("type_name", [name for name, _ in TYPED])
def test_an_empty_field_is_null_where_nothing_else_is(type_name):
    found = Taxonomy.of({"": "missing", "other": "x"})
    assert found.matched(column_of([None], type_name)) == ({None: "missing"},)


def test_the_empty_text_is_not_null_where_null_is_named():
    both = {"": "blank", None: "missing"}
    assert Taxonomy.of(both).matched(column_of([None, ""])) == (both,)


def test_numpy_numbers_are_numbers():
    found = Taxonomy.of({np.int64(1): "low", np.float64(2.5): "high"})
    assert found == Taxonomy.of({1: "low", 2.5: "high"})


def test_a_text_in_a_column_of_another_type_is_matched_as_it_is():
    """A column that is read as integers may hold texts that are not integers."""
    column = column_of([1, "n/a"], "integer")
    assert Taxonomy.of({"1": "known", "n/a": "unknown"}).matched(column) == (
        {1: "known", "n/a": "unknown"},
    )


def test_two_spellings_of_a_value_must_have_the_same_nodes():
    twice = Taxonomy.of({"7": "low", "07": "high", "8": "high"})
    told = refused(lambda: twice.matched(column_of([7, 8], "integer")))
    assert "has a value twice, as '7' and '07', with different nodes" in told
    assert twice.matched(column_of([8], "integer")) == ({8: "high"},)
    assert twice.matched(column_of(["7", "07"])) == ({"7": "low", "07": "high"},)
    same = Taxonomy.of({"7": "low", "07": "low", "8": "high"})
    assert same.matched(column_of([7], "integer")) == ({7: "low"},)
    missing = Taxonomy.of({"": "x", "NULL": "y"})
    assert "as '' and 'NULL'" in refused(lambda: missing.matched(column_of([None], "integer")))


def test_values_that_the_table_lacks_are_ignored():
    found = Taxonomy.of(PROVINCES | {"Narnia": ("Far", "Elsewhere")})
    fine, coarse = found.matched(column_of(PROVINCES))
    assert {value: (fine[value], coarse[value]) for value in fine} == PROVINCES


def test_values_that_the_taxonomy_lacks_are_listed():
    taxonomy = Taxonomy.of(PROVINCES)
    one = refused(lambda: taxonomy.matched(column_of(["Alberta", "Yukon"])))
    assert one == (
        "the taxonomy of column 'c' does not have the value 'Yukon': "
        "add each of them with its nodes"
    )
    five = refused(lambda: taxonomy.matched(column_of([None, 1, 2, 3, 4], "integer")))
    assert "the values 'NULL', '1', '2', '3', '4': add" in five
    seven = refused(lambda: taxonomy.matched(column_of(range(7), "integer")))
    assert "the values '0', '1', '2', '3', '4' and 2 more: add" in seven


def test_a_mapping_of_nodes_to_values_is_recognised():
    turned = Taxonomy.of({"Prairie": ["Alberta", "Manitoba"], "East": ["Quebec", "Ontario"]})
    told = refused(lambda: turned.matched(column_of(["Alberta", "Ontario"])))
    assert "it has them as nodes, not as values" in told


@pytest.mark.parametrize(
    ("type_name", "value", "text"),
    [
        ("integer", 7, "7.5"),
        ("integer", 7, "sNaN"),  # has no hash
        ("boolean", True, "1"),
        ("date", date(2020, 1, 2), "2020-01-03"),
        ("instant", datetime(2020, 1, 2, tzinfo=UTC), "2020-01-02"),  # a time without a zone
        ("text", "007", "7"),
        ("text", "a", "A"),
    ],
)
def test_another_value_is_not_matched(type_name, value, text):
    taxonomy = Taxonomy.of({text: "x", "other": "y"})
    told = refused(lambda: taxonomy.matched(column_of([value], type_name)))
    assert "does not have the value" in told
