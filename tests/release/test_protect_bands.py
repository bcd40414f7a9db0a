"""From a table to a release with bands, codes of missing values, and columns beside it in bands."""

# ruff: noqa: PD011 - .values are of bounds and columns, not of pandas

import math
from collections import Counter
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

import loglift
from loglift.cuts import Cut
from loglift.errors import TableError
from tables.makers import MAKERS, stop_sessions

ROWS = 3000


@pytest.fixture(scope="module", autouse=True)
def _sessions():
    yield
    stop_sessions()


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    income = rng.lognormal(10, 0.8, ROWS).round(2)
    income[rng.random(ROWS) < 0.05] = -9
    ill = np.where(rng.random(ROWS) < 0.2 + (income > 30_000) * 0.2, "yes", "no").astype(object)
    ill[rng.random(ROWS) < 0.05] = None
    return pd.DataFrame(
        {
            "age": rng.integers(16, 97, ROWS),
            "income": income,
            "town": rng.choice(list("ab"), ROWS),
            "weight": rng.lognormal(0, 0.5, ROWS),
            "person_id": np.arange(ROWS) * 7,
            "ill": ill,
        }
    )


def test_a_saved_mechanism_has_the_same_bands_on_another_table(people, tmp_path):
    made = loglift.protect(
        people, sensitive="ill", public=["age", "income"], eps=1,
        bins={"age": "18..80", "income": "quantiles:5"}, missing={"income": [-9]},
    )  # fmt: skip
    assert made.certificate.holds
    path = tmp_path / "mechanism.json"
    made.mechanism.save(path)
    assert loglift.verify(path, people).holds
    income = made.mechanism.bins["income"]
    assert (len(income.points), income.missing) == (4, (-9,))
    assert not set(income.points) & set(people["income"])
    others = pd.DataFrame({"age": [3, 120, 40], "income": [1e9, -9.0, float("nan")]})
    rows = loglift.apply(path, others, unseen="suppress", keep_order=True)
    plain = loglift.apply(
        path,
        pd.DataFrame({"age": [17, 81, 40], "income": [1e6, float("nan"), -9.0]}),
        unseen="suppress",
        keep_order=True,
    )
    assert rows.equals(plain)


def test_as_values_a_record_with_a_code_shows_null(people, tmp_path):
    path = tmp_path / "people.csv"
    people.assign(children=np.where(np.arange(ROWS) % 9, np.arange(ROWS) % 5, -9)).to_csv(path)
    for table in (path, pd.read_csv(path)):
        made = loglift.protect(
            table, sensitive="ill", public=["children", "town"], eps=1, show="values",
            missing={"children": ["-9"]},
        )  # fmt: skip
        shown = made.table.df() if hasattr(made.table, "df") else made.table
        assert shown["children"].isna().sum() == len(range(0, ROWS, 9))
        assert set(shown["children"].dropna()) == {0, 1, 2, 3, 4}


def test_ignored_null_has_no_bound_and_all_checks_know_it(people, tmp_path):
    options = {"sensitive": "ill", "public": "age", "eps": 0.3}
    strict = loglift.protect(people, **options)
    loose = loglift.protect(people, **options, missing={"ill": "ignore"})
    [entry] = loose.mechanism.bound.values
    assert (entry.value, entry.column, entry.lower, entry.upper) == (
        None,
        "ill",
        math.inf,
        math.inf,
    )
    assert loose.mechanism.size > strict.mechanism.size
    assert loose.certificate.holds
    loose.mechanism.save(tmp_path / "mechanism.json")
    assert loglift.verify(tmp_path / "mechanism.json", people).holds
    # Recounted: all records are in the denominators, and only yes and no are within the bound.
    block = np.array([loose.mechanism.lookup[(age,)] for age in people["age"].tolist()])
    for value in ("yes", "no"):
        is_value = (people["ill"] == value).to_numpy()
        for b in range(loose.mechanism.size):
            assert abs(math.log(is_value[block == b].mean() / is_value.mean())) <= 0.3 + 1e-12
    kept = loglift.frontier(people, [0.3], sensitive="ill", public="age", missing={"ill": "ignore"})
    plain = loglift.frontier(people, [0.3], sensitive="ill", public="age")
    assert kept.points[0].kept > plain.points[0].kept
    least = loglift.protect(
        people, sensitive="ill", public="town", min_information=0.9, missing={"ill": "ignore"}
    )
    assert least.mechanism.bound.values[0].value is None
    assert loglift.audit(people, **options, missing={"ill": "ignore"}).bound.values
    without = people.dropna()
    assert not loglift.audit(without, **options, missing={"ill": ["ignore"]}).bound.values


