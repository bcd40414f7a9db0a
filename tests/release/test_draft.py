"""A first plan for a table: complete, to be edited, and without values of sensitive columns."""

from __future__ import annotations

import tomllib
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from loglift.cli import main
from loglift.errors import TableError
from loglift.release.draft import draft, role_lines
from loglift.release.plan import BY_NAME, KEYS, Key, read_plan


def survey_table(n=1500):
    """Twelve columns of a survey."""
    rng = np.random.default_rng(4)
    return pl.DataFrame(
        {
            "person_id": np.arange(n) + 70000,
            "email": [f"p{i}@example.org" for i in range(n)],
            "age": np.where(rng.random(n) < 0.02, 999, rng.integers(2, 7, n) * 10),
            "region": rng.choice(["north", "south"], n),
            "education level": rng.choice(["low", "high"], n),
            "net_income": np.where(rng.random(n) < 0.1, -9.0, rng.gamma(9, 313.7, n)),
            "diagnosis": rng.choice(["influenza", "measles", "mumps"], n),
            "height": rng.normal(170, 10, n),
            "pw": rng.gamma(2, 1, n) + 0.1,
            "notes": [
                f"a sentence that is long enough to be free text, {i % 200}" for i in range(n)
            ],
            "visited": [date(2020, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 900, n)],
            "constant": ["x"] * n,
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("drafts")
    survey_table().write_csv(place / "survey.csv")
    survey_table().write_parquet(place / "survey.parquet")
    return place


def written(found, folder, **options):
    return found.text(found.guess(), folder, **options)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_survey_of_twelve_columns(ending, folder):
    found = draft(folder / f"survey.{ending}")
    plan = tomllib.loads(written(found, folder))
    assert plan == {
        "table": f"survey.{ending}",
        "sensitive": ["net_income", "diagnosis"],
        "public": ["age", "region", "education level", "height", "visited"],
        "each": True,
        "eps": 1.0,
        "output": "release",
        "bin": {"net_income": "quantiles:5", "height": "quantiles:20", "visited": "year"},
    }
    roles = {line.name: line.role for line in role_lines(found.guess())}
    assert list(roles.values()).count("left out") == 5


def test_a_plan_has_a_line_for_each_column_and_no_sensitive_values(folder):
    text = written(draft(folder / "survey.csv"), folder)
    comments = [line for line in text.splitlines() if line.startswith("#")]
    for name in survey_table().columns:
        shown = f'"{name}"' if " " in name else name
        assert sum(line.startswith(f"# {shown}  ") for line in comments) == 1
    assert not any(word in text for word in ("influenza", "measles", "mumps", "-9", "example.org"))
    assert "age (999)" in text  # a code of a public column is told
    assert "pw: may be survey weights" in text
    assert "net_income" in next(line for line in comments if "missing value" in line)


def test_the_plan_works_as_it_is(folder, tmp_path):
    (tmp_path / "release.toml").write_text(written(draft(folder / "survey.parquet"), tmp_path))
    done = CliRunner().invoke(main, ["protect", "--config", str(tmp_path / "release.toml")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "release" / "mechanism.json").exists()
    assert read_plan(tmp_path / "release.toml")["table"] == str(folder / "survey.parquet")


def test_the_user_says_what_is_what(folder):
    found = draft(folder / "survey.csv")
    guessed = found.guess(sensitive=["region"], public=["age", "height"])
    plan = tomllib.loads(found.text(guessed, folder, eps=0.5, output="out"))
    assert (plan["sensitive"], plan["public"]) == (["region"], ["age", "height"])
    assert (plan["eps"], plan["output"]) == (0.5, "out")
    assert "each" not in plan


def test_a_plan_that_says_too_little_is_written_and_refused(tmp_path):
    pl.DataFrame({"a": ["x", "y"] * 9, "b": [1, 2] * 9}).write_csv(tmp_path / "t.csv")
    text = written(draft(tmp_path / "t.csv"), tmp_path)
    assert "No column looks sensitive by its name: name at least one." in text
    (tmp_path / "release.toml").write_text(text)
    done = CliRunner().invoke(main, ["protect", "--config", str(tmp_path / "release.toml")])
    assert done.exit_code == 2
    assert "does not have sensitive" in done.output


def test_weights_and_codes_are_suggested_as_lines_where_there_are_such_options(folder, monkeypatch):
    others = [key for key in KEYS if key.name not in ("weights", "missing")]
    keys = [Key("weights", "text", KEYS[0].section, None), *others, Key("missing", "columns", "")]
    monkeypatch.setattr("loglift.release.plan.KEYS", tuple(keys))
    for key in keys:
        monkeypatch.setitem(BY_NAME, key.name, key)
    text = written(draft(folder / "survey.csv"), folder)
    lines = text.splitlines()
    assert '# weights = "pw"' in lines
    place = lines.index("# [missing]")
    assert lines[place + 1 : place + 3] == ["# age = [999]", "# net_income = [...]"]
    assert tomllib.loads(text)["eps"] == 1.0


def test_names_of_columns_cannot_write_into_the_plan(tmp_path):
    name = 'x\nsensitive = ["other"]\n# \u202e"'
    frame = pl.DataFrame({name: ["a", "b"] * 20, "diagnosis": ["c", "d", "e", "f"] * 10})
    frame.write_parquet(tmp_path / "t.parquet")
    plan = tomllib.loads(written(draft(tmp_path / "t.parquet"), tmp_path))
    assert plan["public"] == [name]
    assert plan["sensitive"] == ["diagnosis"]


def test_a_dataframe_has_no_table_in_its_plan():
    frame = pl.DataFrame({"town": ["a", "b"] * 20, "diagnosis": ["c", "d", "e", "f"] * 10})
    plan = tomllib.loads(written(draft(frame), "."))
    assert "table" not in plan
    assert plan["public"] == ["town"]


def test_two_columns_of_one_name_and_a_missing_table(tmp_path):
    (tmp_path / "t.csv").write_text("town,town,diagnosis\na,b,c\nd,e,f\n" * 1)
    found = draft(tmp_path / "t.csv")
    assert {line.why for line in role_lines(found.guess())} >= {"it cannot be counted"}
    with pytest.raises(TableError, match="no file"):
        draft(tmp_path / "nowhere.csv")
