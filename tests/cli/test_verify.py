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
    document["bound"] = {"lower": 0.01, "upper": 0.01}
    (tmp_path / "tight.json").write_text(json.dumps(document))
    result = run("verify", tmp_path / "tight.json", persons)
    assert result.exit_code == 1
    assert "Does not hold" in result.stdout
