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
from evaluated_people import PUBLIC, people
from loglift.errors import InputError, MechanismError, TableError


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


def test_a_sparse_channel_is_evaluated_like_a_dense_one(monkeypatch):
    """Every figure; ranges of single values too, because a small channel is one part."""
    monkeypatch.setattr("loglift.randomizing.task.MAX_WHOLE_VALUES", 10)
    monkeypatch.setattr("loglift.randomizing.parts.PART_VALUES", 8)
    table = people(3000)
    earlier = {"sensitive": "ill", "public": "town", "eps": 0.3, "method": "randomized"}
    first = loglift.protect(table, **earlier)
    options = {"sensitive": "ill", "public": PUBLIC, "eps": 0.5, "method": "randomized"}
    release = loglift.protect(table, **options)
    mechanisms = [loglift.Mechanism.from_json(r.mechanism.to_json()) for r in (release, first)]
    asked = {"purposes": "income", "known": "job", "given": mechanisms[1]}
    dense = loglift.evaluate(table, mechanisms[0], **asked)
    monkeypatch.setattr("loglift.sparse.MAX_ALWAYS_DENSE_CELLS", 0)
    for module in ("loglift.mechanism.channel", "loglift.mechanism.mechanism"):
        monkeypatch.setattr(f"{module}.refuse_dense", refused)
    again = [loglift.Mechanism.from_json(m.to_json()) for m in mechanisms]
    assert isinstance(again[0].probabilities, loglift.sparse.Cells)
    asked["given"] = again[1]
    assert loglift.evaluate(table, again[0], **asked) == dense


def refused(*_):
    raise AssertionError("the channel is made dense")


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
        (table, tmp_path / "empty", {}, MechanismError, r"has no mechanism\.json: give the fol"),
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
