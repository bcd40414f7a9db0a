"""protect and apply with show="values", judged from files and rows alone."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import chi2_contingency

import loglift
from loglift import InputError, Mechanism, MechanismError
from loglift.promise.integers import DENOMINATOR
from tables.makers import MAKERS, stop_sessions

NAMES = ["age", "town", "day", "ill", "w"]
KINDS = [int, str, date, str, float]
PUBLIC = ["age", "town", "day"]


@pytest.fixture(scope="module", autouse=True)
def _sessions():
    yield
    stop_sessions()


def records(size=600, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 32, size)
    town = [("a", "b", None)[i] for i in rng.integers(0, 3, size)]
    day = [date(2021, 1, 1 + i) for i in rng.integers(0, 2, size).tolist()]
    ill = np.where(rng.random(size) < 0.1 + 0.5 * (age > 26), "y", "n")
    w = np.arange(size) / 4
    return list(zip(age.tolist(), town, day, ill.tolist(), w.tolist(), strict=True))


def shown_as_values(table, **options):
    chosen = {"sensitive": "ill", "public": PUBLIC, "eps": 0.3, "show": "values"} | options
    return loglift.protect(table, **chosen)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.name)
def test_public_rows_are_exchanged_within_blocks_on_every_engine(maker, tmp_path):
    rows = records()
    table = maker.make(NAMES, KINDS, rows, tmp_path)
    made = shown_as_values(table, passthrough="w", keep_sensitive=True)
    block = dict(zip(made.mechanism.tuples, made.mechanism.partition.tolist(), strict=True))
    assert len(set(block.values())) < len(block)  # something is exchanged
    found = maker.back(made.table)
    assert Counter(row[:3] for row in found) == Counter(row[:3] for row in rows)
    # The order of released columns: public, passed through, sensitive.
    told = Counter((block[row[:3]], float(row[3]), row[4]) for row in found)
    assert told == Counter((block[row[:3]], row[4], row[3]) for row in rows)
    true = {(row[4], row[3]): row[:3] for row in rows}
    moved = sum(true[float(row[3]), row[4]] != row[:3] for row in found)
    assert moved > len(rows) / 10


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.name)
def test_without_other_columns_the_release_is_the_public_table_shuffled(maker, tmp_path):
    rows = records()
    table = maker.make(NAMES, KINDS, rows, tmp_path)
    found = maker.back(shown_as_values(table).table)
    assert Counter(found) == Counter(row[:3] for row in rows)
    assert found != [row[:3] for row in rows]


def test_what_is_shown_is_independent_of_s_and_of_other_columns_within_blocks():
    rows = records(3000)
    frame = pd.DataFrame(rows, columns=NAMES)
    made = shown_as_values(frame, public="age")
    block = dict(zip(made.mechanism.public, made.mechanism.partition.tolist(), strict=True))
    several = {b for b, n in Counter(block.values()).items() if n > 1}
    totals: dict[int, Counter] = {b: Counter() for b in several}
    for seed in range(40):
        drawn = shown_as_values(frame, public="age", keep_sensitive=True, draw_seed=seed).table
        for age, ill in zip(drawn["age"], drawn["ill"], strict=True):
            if block[age] in several:
                totals[block[age]][age, ill] += 1
    p_values = []
    for counts in totals.values():
        ages = sorted({age for age, _ in counts})
        table = [[counts[age, s] for s in "yn"] for age in ages]
        p_values.append(chi2_contingency(table).pvalue)
    # The counts of 40 draws vary less than independent ones: large p-values are expected.
    assert p_values
    assert min(p_values) > 1e-4
    true = [
        [Counter(zip(frame["age"], frame["ill"], strict=True))[a, s] for s in "yn"]
        for a in sorted(block)
    ]
    assert chi2_contingency(true).pvalue < 1e-10


def test_certificate_leakage_and_utility_are_those_of_the_groups():
    frame = pd.DataFrame(records(), columns=NAMES)
    values, groups = shown_as_values(frame), shown_as_values(frame, show="groups")
    assert values.mechanism.partition.tolist() == groups.mechanism.partition.tolist()
    one, other = values.certificate.as_dict(), groups.certificate.as_dict()
    assert one["draws"] is not None
    assert (one["show"], other["show"]) == ("values", "groups")
    assert "shows a value of its block" in one["note"]
    alike = {"draws": None, "show": None, "note": None}
    assert {**one, **alike} == {**other, **alike}
    assert values.mechanism.figures == groups.mechanism.figures


def test_types_stay_in_pandas():
    rows = records()
    frame = pd.DataFrame(rows, columns=NAMES)
    sizes = pd.CategoricalDtype(["small", "large"], ordered=True)
    frame = frame.assign(
        age=frame["age"].astype("int16"),
        town=frame["town"].astype("category"),
        day=pd.to_datetime(frame["day"]).astype("datetime64[us]"),
        size=pd.Series(["small", "large"] * 300, dtype=sizes),
        half=pd.array([None, 1] * 300, dtype="Int8"),
    )
    public = ["age", "town", "day", "size", "half"]
    made = shown_as_values(frame, public=public, eps=1, passthrough="w")
    assert made.table[public].dtypes.tolist() == frame[public].dtypes.tolist()
    kept = shown_as_values(frame, public=public, eps=1, keep_order=True).table
    assert kept.dtypes.tolist() == frame[public].dtypes.tolist()


def test_types_stay_in_polars_arrow_duckdb_and_files(tmp_path):
    rows = records()
    frame = pl.DataFrame(rows, schema=NAMES, orient="row").with_columns(
        pl.col("age").cast(pl.UInt8),
        pl.col("town").cast(pl.Categorical),
        (pl.col("age") / 4).cast(pl.Float32).alias("quarter"),
    )
    public = ["age", "town", "day", "quarter"]
    for lazy in (False, True):
        made = shown_as_values(frame.lazy() if lazy else frame, public=public, passthrough="w")
        assert isinstance(made.table, pl.LazyFrame) == lazy
        # Numbers of categories follow the order of the input: they are texts in a shuffled table.
        expected = frame.select([*public, "w"]).cast({"town": pl.String}).schema
        assert made.table.lazy().collect_schema() == expected
    kept = shown_as_values(frame, public=public, keep_order=True).table
    assert kept.schema == frame.select(public).schema
    table = pa.table(
        {
            "age": pa.array([row[0] for row in rows], pa.uint8()),
            "price": pa.array([Decimal(row[0]) / 4 for row in rows], pa.decimal128(7, 2)),
            "day": pa.array([row[2] for row in rows], pa.date32()),
            "ill": [row[3] for row in rows],
            "w": [row[4] for row in rows],
        }
    )
    public = ["age", "price", "day"]
    made = shown_as_values(table, public=public, passthrough="w")
    assert made.table.schema.types == table.select([*public, "w"]).schema.types
    pq.write_table(table, tmp_path / "t.parquet")
    relation = duckdb.sql(f"FROM '{tmp_path / 't.parquet'}'")
    types = [str(t) for t in relation.project("age, price, day, w").types]
    assert types[:2] == ["UTINYINT", "DECIMAL(7,2)"]
    for source in (relation, tmp_path / "t.parquet"):
        made = shown_as_values(source, public=public, passthrough="w")
        assert [str(t) for t in made.table.types] == types
    shown_as_values(tmp_path / "t.parquet", public=public).save(tmp_path / "out")
    assert pq.read_schema(tmp_path / "out" / "released.parquet").types == table.schema.types[:3]


def test_what_is_said_of_values_is_true_of_blocks(tmp_path):
    frame = pd.DataFrame(records(), columns=NAMES)
    made = shown_as_values(frame, min_count=20)
    statements = " ".join(s.text for s in made.summary.statements)
    assert "is about the blocks" in statements
    said = " ".join([*made.summary.guaranteed, *made.summary.not_guaranteed])
    assert "Every block covers at least 20 records" in said
    assert "unless the sensitive columns are released too" in said
    assert "this is a shuffle of the rows" in made.certificate.draws.note
    made.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "every block has at least 20 records" in page
    assert "very released value has at least" not in page


def test_binned_columns_show_their_bins():
    frame = pd.DataFrame(records(), columns=NAMES)
    made = shown_as_values(frame, bins={"age": 4}, passthrough="w")
    counted = Counter(f"[{age // 4 * 4}, {age // 4 * 4 + 4})" for age in frame["age"])
    assert Counter(made.table["age"]) == counted


def test_draws_repeat_with_a_seed_only():
    frame = pd.DataFrame(records(), columns=NAMES)
    drawn = [
        shown_as_values(frame, keep_order=True, draw_seed=seed).table
        for seed in (1, 1, 2, None, None)
    ]
    assert drawn[0].equals(drawn[1])
    assert not drawn[0].equals(drawn[2])
    assert not drawn[3].equals(drawn[4])


def test_records_of_one_person_with_one_value_show_one_value():
    frame = pd.DataFrame(records(), columns=NAMES)
    frame = pd.concat([frame.assign(who=range(600))] * 3, ignore_index=True)
    made = shown_as_values(frame, key="who", passthrough="w", keep_order=True)
    assert made.table.groupby("w")[PUBLIC].nunique(dropna=False).max(axis=None) == 1
    block = dict(zip(made.mechanism.tuples, made.mechanism.partition.tolist(), strict=True))
    plain = made.table.astype(object).where(made.table.notna(), None)
    found = [block[tuple(row)] for row in plain[PUBLIC].itertuples(index=False)]
    assert found == [block[row[:3]] for row in records()] * 3


def test_apply_draws_members_by_their_shares(tmp_path):
    rows = records(4000)
    frame = pd.DataFrame(rows, columns=NAMES)
    made = shown_as_values(frame, public="age")
    made.mechanism.save(tmp_path / "m.json")
    read = Mechanism.load(tmp_path / "m.json")
    assert read.shares.tolist() == made.mechanism.shares.tolist()
    new = pd.DataFrame({"age": [30] * 20_000})
    for mechanism in (made, read):
        shown = loglift.apply(mechanism, new)["age"].value_counts()
        labels = made.mechanism.partition
        block = labels[made.mechanism.public.index(30)]
        members = [x for x, b in zip(made.mechanism.public, labels, strict=True) if b == block]
        assert len(members) > 1
        assert set(shown.index) == set(members)
        weight = frame["age"].value_counts()
        for age in members:
            share = weight[age] / weight[members].sum()
            assert abs(shown[age] / 20_000 - share) < 5 * np.sqrt(share / 20_000)


def test_shares_are_whole_numbers_that_add_up():
    made = shown_as_values(pd.DataFrame(records(), columns=NAMES)).mechanism
    sums = np.zeros(made.size, dtype=object)
    np.add.at(sums, made.partition, made.shares.astype(object))
    assert set(sums) == {DENOMINATOR}
    document = json.loads(made.to_json())
    assert document["show"] == "values"
    assert "y" not in json.dumps(document["shares"])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda shares: shares[:-1],
        lambda shares: [shares[0] + 1, *shares[1:]],
        lambda shares: [float(shares[0]), *shares[1:]],
        lambda _: None,
    ],
)
def test_a_file_with_other_shares_is_refused(wrong):
    made = shown_as_values(pd.DataFrame(records(), columns=NAMES)).mechanism
    document = json.loads(made.to_json())
    document["shares"] = wrong(document["shares"])
    with pytest.raises(MechanismError, match="damaged"):
        Mechanism.from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "randomized"}, "draws released values of its own"),
        ({"ranges": "columns"}, "only groups are released as ranges"),
        ({"show": "groups", "key": "w"}, "releases that are drawn"),
        ({"show": "groups", "draw_seed": 1}, "releases that are drawn"),
        ({"show": "sets"}, "show"),
        ({"key": "ill"}, "sensitive"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        shown_as_values(pd.DataFrame(records(), columns=NAMES), **options)


def test_suppressed_values_are_refused():
    made = shown_as_values(pd.DataFrame(records(), columns=NAMES), public="age")
    with pytest.raises(MechanismError, match="no value for suppressed"):
        loglift.apply(made, pd.DataFrame({"age": [99]}), unseen="suppress")


def test_a_model_trains_on_plain_columns_without_an_encoder():
    from sklearn.linear_model import LinearRegression  # noqa: PLC0415, slow to import

    frame = pd.DataFrame(records(2000), columns=NAMES).assign(w=lambda t: 3.0 * t["age"])
    made = shown_as_values(frame, public="age", passthrough="w", eps=1)
    model = LinearRegression().fit(made.table[["age"]], made.table["w"])
    assert model.score(frame[["age"]], frame["w"]) > 0.5


def test_a_column_may_have_the_name_of_the_block_which_values_do_not_show(tmp_path):
    rng = np.random.default_rng(3)
    cells = {"loglift_block": rng.integers(0, 6, 600), "town": rng.choice(list("abc"), 600)}
    table = pd.DataFrame(cells | {"s": rng.choice(list("xy"), 600)})
    asked = {"sensitive": "s", "public": ["loglift_block", "town"], "eps": 0.1}
    made = loglift.protect(table, **asked, show="values")
    assert made.mechanism.size < 18
    assert list(made.table.columns) == ["loglift_block", "town"]
    pairs = [Counter(zip(t["loglift_block"], t["town"], strict=True)) for t in (made.table, table)]
    assert pairs[0] == pairs[1]
    made.save(tmp_path / "out")
    again = Mechanism.load(tmp_path / "out" / "mechanism.json")
    assert loglift.verify(again, table).holds
    assert list(loglift.apply(again, table).columns) == ["loglift_block", "town"]
    with pytest.raises(MechanismError, match="a public column is named loglift_block"):
        loglift.protect(table, **asked)