def test_codes_make_null_of_a_sensitive_column_which_may_be_ignored(people):
    coded = people.fillna({"ill": "?"})
    made = loglift.protect(
        coded, sensitive="ill", public="town", eps=1, missing={"ill": ["?", "ignore"]}
    )
    assert made.mechanism.sensitive[0].bin.missing == ("?",)
    assert {belief.sensitive["ill"] for belief in made.certificate.beliefs} >= {"yes", "no"}
    assert loglift.verify(made.mechanism, coded).holds
    assert loglift.verify(made.mechanism, people).counts_sha256 == made.certificate.counts_sha256


def test_a_column_beside_the_release_is_released_and_audited_in_bands(people, tmp_path):
    made = loglift.protect(
        people, sensitive="ill", public="town", eps=1,
        passthrough=["age", "weight"], bins={"weight": "quantiles:4"},
    )  # fmt: skip
    [beside] = made.mechanism.beside
    assert len(beside.bin.points) == 3
    assert set(made.table["weight"]) == set(beside.bin.names)
    assert set(made.table["age"]) == set(people["age"])
    shown = Counter(zip(made.table["age"], made.table["weight"], strict=True))
    points, names = beside.bin.points, beside.bin.names
    bands = [names[sum(value >= point for point in points)] for value in people["weight"]]
    assert shown == Counter(zip(people["age"], bands, strict=True))
    [_, _, weight] = made.passthrough_audit.joint.columns
    assert weight.values == beside.bin.names
    made.mechanism.save(tmp_path / "mechanism.json")
    again = loglift.apply(tmp_path / "mechanism.json", people, passthrough="weight")
    assert set(again["weight"]) == set(beside.bin.names)
    assert "age, weight (in 4 quantile bands) are released." in str(made.summary.statements)


def test_an_identifier_beside_the_release_is_warned_of(people):
    made = loglift.protect(people, sensitive="ill", public="town", eps=1, passthrough=["person_id"])
    assert made.summary.statements[-1].headline == "Looks like an identifier."
    assert "person_id" in made.summary.statements[-1].text
    with pytest.raises(TableError, match="'person_id' looks like an identifier"):
        loglift.protect(people, sensitive="ill", public="person_id", eps=1)


def test_a_measurement_is_cut_by_itself_and_the_release_says_so(people):
    made = loglift.protect(people, sensitive="ill", public="income", eps=1)
    assert made.mechanism.bins["income"].automatic
    [said] = [s for s in made.summary.statements if s.headline == "Cut into bands."]
    assert "income in 61 quantile bands" in said.text
    assert "--bin income=quantiles:20" in said.text
    assert made.certificate.as_dict()["bins"]["income"]["automatic"] is True
    by_income = loglift.protect(people, sensitive="income", public="town", eps=1)
    assert len(by_income.mechanism.bins["income"].points) >= 8


