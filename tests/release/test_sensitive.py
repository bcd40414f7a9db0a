"""What is said about sensitive values: in terms of the table, and refused where it does not fit."""

from __future__ import annotations

import math
from collections import Counter

import polars as pl
import pytest

from loglift import Bound, BoundError, Joint, TableError, audit, protect, verify
from loglift.release.sensitive import combined, resolved, text_for

ROWS = pl.DataFrame(
    {
        "job": ["a"] * 10 + ["b"] * 10 + ["c"] * 10,
        "ill": (["flu"] * 6 + ["cold"] * 3 + [None])
        + (["flu"] * 3 + ["cold"] * 6 + [None])
        + (["flu"] * 5 + ["cold"] * 5),
    }
)


def joint():
    return Joint.from_table(ROWS, sensitive="ill", public="job")


def test_values_of_a_group_are_one_sensitive_value():
    made, groups = combined(joint(), {"ill": [["NULL", "cold"]]})
    assert groups == {"ill": ((None, "cold"),)}
    assert made.sensitive == ("NULL or cold", "flu")
    assert made.mass.tolist() == [[4, 6], [7, 3], [5, 5]]


def test_values_of_several_columns_are_combined_in_their_own():
    table = ROWS.with_columns(sex=pl.Series(["f", "m"] * 15))
    both = Joint.from_table(table, sensitive=["ill", "sex"], public="job")
    made, _ = combined(both, {"ill": [[None, "cold"]]})
    assert len(made.sensitive) == 4
    counted = Counter(
        ("flu" if ill == "flu" else "NULL or cold", sex)
        for ill, sex in zip(table["ill"], table["sex"], strict=True)
    )
    assert dict(zip(made.sensitive, made.prior.tolist(), strict=True)) == counted
    assert made.apart().sensitive == ("NULL or cold", "flu", "f", "m")


def test_texts_name_values_of_any_type():
    table = pl.DataFrame({"x": [1, 1, 2, 2], "s": [3, None, 3, 4]})
    found = Joint.from_table(table, sensitive="s", public="x")
    bound = resolved(Bound.symmetric(1).with_values({"3": 0.5, "NULL": None}, "s"), found)
    assert [(entry.value, entry.lower) for entry in bound.values] == [(3, 0.5), (None, math.inf)]
    limits = bound.on(found)
    assert limits.lower.tolist() == [math.inf, 0.5, 1.0]


@pytest.mark.parametrize(
    ("combine", "words"),
    [
        ({"ill": [["flu", "cough"]]}, "does not have"),
        ({"age": [["flu", "cold"]]}, "not a sensitive column"),
        ({"ill": [["flu"]]}, "two or more"),
        ({"ill": [["flu", "cold"], ["cold", None]]}, "one group only"),
        ({"ill": [["flu", "cold", None]]}, "single sensitive value"),
    ],
)
def test_groups_that_do_not_fit_are_refused(combine, words):
    with pytest.raises(TableError, match=words):
        combined(joint(), combine)


def test_bounds_that_do_not_fit_are_refused():
    with pytest.raises(TableError, match="does not have"):
        resolved(Bound.symmetric(1).with_values({"cough": 1}), joint())
    with pytest.raises(TableError, match=r"does not have: did you mean 'flu'\?"):
        resolved(Bound.symmetric(1).with_values({"Flu": 1}), joint())
    grouped, _ = combined(joint(), {"ill": [["flu", "cold"]]})
    with pytest.raises(TableError, match="combined have one name, such as 'a or b'"):
        resolved(Bound.symmetric(1).with_values({"x": 1}), grouped)
    both = Joint.from_table(
        ROWS.with_columns(sex=pl.Series(["f", "m"] * 15)), sensitive=["ill", "sex"], public="job"
    )
    with pytest.raises(BoundError, match="of which sensitive column"):
        resolved(Bound.symmetric(1).with_values({"flu": 1}), both)


def test_a_release_with_combined_values_and_bounds_of_its_own_is_verified(tmp_path):
    bound = Bound.symmetric(0.5).with_values({"flu": 0.1})
    made = protect(
        ROWS, sensitive="ill", public="job", bound=bound, combine={"ill": [None, "cold"]}
    )
    assert made.certificate.combined == {"ill": ((None, "cold"),)}
    made.mechanism.save(tmp_path / "m.json")
    again = verify(tmp_path / "m.json", ROWS)
    assert again.holds
    assert again.bound == made.mechanism.bound
    assert again.leakage == made.certificate.leakage
    free = protect(ROWS, sensitive="ill", public="job", bound=Bound.symmetric(0.5))
    assert made.mechanism.size >= free.mechanism.size  # NULL alone allows no merging of c
    found = audit(ROWS, sensitive="ill", public="job", bound=bound, combine={"ill": [None, "cold"]})
    assert found.sensitive_values == 2
    assert found.holds is False


def test_no_bound_for_a_rare_value_keeps_more():
    plain = protect(ROWS, sensitive="ill", public="job", eps=0.7)
    free = protect(
        ROWS, sensitive="ill", public="job", bound=Bound.symmetric(0.7).with_values({None: None})
    )
    assert free.mechanism.utility > plain.mechanism.utility
    assert "Nothing is promised about NULL" in " ".join(free.summary.guaranteed)


def test_the_bound_of_combined_values_holds_where_one_of_them_is_absent():
    def month(shifted):
        rows = [
            (f"a{a}", s)
            for a in range(4)
            for s, n in (
                ("x", 40),
                ("y", 40),
                ("u", 22 if shifted and a < 2 else 10),
                ("w", 0 if shifted else 10),
            )
            for _ in range(n)
        ]
        return pl.DataFrame(rows, schema=["a", "s"], orient="row")

    bound = Bound.symmetric(1).with_values({"u or w": 0.05})
    made = protect(month(False), sensitive="s", public="a", bound=bound, combine={"s": ["u", "w"]})
    assert made.certificate.holds
    assert not verify(made, month(True)).holds


def test_a_text_names_one_value_only():
    assert text_for("flu", ["flu", None]) == "flu"
    assert text_for(None, ["flu", None]) == "NULL"
    assert text_for(None, ["NULL", None]) is None
    assert text_for("NULL", ["NULL", None]) is None
    assert text_for(3, [3, 4]) == "3"
    assert text_for("", ["", "x"]) == "(empty)"
