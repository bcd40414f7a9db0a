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


def test_several_releases_are_checked_each_and_together(tmp_path):
    # Neither a nor b alone tells anything about illness, and both together tell nearly all.
    rows = [
        f"{a},{b},{'flu' if (a == b) == (i < 9) else 'cold'}\n"
        for a in "xy"
        for b in "xy"
        for i in range(10)
    ]
    table = tmp_path / "table.csv"
    table.write_text("a,b,illness\n" + "".join(rows))
    columns = ("-s", "illness", "--quiet")
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    run("protect", table, *columns, "-p", "a", "--eps", "1", "-o", first)
    run("protect", table, *columns, "-p", "b", "--eps", "1", "-o", second)
    paths = [release / "mechanism.json" for release in (first, second)]
    assert [run("verify", path, table).exit_code for path in paths] == [0, 0]
    failed = run("verify", *paths, table)
    assert failed.exit_code == 1
    assert "Together they do not keep the bound of release 1." in failed.stdout
    made = run("protect", table, *columns, "-p", "b", "--eps", "1", "--given", first, "-o", third)
    assert made.exit_code == 0
    assert "readers of the earlier release" in made.stdout
    document = json.loads(run("verify", paths[0], third / "mechanism.json", table, "--json").stdout)
    assert document["holds"] is True
    assert [one["leakage"] for one in document["together"]] == [0, 0]
    said = "Earlier releases are not checked here."
    assert said not in run("verify", paths[0], third / "mechanism.json", table).stdout
    assert said in run("verify", paths[1], third / "mechanism.json", table).stdout
    alone = run("verify", third / "mechanism.json", table)
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