def test_a_later_release_is_cut_as_the_one_it_follows(people):
    options = {"sensitive": "ill", "public": "income"}
    first = loglift.protect(people, **options, eps=1)
    half = people.iloc[: ROWS // 2]
    later = loglift.protect(half, **options, eps=1, update=first)
    assert later.mechanism.bins["income"].points == first.mechanism.bins["income"].points
    coarser = loglift.protect(people, **options, eps=0.5, coarser_than=first)
    assert coarser.mechanism.bins == first.mechanism.bins
    asked = {"income": "quantiles:10"}
    tens = loglift.protect(people, **options, eps=1, bins=asked)
    later = loglift.protect(half, **options, eps=1, bins=asked, update=tens)
    assert later.mechanism.bins == tens.mechanism.bins


def test_a_public_column_that_keeps_its_values_is_not_cut(people):
    table = people.assign(post=np.arange(ROWS) // 2)
    made = loglift.protect(table, sensitive="ill", public="post", eps=1, unordered="post")
    assert made.mechanism.bins == {}


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"missing": {"town": "ignore"}}, "which is not a sensitive column"),
        ({"missing": {"weight": [-9]}}, r"missing \(--missing\) names 'weight'"),
        ({"missing": {"age": ["none"]}}, "give a code of that type"),
        ({"missing": {"weight": [-9]}, "passthrough": "weight"}, "names 'weight'"),
        ({"bins": {"weight": 10}}, r"bins \(--bin\) are given for 'weight'"),
        ({"bins": {"town": "20,40"}}, "'town' cannot be cut into bins"),
        ({"bins": {"town": "quantiles:4"}}, "'town' cannot be cut into bins"),
        ({"bins": {"age": "40,20"}}, "must increase"),
        ({"bins": {"age": "month"}}, "not dates or times"),
        (
            {"missing": {"ill": "ignore"}, "combine": {"ill": [None, "no"]}},
            "do one of both",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(people, options, fault):
    with pytest.raises(TableError, match=fault) as caught:
        loglift.protect(people, sensitive="ill", public=["age", "town"], eps=1, **options)
    assert "\n" not in str(caught.value)


def test_the_transformer_cuts_and_reads_codes_as_protect_does(people):
    from loglift.sklearn import LiftProtector  # noqa: PLC0415, needs scikit-learn

    options = {"bins": {"income": "quantiles:5"}, "missing": {"income": [-9], "ill": "ignore"}}
    made = loglift.protect(people, sensitive="ill", public=["income", "town"], eps=1, **options)
    public = people[["income", "town"]]
    fitted = LiftProtector(1.0, **options).fit(public, people["ill"])
    assert fitted.mechanism_.bins == made.mechanism.bins
    assert fitted.mechanism_.bound == made.mechanism.bound
    array = LiftProtector(1.0, bins={"x0": Cut.quantiles(5)}, missing={"x0": [-9]})
    array.fit(public.to_numpy(dtype=object), people["ill"].fillna("?").to_numpy())
    assert array.mechanism_.bins["x0"] == made.mechanism.bins["income"]


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.name)
def test_every_engine_gives_the_same_mechanism(maker, tmp_path):
    rng = np.random.default_rng(8)
    born = [date(1950, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 20_000, 300)]
    rows = [
        (int(rng.integers(16, 90)), float(rng.choice([-9.0, 1.5, 2.5, 3.5])), born[i], "ab"[i % 2])
        for i in range(300)
    ]
    options = {
        "sensitive": "ill", "public": ["age", "dose", "born"], "eps": 1,
        "bins": {"age": "20,40,65:young,adult,older,old", "born": "quantiles:4"},
        "missing": {"dose": [-9]},
    }  # fmt: skip
    names = ["age", "dose", "born", "ill"]
    made = loglift.protect(maker.make(names, [int, float, date, str], rows, tmp_path), **options)
    frame = pd.DataFrame(rows, columns=names)
    assert made.mechanism.to_json() == loglift.protect(frame, **options).mechanism.to_json()


def test_very_many_measurements_beside_a_release_are_audited_in_bands_and_released_as_they_are(
    people, tmp_path, monkeypatch
):
    table = people.assign(income=np.random.default_rng(2).lognormal(10, 1, len(people)))
    table = pd.concat([table] * (2000 // len(table) + 1), ignore_index=True)
    table["income"] += np.arange(len(table))
    table.to_parquet(tmp_path / "people.parquet")
    asked = {"sensitive": "ill", "public": "town", "eps": 1, "passthrough": "income"}
    each = loglift.protect(table, **asked).passthrough_audit
    assert (each.public_values, each.leakage) == (len(table), math.inf)
    monkeypatch.setattr("loglift.tables.counting.MAX_AUDITED_VALUES", 1000)
    for given in (table, tmp_path / "people.parquet"):
        made = loglift.protect(given, **asked)
        audit = made.passthrough_audit
        assert audit.joint.columns[1].bin.automatic
        assert audit.public_values < len(table) / 10
        assert audit.records == len(table)
        assert "often which record is whose" in str(made.summary.statements)
    assert Counter(made.table.project("income").fetchall()) == Counter(
        (value,) for value in table["income"].tolist()
    )
