"""The recipe of evaluating a release, against code that reads the files only."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest

import loglift
import naive
from loglift.errors import InputError, MechanismError, TableError
from loglift.release import evaluate as recipe

PUBLIC = ["age", "town"]


def people(size=1500, seed=0):
    """Return a table with a missing age, a number and a class that depend on the public columns."""
    random = np.random.default_rng(seed)
    age = 20 + 5 * random.integers(0, 8, size)
    town = random.choice(list("abcde"), size, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    ill = random.random(size) < 0.1 + 0.1 * (age > 40) + 0.15 * (town == "e") + 0.3 * (town == "b")
    frame = pd.DataFrame({"age": age.astype(object), "town": town})
    frame.loc[age == 55, "age"] = None
    return frame.astype({"age": "Int64"}).assign(
        income=(1000 + 20 * age + 300 * (town == "b") + random.normal(0, 200, size)).round(),
        job=np.where(random.random(size) < (age - 10) / 60, "yes", "no"),
        ill=np.where(ill, "flu", "none"),
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table, and the directory of a release with a passthrough column."""
    folder = tmp_path_factory.mktemp("evaluate")
    table = people()
    table.to_parquet(folder / "people.parquet")
    release = loglift.protect(
        str(folder / "people.parquet"),
        sensitive="ill",
        public=PUBLIC,
        eps=0.5,
        passthrough="job",
    )
    release.save(folder / "out")
    return table, folder


@pytest.fixture(scope="module")
def found(made):
    _, folder = made
    return loglift.evaluate(folder / "people.parquet", folder / "out", purposes="income")


def read(folder, table):
    """Return the values, the block of each value, and the value of each record, from the file."""
    document = json.loads((folder / "out" / "mechanism.json").read_text())
    values = [tuple(value) for value in document["values"]]
    place = {value: i for i, value in enumerate(values)}
    rows = [
        (None if pd.isna(age) else int(age), town)
        for age, town in zip(table["age"], table["town"], strict=True)
    ]
    return values, np.array(document["blocks"]), np.array([place[row] for row in rows])


def spread(values, blocks, x, key):
    """Return the cross-table that readers get: each record evenly over its block's members."""
    sums = Counter()
    for block, records in Counter(blocks[x].tolist()).items():
        members = [value for value, of in zip(values, blocks, strict=True) if of == block]
        for member in members:
            sums[key(member)] += records / len(members)
    return sums


def test_it_says_what_it_evaluated(found):
    assert found.public == ("age", "town")
    assert found.sensitive == ("ill",)
    assert found.passthrough == ("job",)
    assert found.purposes == ("income",)
    assert found.shows == "groups"
    assert not found.sensitive_released
    assert found.records == found.evaluated == 1500
    assert found.bound == loglift.Bound.symmetric(0.5)


def test_columns_agree_with_the_files(made, found):
    table, folder = made
    values, blocks, x = read(folder, table)
    assert len(set(blocks.tolist())) < len(values)
    for place, column in enumerate(found.columns):
        sole = {
            block: {value[place] for value, of in zip(values, blocks, strict=True) if of == block}
            for block in set(blocks.tolist())
        }
        same = [len(sole[block]) == 1 for block in blocks[x].tolist()]
        assert column.unchanged.released == pytest.approx(np.mean(same))
        mine = [values[i][place] for i in x.tolist()]
        both = Counter(zip(mine, blocks[x].tolist(), strict=True))
        h = [entropy(Counter(mine)), entropy(Counter(blocks[x].tolist())), entropy(both)]
        assert column.information.released == pytest.approx((h[0] + h[1] - h[2]) / h[0])
    seen = spread(values, blocks, x, lambda value: value[0])
    del seen[None]
    mean = sum(age * n for age, n in seen.items()) / sum(seen.values())
    truth = table["age"].dropna().astype(float)
    age, town = found.columns
    assert age.mean.original == pytest.approx(truth.mean())
    assert age.mean.released == pytest.approx(mean)
    assert age.mean_shift.released == pytest.approx((mean - truth.mean()) / truth.std(ddof=0))
    assert town.mean is None


def entropy(counts):
    p = np.array(list(counts.values())) / sum(counts.values())
    return float(-(p * np.log(p)).sum())


