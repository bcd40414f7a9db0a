"""A column is the one of exactly this name, whatever an engine would read into the name."""

import pytest

import loglift
from loglift.tables import apply, count
from tables.makers import mechanism_of

# With each, others that a pattern, a path, a keyword or a folded name would find in its place.
NAMES = [
    *("s", "^s$", "*", "^.*$", "a", "a.b", "A", '"q"', "q", "`q`", "🦆", "default", "select"),
    *("c0", "c1", "o0", "#1", "a' b", " s", "loglift_order", "é", "e", "a\\b", "%s", "{s}"),
]
FOLDS = ("duckdb", "parquet", "csv", "jsonl", "spark")  # two columns may not be A and a


def test_every_engine_reads_the_columns_of_these_names(maker, tmp_path):
    names = [name for name in NAMES if name != "A" or maker.name not in FOLDS]
    rows = [(f"x{i % 2}", *(f"{name} {i % 2}" for name in names)) for i in range(20)]
    table = maker.make(["x", *names], [str] * (1 + len(names)), rows, tmp_path)
    expected = tuple(tuple(f"{name} {i}" for name in names) for i in range(2))
    counts = count(table, "x", names)
    assert counts.sensitive == expected
    assert counts.mass.tolist() == [[10, 0], [0, 10]]
    assert count(table, names, "x").tuples == expected

    released = {name: ("text", [f"{name} A", f"{name} B"]) for name in names}
    lookup = dict(zip(expected, range(2), strict=True))
    applied = apply(table, mechanism_of(names, lookup, released), keep_order=True)
    assert maker.back(applied) == [
        tuple(f"{name} {'AB'[i % 2]}" for name in names) for i in range(20)
    ]

    merged = mechanism_of("x", {("x0",): 0, ("x1",): 0}, {"x": ("text", ["x"])})
    passed = apply(table, merged, passthrough=names, keep_order=True)
    assert maker.back(passed) == [("x", *row[1:]) for row in rows]


@pytest.mark.parametrize("name", ["^s$", "*"])
def test_a_certificate_is_about_the_sensitive_column_that_was_named(maker, tmp_path, name):
    halves, turns = ["no", "no", "yes", "yes"] * 10, ["no", "yes"] * 20
    rows = [(half, turn, f"x {turn}") for half, turn in zip(halves, turns, strict=True)]
    table = maker.make(["s", name, "x"], [str, str, str], rows, tmp_path)
    released = loglift.protect(table, sensitive=name, public="x", eps=1)
    assert released.audit.leakage == float("inf")
    assert len(released.certificate.values) == 1  # x gives it away: all is merged
    assert loglift.protect(table, sensitive="s", public="x", eps=1).audit.leakage == 0
