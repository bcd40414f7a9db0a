"""Codes of missing values count as NULL on every engine, and only values of the column's type."""

from collections import Counter
from datetime import date

import pytest

from loglift.cuts import Cut
from loglift.errors import TableError
from loglift.tables import apply, count
from loglift.tables.missing import codes_among, in_sql, without_codes
from tables.makers import mechanism_of

ROWS = [
    (-9, -9.0, "?", date(1900, 1, 1), "a"), (-8, -8.5, "x", date(2020, 1, 1), "b"),
    (5, 0.5, "-9", None, "a"), (None, None, None, date(2021, 1, 1), "b"),
    (-9, -8.0, "?", None, "b"),
]  # fmt: skip
NAMES, KINDS = ["n", "f", "t", "d", "s"], [int, float, str, date, str]


def counted(table, name, codes, **options):
    found = count(table, name, "s", bins={name: Cut(missing=tuple(codes))}, **options)
    cells = ((x, s) for x in range(len(found.public)) for s in range(len(found.sensitive)))
    return {
        (found.public[x], found.sensitive[s]): int(found.mass[x, s])
        for x, s in cells
        if found.mass[x, s]
    }


@pytest.mark.parametrize(
    ("name", "codes", "missing"),
    [
        ("n", [-9, -8], {-9, -8}),
        ("n", ["-9"], {-9}),
        ("n", [-9.0], {-9}),
        ("f", [-9, "-8"], {-9.0, -8.0}),
        ("t", ["?", "-9"], {"?", "-9"}),
        ("d", ["1900-01-01"], {date(1900, 1, 1)}),
        ("d", [date(1900, 1, 1)], {date(1900, 1, 1)}),
    ],
)
def test_codes_count_as_null(maker, tmp_path, name, codes, missing):
    table, place = maker.make(NAMES, KINDS, ROWS, tmp_path), NAMES.index(name)
    expected = Counter((None if r[place] in missing else r[place], r[4]) for r in ROWS)
    assert counted(table, name, codes) == dict(expected)


def test_a_code_of_another_type_is_refused_and_only_public_values_are_told(maker, tmp_path):
    table = maker.make(NAMES, KINDS, ROWS, tmp_path)
    for name, code in (("n", "none"), ("n", -9.5), ("d", -9), ("t", -7), ("d", "never")):
        with pytest.raises(TableError, match=r"missing \(--missing\) of .* such as") as caught:
            count(table, name, "s", bins={name: Cut(missing=(code,))})
        assert "\n" not in str(caught.value)
        with pytest.raises(TableError, match=r"holds \w+ values: give a code") as caught:
            count(table, "s", name, bins={name: Cut(missing=(code,))})
        assert "such as" not in str(caught.value)


def test_records_with_a_code_are_released_as_null(maker, tmp_path):
    table = maker.make(NAMES, KINDS, ROWS, tmp_path)
    codes = Cut(missing=("-9",))
    mechanism = mechanism_of(
        [("n", "integer", codes)],
        {(None,): 0, (-8,): 1, (5,): 2},
        {"n": ("integer", (None, -8, 5))},
    )
    result = apply(table, mechanism, passthrough=["s"], keep_order=True)
    assert maker.back(result) == [(None, "a"), (-8, "b"), (5, "a"), (None, "b"), (None, "b")]


def test_a_file_of_numbers_may_have_a_text_for_missing(tmp_path):
    (tmp_path / "t.csv").write_text("n,s\n" + "NA,a\n-9.0,b\n3,a\n12,b\n")
    for bins, public in (
        (Cut(missing=("NA", -9)), (None, 3, 12)),
        (Cut.steps(10).with_missing(["NA", "-9"]), (None, "[0, 10)", "[10, 20)")),
        (Cut.quantiles(2).at([5]).with_missing(["NA", "-9"]), (None, "< 5", ">= 5")),
    ):
        assert count(tmp_path / "t.csv", "n", "s", bins={"n": bins}).public == public
    lines = [
        f'{{"n": {n}, "s": "{s}"}}' for n, s in (('"NA"', "a"), (-9, "b"), (3, "a"), (12, "b"))
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(lines) + "\n")
    for bins in (Cut(missing=("NA", -9)), Cut.steps(10).with_missing(["NA", "-9"])):
        assert len(count(tmp_path / "t.jsonl", "n", "s", bins={"n": bins}).public) == 3


def test_codes_are_values_of_a_type():
    assert codes_among([-9, "-8", "x", 0.5, True], "integer") == [-9, -8]
    assert codes_among([-9, "-8", "x", 0.5], "float") == [-9.0, -8.0, 0.5]
    assert codes_among(["2020-01-01", -9, "x"], "date") == [date(2020, 1, 1)]
    assert codes_among(["true", "x"], "boolean") == [True]
    assert without_codes([True, 1, "1"], "native", [1]) == [True, None, "1"]
    assert without_codes(["a", "b"], "text", []) == ["a", "b"]
    assert in_sql("c0", []) == "c0"
    assert "'it''s'" in in_sql("c0", ["it's"])
