"""`loglift verify`: exit code 0 where a mechanism holds, 1 where it does not."""

from __future__ import annotations

import json

from cli.running import PEOPLE, RANDOMIZED, run


def test_verify_holds_on_the_table_and_fails_on_another(table, release, tmp_path):
    held = run("verify", release / "mechanism.json", table)
    assert held.exit_code == 0
    assert "Holds" in held.stdout
    other = tmp_path / "other.csv"
    head, *lines = PEOPLE.splitlines()
    telling = [
        f"{city},{age},{'flu' if int(age) < 35 else 'cold'}"
        for city, age, _ in (line.split(",") for line in lines)
    ]
    other.write_text("\n".join([head, *telling]) + "\n")
    failed = run("verify", release / "mechanism.json", other, "--json")
    assert failed.exit_code == 1
    assert json.loads(failed.stdout)["holds"] is False
    assert "Does not hold" in run("verify", release / "mechanism.json", other).stdout


def test_a_randomized_mechanism_that_does_not_hold_is_found_out(persons, tmp_path):
    run("protect", persons, *RANDOMIZED, "-o", tmp_path / "out")
    document = json.loads((tmp_path / "out" / "mechanism.json").read_text())
    document["bound"] |= {"lower": 0.01, "upper": 0.01}
    (tmp_path / "tight.json").write_text(json.dumps(document))
    result = run("verify", tmp_path / "tight.json", persons)
    assert result.exit_code == 1
    assert "Does not hold" in result.stdout


def test_several_releases_are_checked_each_and_together(persons, tmp_path):
    columns = ("-s", "illness", "--quiet")
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    run("protect", persons, *columns, "-p", "city", "--eps", "0.2", "-o", first)
    run("protect", persons, *columns, "-p", "age", "--eps", "0.2", "-o", second)
    paths = [release / "mechanism.json" for release in (first, second)]
    failed = run("verify", *paths, persons)
    assert failed.exit_code == 1
    assert "Together they do not keep the bound of release 1." in failed.stdout
    made = run(
        "protect", persons, *columns, "-p", "age", "--eps", "2", "--given", paths[0], "-o", third
    )
    assert made.exit_code == 0
    assert "readers of the earlier release" in made.stdout
    document = json.loads(
        run("verify", paths[0], third / "mechanism.json", persons, "--json").stdout
    )
    assert document["together"][1]["holds"] is True
    assert document["together"][1]["leakage"] <= 2
    assert document["holds"] is document["together"][0]["holds"]
    alone = run("verify", third / "mechanism.json", persons)
    assert alone.exit_code == 0
    assert "Earlier releases are not checked here." in alone.stdout


def test_known_columns_are_checked_too(persons, tmp_path):
    made = run(
        "protect", persons, "-s", "illness", "-p", "age", "--eps", "0.5", "-o", tmp_path / "out"
    )
    assert made.exit_code == 0
    path = tmp_path / "out" / "mechanism.json"
    assert run("verify", path, persons).exit_code == 0
    failed = run("verify", path, persons, "--known", "city", "--json")
    document = json.loads(failed.stdout)
    assert document["holds"] is (failed.exit_code == 0)
    assert document["readers"][0]["readers"] == "readers who know city"
    usage = run("verify", path, path, persons, "--confidence", "0.9")
    assert usage.exit_code == 2
