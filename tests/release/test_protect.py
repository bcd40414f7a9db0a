"""From a table to a safe table, checked by joining what comes out with what went in."""

from __future__ import annotations

import csv
import json
import math
import random
from collections import Counter
from datetime import date

import duckdb
import hypothesis.strategies as st
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings

import loglift
from loglift import BoundError, InputError, TableError, UnsafeError
from loglift.tables import open_table, write
from naive import leakage

CITIES = ["Bern", "Basel", "Zug", "Chur", "Genf", None, "NULL", ""]


def people(n=400, seed=0):
    """Rows (city, age, born, illness, smoker); illness depends on city and age."""
    generator, rows = random.Random(seed), []  # noqa: S311, test data
    for _ in range(n):
        city, age = generator.choice(CITIES), generator.randrange(20, 60)
        weights = [1 + (city in ("Zug", None)) * 4, 2 + age // 20, 3]
        illness = generator.choices(["flu", "cold", None], weights)[0]
        rows.append((city, age, date(2000 - age, 1, 1), illness, generator.random() < 0.3))
    return ["city", "age", "born", "illness", "smoker"], rows


@pytest.fixture
def frame():
    names, rows = people()
    return pl.DataFrame(rows, schema=names, orient="row")


def released_pairs(result, frame, columns, sensitive):
    """Records (released, sensitive), joined by position."""
    released = result.select(columns).rows()
    return zip(released, frame.select(sensitive).rows(), strict=True)


@pytest.mark.parametrize("eps", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("method", ["search", "greedy", "complete"])
@pytest.mark.parametrize("public", [["city"], ["city", "age"], ["age"]])
def test_no_released_value_leaks_more_than_eps(frame, public, method, eps):
    result = loglift.protect(
        frame, sensitive="illness", public=public, eps=eps, method=method, keep_order=True
    )
    columns = result.table.columns
    assert columns == [*public, *(["loglift_block"] if len(public) > 1 else [])]
    assert len(result.table) == len(frame)
    found = leakage(released_pairs(result.table, frame, columns, ["illness"]))
    assert found <= eps
    assert found == pytest.approx(result.certificate.leakage, abs=1e-9)
    assert result.mechanism.leakage == pytest.approx(found, abs=1e-9)
    assert result.certificate.holds


@pytest.mark.parametrize("column", ["x", "day", "flag", "size"])
def test_untouched_values_keep_value_and_type(column):
    rows = [(x, date(2020, 1, 1 + x), x > 1, x / 2, s) for x in range(4) for s in "ab"]
    frame = pl.DataFrame(rows, schema=["x", "day", "flag", "size", "s"], orient="row")
    result = loglift.protect(frame, sensitive="s", public=column, eps=0.1, keep_order=True)
    assert result.mechanism.nmil == 0
    assert result.table.equals(frame.select(column))
    assert result.table.schema[column] == frame.schema[column]


def test_rows_are_shuffled_and_only_the_public_columns_come_out(frame):
    result = loglift.protect(frame, sensitive="illness", public="age", eps=2)
    ordered = loglift.protect(frame, sensitive="illness", public="age", eps=2, keep_order=True)
    assert result.table.columns == ["age"]
    assert Counter(result.table["age"]) == Counter(ordered.table["age"])
    assert result.table["age"].to_list() != ordered.table["age"].to_list()


def test_min_count_is_honoured(frame):
    result = loglift.protect(
        frame, sensitive="illness", public=["city", "age"], eps=3, min_count=30
    )
    assert min(Counter(result.table.rows()).values()) >= 30
    assert result.certificate.min_count == 30


def test_each_bounds_every_sensitive_column_on_its_own(frame):
    each = loglift.protect(
        frame, sensitive=["illness", "smoker"], public="city", eps=0.3, each=True, keep_order=True
    )
    joint = loglift.protect(
        frame, sensitive=["illness", "smoker"], public="city", eps=0.3, keep_order=True
    )
    for column in ("illness", "smoker"):
        assert leakage(released_pairs(each.table, frame, ["city"], [column])) <= 0.3
    assert leakage(released_pairs(joint.table, frame, ["city"], ["illness", "smoker"])) <= 0.3


@pytest.mark.parametrize(("lower", "upper"), [(None, 0.4), (0.4, None), (0.2, 1.0)])
def test_asymmetric_bounds(frame, lower, upper):
    bound = loglift.Bound(*(math.inf if side is None else side for side in (lower, upper)))
    result = loglift.protect(
        frame, sensitive="illness", public="city", bound=bound, keep_order=True
    )
    rows = list(released_pairs(result.table, frame, ["city"], ["illness"]))
    total = len(rows)
    joint, ys, ss = Counter(rows), Counter(y for y, _ in rows), Counter(s for _, s in rows)
    assert len(ys) > 1
    assert len(ss) == 3
    for y in ys:
        for s in ss:
            lift = joint[y, s] * total / (ys[y] * ss[s])
            assert upper is None or lift <= math.exp(upper)
            assert lower is None or lift >= math.exp(-lower)


def test_kept_columns_pass_and_are_audited(frame):
    result = loglift.protect(
        frame, sensitive="illness", public="city", eps=0.5, passthrough=["age"], keep_order=True
    )
    assert result.table.columns == ["city", "age"]
    assert result.table["age"].to_list() == frame["age"].to_list()
    found = leakage(released_pairs(result.table, frame, ["city", "age"], ["illness"]))
    assert result.passthrough_audit.leakage == pytest.approx(found)
    assert result.passthrough_audit.holds is False
    with_s = loglift.protect(
        frame, sensitive="illness", public="city", eps=0.5, keep_sensitive=True, keep_order=True
    )
    assert with_s.table["illness"].to_list() == frame["illness"].to_list()
    assert with_s.passthrough_audit is None


def test_high_risk_values_alone_may_have_no_answer():
    rows = [("a", 0)] * 6 + [("b", 0)] * 5 + [("b", 1)] + [("c", 0)] * 20 + [("c", 1)] * 20
    frame = pl.DataFrame(rows, schema=["x", "s"], orient="row")
    options = {"sensitive": "s", "public": "x", "eps": 0.3}
    with pytest.raises(UnsafeError, match="--over all"):
        loglift.protect(frame, over="high-risk", **options)
    assert loglift.protect(frame, **options).certificate.holds


def test_values_of_different_groups_are_never_merged(frame):
    options = {"sensitive": "illness", "public": ["smoker", "age"], "eps": 0.8}
    result = loglift.protect(frame, intact="smoker", keep_order=True, **options)
    assert result.table["smoker"].to_list() == frame["smoker"].to_list()
    pairs = released_pairs(result.table, frame, result.table.columns, ["illness"])
    assert leakage(pairs) <= 0.8
    assert result.mechanism.intact == result.certificate.intact == ("smoker",)
    assert loglift.verify(result, frame).intact == ("smoker",)
    free = loglift.protect(frame, **options)
    assert free.mechanism.intact is None
    assert result.mechanism.utility <= free.mechanism.upper_bound
    both = loglift.protect(frame, intact=["smoker"], each=True, min_count=20, **options)
    assert both.certificate.min_count == 20


def test_groups_of_values_are_a_mapping(frame):
    old = {age: age >= 40 for age in range(20, 60)}
    options = {"sensitive": "illness", "public": "age", "eps": 0.8, "keep_order": True}
    for method in ("search", "ordered"):
        result = loglift.protect(frame, intact=old, method=method, **options)
        pairs = set(zip(result.table["age"], frame["age"].to_list(), strict=True))
        released = Counter(name for name, _ in {(name, old[age]) for name, age in pairs})
        assert set(released.values()) == {1}
        assert result.mechanism.intact == ()
    with pytest.raises(InputError, match="no group for 39 public values: 20"):
        loglift.protect(frame, intact={21: "a"}, **options)


def test_groups_that_cannot_be_made_safe_are_named(frame):
    options = {"sensitive": "illness", "public": ["city", "age"]}
    with pytest.raises(UnsafeError, match=r"of 8 intact groups . are .*'Zug' \(omega 0"):
        loglift.protect(frame, intact="city", eps=0.05, **options)
    with pytest.raises(UnsafeError, match=r"of 8 intact groups 8 have fewer"):
        loglift.protect(frame, intact="city", eps=2, min_count=100, **options)
    with pytest.raises(TableError, match=r"'smoker', which is not a public .* \(-p smoker\)"):
        loglift.protect(frame, intact="smoker", eps=1, **options)


def test_a_mechanism_file_that_mixes_groups_is_refused(frame):
    options = {"sensitive": "illness", "public": ["smoker", "age"], "eps": 0.8}
    document = json.loads(loglift.protect(frame, intact="smoker", **options).mechanism.to_json())
    assert loglift.Mechanism.from_json(json.dumps(document)).intact == ("smoker",)
    first = document["values"].index([True, document["values"][0][1]])
    mixed = [*document["blocks"]]
    mixed[first] = mixed[0]
    while len(set(mixed)) < max(mixed) + 1:  # number the blocks without a gap
        mixed = [sorted(set(mixed)).index(block) for block in mixed]
    short = [{**c, "values": c["values"][: max(mixed) + 1]} for c in document["released"]]
    for change in (
        {"blocks": mixed, "released": short},
        {"intact": ["city"]},
        {"intact": "smoker"},
    ):
        with pytest.raises(loglift.MechanismError, match="intact"):
            loglift.Mechanism.from_json(json.dumps(document | change))


def test_why_is_told_for_each_sensitive_column(frame):
    result = loglift.protect(
        frame,
        sensitive=["illness", "smoker"],
        public=["city", "age"],
        eps=0.4,
        each=True,
        explain=True,
    )
    why = result.explanation
    assert why.kept == pytest.approx(result.mechanism.utility)
    assert why.compared_with >= why.kept - 1e-9
    for limit in why.limits:
        [(column, value)] = limit.sensitive.items()
        assert limit.records_with == frame[column].to_list().count(value)
        assert limit.kept_without is None or limit.kept_without >= why.compared_with - 1e-9
    for remedy in why.remedies:
        for group in remedy.sensitive:
            assert len({tuple(member) for member in group}) == 1  # of one column


def test_the_audit_tells_caps_and_suggests(frame):
    rare = frame.with_columns(
        pl.when(pl.arange(0, 400) < 3).then(pl.lit("rare")).otherwise("illness").alias("illness")
    )
    options = {"sensitive": "illness", "public": ["city", "age"]}
    audit = loglift.audit(rare, eps=1, suggest=True, **options)
    assert audit.caps[0].sensitive == {"illness": "rare"}
    assert audit.caps[0].blocks == audit.caps[0].records_with == 3
    kept = [step.kept for step in audit.suggestion.steps]
    assert audit.suggestion.kept <= audit.caps[0].kept < kept[0]
    assert kept == sorted(kept)
    assert loglift.audit(rare, bound=loglift.Bound(math.inf, 1), **options).caps == ()
    assert loglift.audit(rare, **options).caps == ()
    with pytest.raises(BoundError, match="--eps"):
        loglift.audit(rare, suggest=True, **options)


def test_apply_needs_no_sensitive_column_and_refuses_unseen_values(frame, tmp_path):
    result = loglift.protect(frame, sensitive="illness", public=["city", "age"], eps=0.5)
    path = tmp_path / "mechanism.json"
    path.write_text(result.mechanism.to_json(), "utf-8")
    new = frame.drop("illness").head(50)
    applied = loglift.apply(path, new, keep_order=True)
    again = loglift.apply(result, new, keep_order=True)
    assert applied.rows() == again.rows()
    lookup = result.mechanism.lookup
    groups = [lookup[row] + 1 for row in new.select("city", "age").rows()]
    assert applied["loglift_block"].to_list() == groups
    strange = pl.DataFrame({"city": ["Bern", "Rom"], "age": [1, 99]})
    with pytest.raises(TableError, match="Rom"):
        loglift.apply(result, strange)
    suppressed = loglift.apply(result, strange, unseen="suppress", keep_order=True)
    assert suppressed.rows() == [("(suppressed)", "(suppressed)", 0)] * 2
    assert suppressed["loglift_block"].dtype == applied["loglift_block"].dtype == pl.Int64
    with pytest.raises(InputError, match="suppress"):
        loglift.apply(result, strange, unseen="drop")


def test_verify_recounts_and_notices_tampering(frame):
    result = loglift.protect(frame, sensitive="illness", public="city", eps=0.5)
    assert loglift.verify(result, frame).holds
    assert loglift.verify(result, frame).counts_sha256 == result.certificate.counts_sha256
    document = json.loads(result.mechanism.to_json())
    document["blocks"] = list(range(len(document["blocks"])))
    values = [f"v{i}" for i in document["blocks"]]
    document["released"] = [{"name": "city", "type": "text", "values": values}]
    tampered = loglift.Mechanism.from_json(json.dumps(document))
    certificate = loglift.verify(tampered, frame)
    assert not certificate.holds
    assert certificate.leakage == pytest.approx(leakage(frame.select("city", "illness").rows()))
    biased = frame.filter((frame["city"] != "Bern") | (frame["illness"] == "flu"))
    assert not loglift.verify(tampered, biased).holds


def test_the_mechanism_file_has_no_counts_and_no_sensitive_values(frame):
    result = loglift.protect(
        frame, sensitive="illness", public=["city", "age"], eps=0.5, min_count=7
    )
    text = result.mechanism.to_json()
    document = json.loads(text)
    assert "flu" not in text
    assert "cold" not in text
    assert set(document) == {
        "beside",
        "format",
        "given",
        "known",
        "show",
        "version",
        "made_by",
        "method",
        "bound",
        "min_count",
        "intact",
        "sensitive",
        "each",
        "weights",
        "both",
        "public",
        "values",
        "blocks",
        "released",
    }
    assert document["values"] == sorted(
        document["values"], key=lambda v: (v[0] is not None, v[0] or "", v[1])
    )


def test_every_file_format_and_dataframe_gives_the_same_mechanism(frame, tmp_path):
    """The quick method will do: tests/release/test_protect_bands.py compares what search finds."""
    files = {ending: tmp_path / f"people.{ending}" for ending in ("csv", "parquet", "jsonl")}
    write(frame, files["csv"])
    write(frame, files["parquet"])
    files["jsonl"].write_text(
        "".join(json.dumps(row, default=str) + "\n" for row in frame.rows(named=True)), "utf-8"
    )
    tables = [
        frame,
        frame.lazy(),
        frame.to_pandas(date_as_object=True),
        frame.to_arrow(),
        *files.values(),
    ]
    tables.append(duckdb.connect().from_arrow(frame.to_arrow()))
    options = {"sensitive": ["illness", "smoker"], "public": ["city", "age", "born"], "eps": 0.7}
    results = [loglift.protect(table, **options, method="greedy") for table in tables]
    assert len({result.mechanism.to_json() for result in results}) == 1
    assert len({result.certificate.counts_sha256 for result in results}) == 1
    kinds = [type(result.table) for result in results[:4]]
    assert kinds == [type(table) for table in tables[:4]]


def test_joint_from_table(frame):
    joint = loglift.Joint.from_table(frame, sensitive="illness", public="city")
    assert joint.total == 400
    assert set(joint.public) == set(CITIES)
    pairs = Counter(frame.select("city", "illness").rows())
    for i, city in enumerate(joint.public):
        for j, illness in enumerate(joint.sensitive):
            assert joint.mass[i, j] == pairs[city, illness]


def test_bins_of_a_sensitive_column_are_known_to_verify(frame):
    result = loglift.protect(frame, sensitive="age", public="city", eps=1, bins={"age": 20})
    assert loglift.verify(result, frame).holds
    assert "[20, 40)" not in result.mechanism.to_json()


def test_integer_and_float_columns_have_the_same_bins(frame):
    result = loglift.protect(frame, sensitive="illness", public="age", eps=2, bins={"age": 10})
    floats = frame.with_columns(pl.col("age").cast(pl.Float64))
    assert loglift.apply(result, floats, keep_order=True).equals(
        loglift.apply(result, frame, keep_order=True)
    )


def test_what_search_proves_reaches_the_certificate():
    rng = np.random.default_rng(3)
    table = rng.multinomial(3000, rng.dirichlet(np.full(80, 0.5))).reshape(40, 2)
    rows = [(i, j) for (i, j), n in np.ndenumerate(table) for _ in range(n)]
    frame = pl.DataFrame(rows, schema=["x", "s"], orient="row")
    result = loglift.protect(frame, sensitive="s", public="x", eps=0.4, utility="joint")
    joint = loglift.Joint(table[table.any(axis=1)])
    found, quick = loglift.merge(joint, 0.4), loglift.merge(joint, 0.4, "complete", over="all")
    assert result.certificate.upper_bound == pytest.approx(found.upper_bound, rel=1e-9)
    assert found.upper_bound < quick.upper_bound - 1e-6


def test_a_table_just_within_the_bound_is_left_alone():
    """A lift of exactly 2 is within the float above log 2, by less than the solvers' tolerance."""
    frame = pl.DataFrame({"x": ["a"] * 4 + ["b"] * 4, "s": [0] * 4 + [1] * 4})
    upper = math.nextafter(math.log(2), 1)
    result = loglift.protect(frame, sensitive="s", public="x", bound=loglift.Bound(math.inf, upper))
    assert result.mechanism.nmil == 0
    assert result.mechanism.upper_bound >= result.mechanism.utility
    below = loglift.protect(
        frame, sensitive="s", public="x", bound=loglift.Bound(math.inf, math.log(2))
    )
    assert below.mechanism.nmil == 1


@pytest.mark.parametrize("eps", [5e-324, 1e-50, 1e-9])
def test_the_tiniest_bound_ends(frame, eps):
    assert loglift.protect(frame, sensitive="illness", public="city", eps=eps).certificate.holds


def test_a_constant_sensitive_column_is_refused(frame):
    constant = frame.with_columns(pl.lit(1).alias("one"))
    for call in (loglift.audit, loglift.protect):
        with pytest.raises(TableError, match="'one' has the same value in every record"):
            call(constant, sensitive="one", public="city", eps=1)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, BoundError),
        ({"eps": 1, "bound": loglift.Bound(1, 2)}, BoundError),
        ({"eps": -1}, BoundError),
        ({"eps": "1"}, BoundError),
        ({"eps": 1, "over": "some"}, InputError),
        ({"eps": 1, "min_count": 0}, InputError),
        ({"eps": 1, "min_count": 1.5}, InputError),
        ({"eps": 1, "min_count": 401}, UnsafeError),
        ({"eps": 1, "method": "best"}, InputError),
        ({"eps": 1, "passthrough": ["city"]}, TableError),
        ({"eps": 1, "passthrough": ["illness"]}, TableError),
        ({"eps": 1, "passthrough": ["nowhere"]}, TableError),
        ({"eps": 1, "public": ["town"]}, TableError),
        ({"eps": 1, "public": ["illness"]}, TableError),
        ({"eps": 1, "public": []}, TableError),
        ({"eps": 1, "public": 0}, TableError),
        ({"eps": 1, "bins": {"city": 10}}, TableError),
        ({"eps": 1, "bins": {"age": 0}}, TableError),
    ],
)
def test_bad_options_are_refused(frame, options, error):
    with pytest.raises(error):
        loglift.protect(frame, **({"sensitive": "illness", "public": "city"} | options))


