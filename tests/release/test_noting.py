"""Noting a release of Python as a plan: what the command line can repeat, and what it cannot."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import loglift
from loglift import Bound, PlanError, Utility
from loglift.cli import main
from loglift.release.plan import INCOMPLETE, read_plan


def people(ills=("flu", "cold", None)):
    rng = np.random.default_rng(2)
    places = rng.choice(len(ills), 600, p=[0.5, 0.3, 0.2])
    return pl.DataFrame(
        {
            "town": rng.choice(["Bern", "Genf", "Basel"], 600),
            "age": rng.integers(2, 7, 600) * 10,
            "ill": [ills[place] for place in places],
        }
    )


@pytest.fixture
def frame():
    return people()


def plan_of(table, folder, **options):
    """Protect a table, save the release, and return the plan as its file says it."""
    asked = {"sensitive": "ill", "public": ["town", "age"], "eps": 1} | options
    if "bound" in options or "min_information" in options:
        asked.pop("eps")
    loglift.protect(table, **asked).save(folder / "out", force=True)
    return tomllib.loads((folder / "out" / "release.toml").read_text("utf-8"))


def repeated(folder, *options):
    """Repeat the release of `plan_of`; return both mechanisms."""
    words = ["protect", *options, "--config", str(folder / "out/release.toml")]
    done = CliRunner().invoke(main, [*words, "-o", str(folder / "again")])
    assert done.exit_code == 0, done.output
    return [(folder / name / "mechanism.json").read_bytes() for name in ("out", "again")]


def test_a_dataframe_has_no_table_and_the_command_asks_for_one(frame, tmp_path):
    assert "table" not in plan_of(frame, tmp_path)
    text = (tmp_path / "out" / "release.toml").read_text("utf-8")
    assert "The table was a dataframe" in text
    words = ["protect", "--config", str(tmp_path / "out/release.toml"), "-o", str(tmp_path / "x")]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "does not have table" in done.output
    assert not (tmp_path / "x").exists()
    frame.write_parquet(tmp_path / "people.parquet")
    one, two = repeated(tmp_path, str(tmp_path / "people.parquet"))
    assert one == two


def test_arguments_of_python_are_the_options_of_the_command(frame, tmp_path):
    path = tmp_path / "people.parquet"
    frame.write_parquet(path)
    loglift.protect(path, sensitive="ill", public="town", eps=2).save(tmp_path / "first")
    bound = Bound(np.float64(2.0), 1).with_values({None: None, "flu": (0.5, 1.5)})
    found = plan_of(
        path,
        tmp_path,
        bound=bound,
        bins={"age": 20},
        importance={"age": 0.5},
        given=tmp_path / "first" / "mechanism.json",
        min_count=4,
        intact="town",
        evaluate=False,
    )
    assert found == {
        "table": "../people.parquet",
        "sensitive": ["ill"],
        "public": ["town", "age"],
        "lower": 2.0,
        "upper": 1.0,
        "min-count": 4,
        "given": ["../first/mechanism.json"],
        "intact": ["town"],
        "bin": {"age": 20},
        "importance": {"age": 0.5},
        "bound": {"ill": {"NULL": "none", "flu": [0.5, 1.5]}},
    }
    one, two = repeated(tmp_path)
    assert one == two


def test_values_of_any_type_are_named_by_their_texts(tmp_path):
    path = tmp_path / "people.parquet"
    people((1, 2, None)).write_parquet(path)
    bound = Bound.symmetric(1).with_values({2: 1.5})
    found = plan_of(path, tmp_path, bound=bound, combine={"ill": [1, None]})
    assert (found["bound"], found["combine"]) == ({"ill": {"2": 1.5}}, {"ill": [["1", "NULL"]]})
    one, two = repeated(tmp_path)
    assert one == two


TOWNS = {"Bern": "German", "Basel": "German", "Genf": "French"}
BY_TOWN = {(town, age): town for town in TOWNS for age in range(20, 70, 10)}
LEFT_OUT = {
    "intact": ({"intact": BY_TOWN}, "intact was given value by value, as a mapping"),
    "utility": ({"utility": Utility.columns()}, "utility was given as a Utility"),
    "taxonomy": ({"taxonomies": {"town": TOWNS}}, "of column 'town' was given as an object"),
}


@pytest.mark.parametrize(("options", "said"), LEFT_OUT.values(), ids=LEFT_OUT.keys())
def test_what_a_file_cannot_hold_is_named_and_the_plan_refused(options, said, frame, tmp_path):
    frame.write_parquet(tmp_path / "people.parquet")
    found = plan_of(tmp_path / "people.parquet", tmp_path, eps=2, **options)
    [reason] = found[INCOMPLETE]
    assert said in reason
    with pytest.raises(PlanError, match="is incomplete"):
        read_plan(tmp_path / "out" / "release.toml")


@pytest.mark.parametrize("name", ["given", "coarser_than", "update"])
def test_a_mechanism_in_memory_is_not_a_file(name, frame, tmp_path):
    first = loglift.protect(frame, sensitive="ill", public=["town", "age"], eps=2)
    for given in (first, first.mechanism):
        found = plan_of(frame, tmp_path, eps=2, **{name: given})
        key = name.replace("_", "-")
        assert found[INCOMPLETE] == [f"{key} was given as an object, not as a file"]


def test_two_values_with_the_same_text_cannot_be_named(tmp_path):
    frame = people(("NULL", "cold", None))
    bound = Bound.symmetric(1).with_values({None: 2.0})
    found = plan_of(frame, tmp_path, bound=bound)
    assert found[INCOMPLETE] == ["bound of column 'ill' has values that a text cannot name"]
    assert "bound" not in found


def test_a_column_with_an_equals_sign_cannot_be_named_before_one(frame, tmp_path):
    renamed = frame.rename({"age": "a=b"})
    found = plan_of(renamed, tmp_path, public=["town", "a=b"], bins={"a=b": 20})
    [reason] = found[INCOMPLETE]
    assert "bin of column 'a=b'" in reason
    assert "bin" not in found


def test_names_of_columns_cannot_write_into_the_plan(frame, tmp_path):
    name = 'x"]\neps = 99\n[bound]\n# \u202e'
    found = plan_of(frame.rename({"town": name}), tmp_path, public=[name, "age"], bins={"age": 20})
    assert found["public"] == [name, "age"]
    assert found["eps"] == 1.0
    assert "bound" not in found


def test_a_plan_has_no_counts_no_sensitive_values_and_no_place_of_the_machine(frame, tmp_path):
    frame.write_parquet(tmp_path / "people.parquet")
    plan_of(tmp_path / "people.parquet", tmp_path, eps=1)
    text = (tmp_path / "out" / "release.toml").read_text("utf-8")
    assert not any(word in text for word in ("flu", "cold", "600", str(tmp_path), str(Path.home())))
    again = loglift.protect(frame, sensitive="ill", public=["town", "age"], eps=1)
    again.save(tmp_path / "a" / "b")
    again.save(tmp_path / "c")
    one, two = (tmp_path / name / "release.toml" for name in ("a/b", "c"))
    assert one.read_bytes() == two.read_bytes()  # no time, no folder


def test_paths_are_those_of_the_folder_at_the_time(frame, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    frame.write_parquet(tmp_path / "data" / "people.parquet")
    monkeypatch.chdir(tmp_path / "data")
    release = loglift.protect("people.parquet", sensitive="ill", public="town", eps=1)
    monkeypatch.chdir(tmp_path)
    release.save("out")
    found = tomllib.loads((tmp_path / "out" / "release.toml").read_text("utf-8"))
    assert found["table"] == "../data/people.parquet"


def test_a_file_whose_name_is_not_text_does_not_stop_the_release(frame, tmp_path):
    loglift.protect(frame, sensitive="ill", public="town", eps=2).save(tmp_path / "first")
    path = Path(os.fsdecode(os.fsencode(str(tmp_path)) + b"/first\xff.json"))
    (tmp_path / "first" / "mechanism.json").rename(path)
    found = plan_of(frame, tmp_path, eps=2, given=path)
    assert found[INCOMPLETE] == ["given has a name that is not Unicode text"]
    assert "given" not in found


NUMPY = {
    "eps": (np.float32(1), 1),
    "min_count": (np.int64(5), 5),
    "each": (np.bool_(True), True),
    "importance": ({"age": np.int64(2)}, {"age": 2}),
    "time_limit": (np.int64(60), 60),
    "bins": ({"age": np.array([30, 50])}, {"age": [30, 50]}),
    "missing": ({"age": np.array([20, 30])}, {"age": [20, 30]}),
    "combine": ({"ill": np.array(["flu", "cold"])}, {"ill": ["flu", "cold"]}),
}


@pytest.mark.parametrize("name", NUMPY)
def test_numbers_and_arrays_of_numpy_are_noted_as_those_of_python(frame, tmp_path, name):
    plans = []
    for i, given in enumerate(NUMPY[name]):
        folder = tmp_path / str(i)
        folder.mkdir()
        plans.append(plan_of(frame, folder, **{name: given}))
    assert plans[0] == plans[1]
    assert INCOMPLETE not in plans[0]
    mechanisms = [(tmp_path / str(i) / "out/mechanism.json").read_bytes() for i in (0, 1)]
    assert mechanisms[0] == mechanisms[1]


def test_a_seed_of_numpy_is_noted(frame, tmp_path):
    given = {"method": "randomized", "draw_seed": np.int64(4)}
    assert plan_of(frame, tmp_path, **given)["draw-seed"] == 4


def test_bands_by_time_are_repeated_from_the_plan(tmp_path):
    days = pl.Series("seen", np.arange(600) * 24 * 3600 * 10**6).cast(pl.Datetime("us"))
    table = people().with_columns(days)
    table.write_parquet(tmp_path / "people.parquet")
    edges = [np.datetime64("1970-04-01T10:00"), np.datetime64("1971-01-01")]
    given = {"public": ["town", "seen"], "bins": {"seen": edges}}
    plan = plan_of(tmp_path / "people.parquet", tmp_path, **given)
    assert plan["bin"] == {"seen": "1970-04-01 10:00:00,1971-01-01"}
    first, second = repeated(tmp_path)
    assert first == second