def test_pairs_agree_with_the_files(made, found):
    table, folder = made
    values, blocks, x = read(folder, table)
    [pair] = [pair for pair in found.pairs if pair.columns == ("age", "town")]
    seen = spread(values, blocks, x, lambda value: value)
    truth = Counter(values[i] for i in x.tolist())
    assert pair.distance.released == pytest.approx(
        sum(abs(seen[v] - truth[v]) for v in set(seen) | set(truth)) / 2 / len(table)
    )
    assert pair.distance.shuffled > 0
    [job] = [pair for pair in found.pairs if pair.columns == ("age", "job")]
    assert job.measure == "Cramer's V"
    [income] = [pair for pair in found.pairs if pair.columns == ("age", "income")]
    truth = table["age"].astype(float).corr(table["income"])
    assert income.measure == "correlation"
    assert income.association.original == pytest.approx(truth)
    assert abs(income.association.shuffled) < 0.1


def test_the_bound_holds_and_models_lose_little_of_what_they_can_learn(found):
    [attack] = found.attacks
    factor = math.exp(0.5)
    assert attack.counting.rise.released <= factor * (1 + 1e-12)
    assert attack.counting.fall.released <= factor * (1 + 1e-12)
    assert max(attack.counting.rise.original, attack.counting.fall.original) > factor
    assert attack.counting.outside.released == 0 < attack.counting.outside.original
    assert attack.learning.columns == ("age", "town")
    assert attack.learning_beside.columns == ("age", "town", "job")
    assert attack.learning.gain.original > attack.learning.gain.released
    job, income = found.models
    assert (job.target, job.kind) == ("job", "classes")
    assert (income.target, income.kind) == ("income", "number")
    assert income.r2.original > income.r2.released > income.r2.shuffled
    assert job.auc.original > 0.6


def test_counting_agrees_with_the_certificate(made, found):
    _, folder = made
    certificate = json.loads((folder / "out" / "certificate.json").read_text())
    counting = found.attacks[0].counting
    largest = max(counting.rise.released, counting.fall.released)
    assert math.log(largest) == pytest.approx(certificate["leakage"])


def test_the_same_seed_gives_the_same_figures_and_another_does_not(made, found):
    table, folder = made
    again = loglift.evaluate(folder / "people.parquet", folder / "out", purposes="income")
    assert again == found
    other = loglift.evaluate(table, folder / "out", purposes="income", seed=1)
    assert other.queries != found.queries
    assert other.columns[0].unchanged.released == found.columns[0].unchanged.released


