"""The plan of a release as a file: what is written, what is read, and what is refused."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, strategies as st

from loglift.cli._by_column import groups_of
from loglift.errors import PlanError
from loglift.release.options import Options
from loglift.release.plan import BY_NAME, INCOMPLETE, KEYS, WAYS, Plan, laid_out, read_plan

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def written(folder, text):
    path = folder / "release.toml"
    path.write_text(text, "utf-8")
    return path


def test_keys_are_unique_and_name_options_that_exist():
    assert len(BY_NAME) == len(KEYS)
    known = set(Options.__dataclass_fields__)
    assert {key.of_options for key in KEYS if key.of_options} <= known
    assert set().union(*(way for ways in WAYS for way in ways)) <= set(BY_NAME)
    # Tables come last: TOML would take a key after a table as its own.
    kinds = [key.kind == "columns" for key in KEYS]
    assert kinds == sorted(kinds)


def test_every_option_of_a_release_has_a_key():
    """`bound` is eps, lower, upper, beta and bound; bins are bin and missing; files are noted."""
    elsewhere = {"bound", "combine", "bins", "ignored", "given", "coarser_than", "update"}
    noted = {key.of_options for key in KEYS if key.of_options}
    assert set(Options.__dataclass_fields__) - noted == elsewhere
    assert {"eps", "lower", "upper", "beta", "given", "coarser-than", "update"} <= set(BY_NAME)


def test_a_plan_is_read_as_options(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    path = written(
        tmp_path / "data",
        """
        table = "people.csv"
        sensitive = "ill"
        public = ["age", "town"]
        eps = 1
        each = true
        given = ["../old/mechanism.json"]
        min-count = 5
        [bin]
        age = 10
        income = [0, 20000.5]
        since = "month"
        born = [1950-01-01, 2000-01-01]
        seen = [2020-01-01 10:00:00]
        hours = [40]
        [missing]
        born = 1900-01-01
        [taxonomy]
        town = "towns.csv"
        [bound.ill]
        HIV = 0.3
        "a:b" = [0.5, "none"]
        [combine]
        ill = [["NULL", "a, b"], ["x", " y"]]
        """,
    )
    assert read_plan(path) == {
        "table": "data/people.csv",
        "sensitive": ["ill"],
        "public": ["age", "town"],
        "eps": 1,
        "each": True,
        "given": ["old/mechanism.json"],
        "min-count": 5,
        "bin": [
            "age=10",
            "income=0,20000.5",
            "since=month",
            "born=1950-01-01,2000-01-01",
            "seen=2020-01-01 10:00:00,",
            "hours=40,",
        ],
        "missing": ["born=1900-01-01"],
        "taxonomy": ["town=data/towns.csv"],
        "bound": ["ill=HIV:0.3", "ill=a:b:0.5,none"],
        "combine": ['ill=NULL,"a, b"', 'ill="x"," y"'],
    }


@given(st.lists(TEXTS, min_size=2, max_size=4))
def test_combined_values_of_any_text_are_read_as_they_are(tmp_path_factory, values):
    text = laid_out("x", {"combine": {"ill": [values]}}, ".", {})
    path = written(tmp_path_factory.mktemp("plan"), text)
    assert groups_of(tuple(read_plan(path)["combine"])) == {"ill": [values]}


WRONG = {
    "sensitiv = ['ill']": "unknown key 'sensitiv': did you mean 'sensitive'?",
    "min_count = 5": "unknown key 'min_count': did you mean 'min-count'?",
    "bins = {age = 10}": "unknown key 'bins': did you mean 'bin'?",
    "MinCount = 5": "did you mean 'min-count'?",
    "zzz = 5": "the keys are the long names of the options",
    "force = true": "unknown key 'force'",
    "[columns]\nsensitive = ['ill']": "unknown key 'columns'",
    "eps = '1'": 'eps must be a number, got "1"',
    "eps = true": "eps must be a number, got true",
    "eps = nan": "eps must be a number",
    "eps = [1]": "eps must be a number, got [1]",
    "min-count = 2.5": "min-count must be a whole number, got 2.5",
    "sensitive = [1]": "sensitive must be a list of texts, got [1]",
    "sensitive = true": "sensitive must be a list of texts, got true",
    "each = 'yes'": 'each must be true or false, got "yes"',
    "method = 3": "method must be a text, got 3",
    "table = ''": 'table must be a text, got ""',
    "bin = 10": "bin must be a table that maps columns, such as [bin] and a line age = ..., got 10",
    "bin = ['age=10']": "bin must be a table",
    "[bin]\nage = []": "age in [bin] must be a text, a number, a date or a list of them, got []",
    "[bin]\nage = [[10], 3]": "age in [bin] must be",
    "[bin]\nage = 10:30:00": "age in [bin] must be",
    "[bin]\n'a=b' = 10": "names the column 'a=b'",
    "[bound]\nill = {HIV = {x = 1}}": "ill in [bound] must be",
    "eps = 2020-01-01": "eps must be a number, got 2020-01-01",
    "eps = 1\neps = 2": "is not TOML",
    "eps =": "is not TOML",
    "incomplete = ['intact was a mapping']": "is incomplete (",
    "incomplete = true": "is incomplete (true)",
    "key = '" + "x" * 500 + "'\neps = '" + "y" * 500 + "'": "...",
}


@pytest.mark.parametrize(("text", "said"), WRONG.items(), ids=[text[:30] for text in WRONG])
def test_a_wrong_plan_is_one_line(text, said, tmp_path):
    with pytest.raises(PlanError) as refused:
        read_plan(written(tmp_path, text))
    message = str(refused.value)
    assert said in message
    assert message.startswith(f"the plan {tmp_path / 'release.toml'}")
    assert "\n" not in message
    assert len(message) - len(str(tmp_path)) < 220


def test_a_plan_that_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(PlanError, match=r"there is no plan .*write one with 'loglift plan"):
        read_plan(tmp_path / "nowhere.toml")
    with pytest.raises(PlanError, match=r"is a folder: give the release\.toml"):
        read_plan(tmp_path)
    (tmp_path / "latin.toml").write_bytes('table = "Zürich"'.encode("latin-1"))
    with pytest.raises(PlanError, match="not UTF-8"):
        read_plan(tmp_path / "latin.toml")


def test_a_byte_order_mark_and_an_empty_plan_are_fine(tmp_path):
    (tmp_path / "release.toml").write_text("eps = 1\n", "utf-8-sig")
    assert read_plan(tmp_path / "release.toml") == {"eps": 1}
    assert read_plan(written(tmp_path, "")) == {}


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=3))
def test_no_name_of_a_column_or_value_adds_a_key(column, value, names):
    options = {
        "sensitive": names,
        "table": "/x/people.csv",
        "bound": {column: {value: 0.5}},
        "bin": {column: 10},
    }
    text = Plan(options, (f"intact of {value}",)).text("/x/out")
    read = tomllib.loads(text)
    assert read == {**options, "table": "../people.csv", INCOMPLETE: [f"intact of {value}"]}


def test_a_plan_says_what_it_names_and_leaves_out():
    text = Plan({"sensitive": ["ill"], "bound": {"ill": {"HIV": 0.3}}, "draw-seed": 3}).text(".")
    assert "It names sensitive values in [bound], because the options did." in text
    assert "Whoever knows draw-seed can undo the draws" in text
    assert "The table was a dataframe: name a file here" in text
    plain = Plan({"sensitive": ["ill"], "table": "postgresql://a:b@c/d::e"}).text(".")
    assert "names sensitive values" not in plain
    assert 'table = "postgresql://a@c/d::e"' in plain
    assert "A password is not noted" in plain


def test_more_options_replace_the_same_ones():
    plan = Plan({"eps": 1.0}).also(eps=2.0, public_report=True, evaluate=False, format=None)
    assert plan.options == {"eps": 2.0, "public-report": True}