@pytest.mark.parametrize("table", [None, 5, [1, 2], {"a": [1]}, "no-such-file.csv"])
def test_what_is_no_table_is_refused(table):
    with pytest.raises(TableError):
        loglift.protect(table, sensitive="s", public="x", eps=1)


def test_what_is_no_mechanism_is_refused(frame):
    with pytest.raises(InputError, match="not a mechanism"):
        loglift.apply(7, frame)


cells = st.one_of(
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.sampled_from(["NULL", "", "NaN", "=1+1", "a | b", "007", 'say "hi"', "line\nbreak", "😀"]),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(cells, st.sampled_from(["u", "v", None])), min_size=2, max_size=40),
    st.sampled_from([0, 0.3, 1.0]),
    st.sampled_from(["csv", "parquet"]),
)
def test_protect_read_back_verify(tmp_path, rows, eps, ending):
    """Any text goes in; what is written, read back and joined again is safe."""
    assume(len({s for _, s in rows}) > 1)
    x, s = zip(*rows, strict=True)
    table = pa.table({"x": pa.array(x, pa.string()), "s": pa.array(s, pa.string())})
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    write(table, source)
    result = loglift.protect(source, sensitive="s", public="x", eps=eps, keep_order=True)
    write(result.table, target)
    assert loglift.verify(result.mechanism, source).holds
    back = open_table(target).frame.fetchall()
    assert len(back) == len(rows)
    assert leakage(zip([row[0] for row in back], s, strict=True)) <= eps + 1e-9


def test_csv_is_read_by_other_programs_as_it_was_written(frame, tmp_path):
    result = loglift.protect(frame, sensitive="smoker", public="city", eps=3, keep_order=True)
    write(result.table, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        rows = [row[0] if row else "" for row in csv.reader(file)]
    assert rows[1:] == [city or "" for city in frame["city"]]