@pytest.mark.parametrize("maker", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_every_engine_gives_the_same_figures(made, found, maker):
    table, folder = made
    assert loglift.evaluate(maker(table), folder / "out", purposes=["income"]) == found


def test_a_release_a_mechanism_and_a_file_are_taken_too(made, found):
    table, folder = made
    release = loglift.protect(
        table, sensitive="ill", public=PUBLIC, eps=0.5, passthrough="job", keep_sensitive=True
    )
    from_release = loglift.evaluate(table, release)
    assert from_release.passthrough == ("job",)
    assert from_release.sensitive_released
    for given in (release.mechanism, folder / "out" / "mechanism.json"):
        alone = loglift.evaluate(table, given, purposes=["job", "income"])
        assert alone.passthrough == ()
        assert not alone.sensitive_released
        assert alone.attacks[0].learning_beside is None
        assert alone.columns == found.columns
        assert [model.target for model in alone.models] == ["job", "income"]


def test_with_the_sensitive_column_released_more_is_known(made):
    table, _ = made
    options = {"sensitive": "ill", "public": PUBLIC, "eps": 0.5}
    hidden, shown = (
        loglift.evaluate(table, loglift.protect(table, **options, keep_sensitive=keep))
        for keep in (False, True)
    )
    hidden, shown = (of.attacks[0].minimality for of in (hidden, shown))
    assert hidden.published.worked_out == 0 < shown.published.worked_out
    assert shown.published.mean_width < hidden.published.mean_width


def test_a_randomized_release_is_read_by_its_posteriors(made):
    table, _ = made
    release = loglift.protect(
        table, sensitive="ill", public=PUBLIC, eps=0.3, method="randomized", draw_seed=1
    )
    found = loglift.evaluate(table, release, purposes="job")
    assert found.shows == "random values"
    assert found.attacks[0].minimality.optimal.worked_out > 0
    assert found.attacks[0].minimality.calls is None
    assert found.queries[0].mean.released < found.queries[0].mean.shuffled
    information = [column.information for column in release.columns]
    assert [column.information.released for column in found.columns] == information


def test_plain_values_keep_the_public_columns_and_are_learned_from(made):
    table, _ = made
    release = loglift.protect(table, sensitive="ill", public=PUBLIC, eps=0.5, show="values")
    found = loglift.evaluate(table, release, purposes=["job", "income"])
    assert found.shows == "values"
    assert found.queries[0].largest.released == 0
    assert found.columns[0].mean_shift.released == 0
    [inner] = [pair for pair in found.pairs if pair.columns == ("age", "town")]
    assert inner.distance.released == 0 < inner.distance.shuffled
    assert 0 < found.columns[0].unchanged.released < 1
    income = found.models[1]
    assert income.r2.original > income.r2.released > income.r2.shuffled + 0.05


def test_each_sensitive_column_is_attacked_on_its_own_and_bins_are_cut():
    table = people(800)
    release = loglift.protect(
        table, sensitive=["ill", "job"], public=["income", "town"], eps=0.7, each=True,
        bins={"income": 500},
    )  # fmt: skip
    found = loglift.evaluate(table, release)
    assert [attack.sensitive for attack in found.attacks] == [("ill",), ("job",)]
    assert found.columns[0].mean is None  # intervals are no numbers
    assert all(attack.counting.outside.released == 0 for attack in found.attacks)
    joint = loglift.protect(table, sensitive=["ill", "job"], public="town", eps=2)
    [attack] = loglift.evaluate(table, joint).attacks
    assert attack.sensitive == ("ill", "job")


def test_a_large_table_is_evaluated_on_a_sample(made, monkeypatch):
    table, folder = made
    monkeypatch.setattr(recipe, "MAX_RECORDS", 500)
    found = loglift.evaluate(table, folder / "out")
    assert (found.records, found.evaluated) == (1500, 500)
    assert found.attacks[0].counting.outside.released == 0
    monkeypatch.setattr(recipe, "MAX_WITHOUT_REPLACEMENT", 1000)
    assert loglift.evaluate(table, folder / "out").evaluated == 500


def test_another_table_may_be_outside_the_bound(made):
    table, folder = made
    other = table.assign(ill=np.where(table["town"] == "b", "flu", "none"))
    [attack] = loglift.evaluate(other, folder / "out").attacks
    assert attack.counting.outside.released > 0


def test_protect_evaluates_its_release_where_it_is_asked(made):
    table, _ = made
    options = {"sensitive": "ill", "public": PUBLIC, "eps": 0.5, "purposes": ["income", "age"]}
    release = loglift.protect(table, **options, passthrough="job", evaluate=True)
    assert release.evaluation == loglift.evaluate(table, release, purposes="income")
    assert [model.target for model in release.evaluation.models] == ["job", "income"]
    assert loglift.protect(table, **options).evaluation is None


def test_progress_names_the_stages(made):
    table, folder = made
    stages = []
    loglift.evaluate(table, folder / "out", on_progress=stages.append)
    names = [stage for stage, _ in itertools.groupby(progress.stage for progress in stages)]
    assert names == [
        "counting",
        "measuring columns and pairs",
        "asking queries",
        "training models",
        "attacking",
    ]


def test_what_cannot_be_evaluated_is_refused(made, tmp_path):
    table, folder = made
    (tmp_path / "empty").mkdir()
    out = folder / "out"
    joint = loglift.merge([[3, 4], [5, 6]], 1)
    refused = [
        (table, tmp_path / "empty", {}, MechanismError, r"has no mechanism\.json: give the dir"),
        (table, out, {"purposes": "ill"}, TableError, "is sensitive: how well it is guessed"),
        (table, out, {"purposes": "age"}, TableError, "is a public column: what is left"),
        (table, out, {"purposes": "incom"}, TableError, "did you mean 'income'"),
        (table.drop(columns="town"), out, {}, TableError, "has no column 'town'"),
        (table.drop(columns="ill"), out, {}, TableError, "has no column 'ill'"),
        (table.assign(town="z"), out, {}, TableError, "which the mechanism does not know: give"),
        (table, 7, {}, InputError, "is not a mechanism"),
        (table, joint, {}, MechanismError, "knows no columns"),
        (table, out, {"seed": -1}, InputError, r"seed \(--seed\) must be at least 0"),
    ]
    for original, release, options, error, message in refused:
        with pytest.raises(error, match=message):
            loglift.evaluate(original, release, **options)
    assert len(refused) == 10


def told_of(table, mechanism, known=(), earlier=()):
    """Return the records as readers see them who know columns and read earlier releases."""

    def shown(mechanism):
        block = {
            member: number for number, members in enumerate(mechanism.blocks) for member in members
        }
        columns = [column.name for column in mechanism.columns]
        rows = [
            tuple(None if pd.isna(cell) else cell for cell in row)
            for row in table[columns].itertuples(index=False, name=None)
        ]
        return [block[row[0] if len(row) == 1 else row] for row in rows]

    knows = [tuple(row) for row in table[list(known)].itertuples(index=False, name=None)]
    knows = knows or [()] * len(table)
    seen = list(zip(*map(shown, earlier), strict=True)) or [()] * len(table)
    return [(1, *row) for row in zip(table["ill"], knows, seen, shown(mechanism), strict=True)]


@pytest.fixture(scope="module")
def knowing():
    """A table, an earlier release, and one that keeps its bound to readers who know more."""
    table = people(6000).assign(region=np.arange(6000) % 3)
    earlier = loglift.protect(table, sensitive="ill", public="job", eps=0.3)
    release = loglift.protect(
        table, sensitive="ill", public=PUBLIC, eps=1.2, known=["region", "job"], given=earlier
    )
    return table, earlier.mechanism, release


def test_readers_who_know_more_are_counted_record_by_record(knowing):
    table, earlier, release = knowing
    found = loglift.evaluate(table, release, given=earlier, known="town")
    assert found.known == ("region", "job", "town")
    assert [each.public for each in found.given] == [("job",)]
    assert found.not_given == 0
    readers = {reading.knows: reading for reading in found.attacks[0].readers}
    assert len(readers) == 8  # every combination, and who only reads the earlier release
    limits = dict.fromkeys(["flu", "none"], (1.2, 1.2))
    for knows, reading in readers.items():
        slow = naive.inferred(told_of(table, release.mechanism, knows, [earlier]), limits)
        for name in ("rise", "fall", "outside", "right"):
            assert getattr(reading, name).released == pytest.approx(getattr(slow, name))
        assert reading.promised == ("town" not in knows)
        assert not reading.promised or reading.outside.released == 0
        assert reading.right.original >= reading.right.released >= reading.right.shuffled
    assert readers["region", "job", "town"].outside.released > 0
    assert readers["region",].outside.original > 0
    checks = {check.readers: check.leakage for check in release.certificate.readers}
    for reading in readers.values():
        if reading.promised:
            largest = max(reading.rise.released, reading.fall.released)
            assert math.log(largest) == pytest.approx(checks[reading.readers])
    learned = found.attacks[0].learning_knowing
    assert learned.columns == ("age", "town", "region", "job", "earlier release 1")
    assert learned.auc.original > learned.auc.released


def test_what_a_mechanism_was_made_with_is_known_by_default(knowing, tmp_path):
    table, earlier, release = knowing
    release.save(tmp_path / "out")
    found = loglift.evaluate(table, tmp_path / "out")
    assert found.known == ("region", "job")
    assert found.given == ()
    assert found.not_given == 1
    assert [reading.knows for reading in found.attacks[0].readers] == [
        ("region",),
        ("job",),
        ("region", "job"),
    ]
    assert all(reading.promised for reading in found.attacks[0].readers)
    other = loglift.protect(table, sensitive="ill", public="town", eps=0.5).mechanism
    alone = loglift.evaluate(table, other, given=[earlier])
    [reading] = alone.attacks[0].readers
    assert not reading.promised
    assert alone.not_given == 0
    assert loglift.evaluate(table, other).attacks[0].readers == ()


def test_protect_evaluates_with_the_readers_it_was_made_for(knowing):
    table, earlier, release = knowing
    options = {"sensitive": "ill", "public": PUBLIC, "eps": 1.2, "known": ["region", "job"]}
    made = loglift.protect(table, **options, given=earlier, evaluate=True)
    assert made.evaluation == loglift.evaluate(table, release, given=earlier)
    assert len(made.evaluation.given) == 1


def test_a_known_public_column_is_known_in_its_bins():
    table = people(3000)
    release = loglift.protect(
        table, sensitive="ill", public=["income", "town"], eps=1.5, bins={"income": 2000},
        known="income",
    )  # fmt: skip
    [reading] = loglift.evaluate(table, release, known=["income"]).attacks[0].readers
    assert reading.contexts == len(set(table["income"] // 2000))
    assert reading.outside.released == 0


def test_records_that_are_not_in_the_earlier_release_are_seen_not_to_be():
    table = people(3000)
    old = table[table["town"].isin(["a", "b", "c", "d"])]
    earlier = loglift.protect(old, sensitive="ill", public="town", eps=1.0).mechanism
    release = loglift.protect(table, sensitive="ill", public="age", eps=0.8).mechanism
    [reading] = (attack := loglift.evaluate(table, release, given=earlier).attacks[0]).readers
    blocks = {town: number for number, members in enumerate(earlier.blocks) for town in members}
    assert reading.contexts == len(earlier.blocks) + 1
    told = [
        (weight, s, (), blocks.get(town), shown)
        for (weight, s, _, _, shown), town in zip(
            told_of(table, release), table["town"], strict=True
        )
    ]
    slow = naive.inferred(told, dict.fromkeys(["flu", "none"], (0.8, 0.8)))
    assert reading.rise.released == pytest.approx(slow.rise)
    assert reading.right.released == pytest.approx(slow.right)
    assert attack.learning_knowing.columns == ("age", "earlier release 1")


def test_bounds_of_single_values_and_combined_values_are_those_of_the_release():
    table = people(3000).assign(
        ill=lambda frame: np.where(
            np.arange(3000) % 40 == 0, "HIV", np.where(np.arange(3000) % 7 == 0, "cold", frame.ill)
        )
    )
    bound = loglift.Bound.symmetric(0.4).with_values({"HIV": None}, column="ill")
    for method in ("search", "randomized"):
        release = loglift.protect(
            table,
            sensitive="ill",
            public=PUBLIC,
            bound=bound,
            combine={"ill": ["flu", "cold"]},
            method=method,
        )
        [attack] = loglift.evaluate(table, release, known="job").attacks
        values = {value.sensitive["ill"]: value for value in attack.counting.by_value}
        assert set(values) == {"HIV", "flu or cold", "none"}
        assert values["HIV"].allowed_rise == math.inf
        assert values["none"].allowed_rise == pytest.approx(math.exp(0.4))
        assert values["none"].rise.released <= math.exp(0.4) * (1 + 1e-9)
        assert attack.counting.outside.released == 0 < attack.counting.outside.original
        assert attack.minimality.published.outside == 0
        assert attack.readers[0].outside.original > 0
    with_beta = loglift.protect(
        table, sensitive="ill", public=PUBLIC, bound=loglift.Bound.beta_likeness(0.5)
    )
    [attack] = loglift.evaluate(table, with_beta).attacks
    prior = table["ill"].value_counts(normalize=True)
    for value in attack.counting.by_value:
        allowed = 1 + min(0.5, -math.log(prior[value.sensitive["ill"]]))
        assert value.allowed_rise == pytest.approx(allowed)
        assert value.rise.released <= allowed * (1 + 1e-9)


def test_readers_that_cannot_be_counted_are_refused(knowing):
    table, _, release = knowing
    refused = [
        ({"known": "ill"}, InputError, "which is sensitive: who knows it has nothing left"),
        ({"known": "regio"}, TableError, "did you mean 'region'"),
        ({"given": 7}, InputError, "is not a mechanism"),
        ({"given": [loglift.merge([[3, 4], [5, 6]], 1)]}, MechanismError, "knows no columns"),
    ]
    for options, error, message in refused:
        with pytest.raises(error, match=message):
            loglift.evaluate(table, release, **options)
    assert len(refused) == 4
