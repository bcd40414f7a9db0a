"""protect, verify, audit and frontier with survey weights, against a recount of every record."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import loglift
from loglift import InputError, TableError
from loglift.mechanism.mechanism import Mechanism

PUBLIC = ["age", "town"]


def survey(size=900, seed=0, *, whole=False):
    """Return records whose weights depend on what is public and on what is sensitive."""
    rng = np.random.default_rng(seed)
    age, town = rng.integers(20, 32, size), rng.integers(0, 3, size)
    ill = np.where(rng.random(size) < 0.15 + 0.03 * (age - 20), "y", "n")
    weight = np.where(town == 2, rng.uniform(4, 9, size), rng.uniform(0.3, 1, size))
    weight = np.where(ill == "y", 1.6, 1.0) * weight
    weight = np.ceil(weight).astype(int) if whole else weight
    region = np.where(rng.random(size) < 0.3 + 0.3 * (ill == "y"), "north", "south")
    return pl.DataFrame({"age": age, "town": town, "ill": ill, "w": weight, "region": region})


def protected(table, **options):
    chosen = {"sensitive": "ill", "public": PUBLIC, "eps": 0.4, "weights": "w"} | options
    return loglift.protect(table, **chosen)


def leakage(table, mechanism, *, weighted=True, context=()):
    """Return the largest |log-lift| of what is released, record by record in fractions."""
    block = dict(zip(mechanism.tuples, mechanism.partition.tolist(), strict=True))
    cells, blocks = defaultdict(Fraction), defaultdict(Fraction)
    priors, totals = defaultdict(Fraction), defaultdict(Fraction)
    for row in table.iter_rows(named=True):
        amount = Fraction(row["w"]) if weighted else Fraction(1)
        known = tuple(row[name] for name in context)
        y = block[tuple(row[name] for name in mechanism.column_names)]
        cells[known, y, row["ill"]] += amount
        blocks[known, y] += amount
        priors[known, row["ill"]] += amount
        totals[known] += amount
    sizes = []
    for (known, s), prior in priors.items():
        for (other, y), size in blocks.items():
            if known == other:
                lift = cells[known, y, s] * totals[known] / (size * prior)
                sizes.append(abs(math.log(lift)) if lift else math.inf)
    return max(sizes)


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_about_the_sums_of_the_weights(seed):
    table = survey(seed=seed)
    made = protected(table)
    found, plain = leakage(table, made.mechanism), leakage(table, made.mechanism, weighted=False)
    assert found <= 0.4 < plain
    assert made.certificate.leakage == pytest.approx(found, rel=1e-12)
    assert made.certificate.unweighted_leakage == pytest.approx(plain, rel=1e-12)
    assert made.mechanism.size > 1


@pytest.mark.parametrize("seed", range(4))
def test_both_bounds_the_records_too(seed):
    table = survey(seed=seed)
    made = protected(table, both=True)
    assert leakage(table, made.mechanism) <= 0.4
    assert leakage(table, made.mechanism, weighted=False) <= 0.4
    assert made.certificate.kept_without >= made.certificate.goal_share
    assert [reader.holds for reader in made.certificate.readers] == [True]


def test_both_covers_readers_who_know_more():
    table = survey()
    made = protected(table, both=True, known="region", eps=0.6)
    for weighted in (True, False):
        for context in ((), ("region",)):
            assert leakage(table, made.mechanism, weighted=weighted, context=context) <= 0.6
    assert len(made.certificate.readers) == 3


@pytest.mark.parametrize("options", [{}, {"utility": "joint"}, {"method": "randomized"}])
def test_whole_weights_are_repeated_records(options):
    table = survey(size=300, whole=True)
    repeated = table.select(pl.exclude("w").repeat_by("w")).explode(pl.all().exclude("w"))
    weighted = protected(table, **options)
    plain = protected(repeated, weights=None, **options)
    assert weighted.certificate.utility == pytest.approx(plain.certificate.utility, rel=1e-9)
    assert weighted.certificate.leakage == pytest.approx(plain.certificate.leakage, rel=1e-9)
    assert weighted.certificate.records == 300 < plain.certificate.records


@pytest.mark.parametrize("method", ["search", "greedy", "complete", "exact"])
def test_records_not_weights_count_for_the_least_number(method):
    table = survey(size=400)
    chosen = {"public": "age", "min_count": 80, "method": method}
    made = protected(table, eps=1.0, **chosen)
    assert min(value.records for value in made.certificate.values) >= 80
    assert sum(value.records for value in made.certificate.values) == 400
    assert made.mechanism.size > 1
    heavy = table.with_columns(pl.col("w") * 1000)
    again = protected(heavy, eps=1.0, **chosen)
    assert again.mechanism.partition.tolist() == made.mechanism.partition.tolist()


def test_least_numbers_of_intact_groups_are_records():
    table = survey(size=600)
    made = protected(table, eps=1.0, intact="town", min_count=60)
    assert min(value.records for value in made.certificate.values) >= 60
    with pytest.raises(loglift.UnsafeError, match="no release can have 500 records"):
        protected(table, eps=1.0, intact="town", min_count=500)


def test_random_draws_keep_the_bound_in_weights():
    table = survey(size=400)
    made = protected(table, public="age", method="randomized")
    joint = loglift.Joint.from_table(table, sensitive="ill", public="age", weights="w")
    released = made.mechanism.channel.T @ joint.probabilities
    assert np.abs(loglift.log_lift(released)).max() <= 0.4 + 1e-9
    assert made.certificate.holds
    with pytest.raises(InputError, match="random draws of weighted records have no least number"):
        protected(table, method="randomized", min_count=5)


def test_the_file_names_the_weights_and_verify_adds_them_up(tmp_path):
    table = survey()
    made = protected(table, both=True)
    made.mechanism.save(tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    assert document["weights"] == "w"
    assert document["both"] is True
    loaded = Mechanism.load(tmp_path / "m.json")
    check = loglift.verify(loaded, table)
    assert check.holds
    assert check.leakage == made.certificate.leakage
    assert check.unweighted_leakage == made.certificate.unweighted_leakage
    tilted = table.with_columns(
        w=pl.when((pl.col("ill") == "y") & (pl.col("age") > 28)).then(40.0).otherwise(pl.col("w"))
    )
    assert not loglift.verify(loaded, tilted).holds
    with pytest.raises(TableError, match="has no column 'w'"):
        loglift.verify(loaded, table.drop("w"))


def test_a_file_that_bounds_both_without_weights_is_damaged(tmp_path):
    protected(survey(), both=True).mechanism.save(tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    (tmp_path / "m.json").write_text(json.dumps({**document, "weights": None}))
    with pytest.raises(loglift.MechanismError, match="bounds records and weights"):
        Mechanism.load(tmp_path / "m.json")


def test_the_weights_are_released_only_if_asked_and_in_bands():
    table = survey()
    assert "w" not in protected(table).table.columns
    made = protected(table, passthrough="w")
    bands = made.table["w"].value_counts()
    assert len(bands) == 5
    assert bands["count"].min() >= 100
    assert not set(made.table["w"]) & {str(weight) for weight in table["w"].to_list()}
    assert made.passthrough_audit.public == ("released block", "w")
    own = protected(table, passthrough="w", bins={"w": [1, 5]}).table["w"]
    assert own.n_unique() == 3


def test_values_are_exchanged_among_records():
    table = survey()
    made = protected(table, show="values")
    assert made.table.select(PUBLIC).sort(PUBLIC).equals(table.select(PUBLIC).sort(PUBLIC))
    assert leakage(table, made.mechanism) <= 0.4


def test_audit_tells_the_leakage_with_weights_and_without():
    table = survey()
    found = loglift.audit(table, sensitive="ill", public="town", eps=0.4, weights="w")
    plain = loglift.audit(table, sensitive="ill", public="town", eps=0.4)
    assert found.leakage != pytest.approx(plain.leakage)
    assert found.unweighted_leakage == plain.leakage
    assert plain.unweighted_leakage is None
    assert found.records == plain.records == 900
    with pytest.raises(InputError, match="leave the confidence"):
        loglift.audit(table, sensitive="ill", public="town", weights="w", confidence=0.95)


def test_the_frontier_is_that_of_the_weights():
    table = survey()
    chosen = {"sensitive": "ill", "public": "age"}
    found = loglift.frontier(table, [0.4], weights="w", **chosen).points[0]
    joint = loglift.Joint.from_table(table, weights="w", **chosen)
    assert found.utility == loglift.frontier(joint, [0.4], utility="columns").points[0].utility
    assert found.leakage <= 0.4


def test_explanation_and_evaluation_take_weights():
    table = survey()
    made = protected(table, explain=True, evaluate=True, passthrough="region")
    counted = made.evaluation.attacks[0].counting
    assert max(counted.rise.released, counted.fall.released) <= math.exp(0.4) * (1 + 1e-9)
    assert sum(limit.records_with for limit in made.explanation.limits) <= 900
    assert made.passthrough_audit.weights == "w"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": None, "both": True}, "name the weights"),
        ({"weights": 3}, "must be the name of a column"),
        ({"confidence": 0.95}, "leave weights"),
        ({"weights": "wieght"}, "has no column 'wieght'"),
        ({"weights": "ill"}, "as sensitive and as weights"),
        ({"weights": "region"}, "not finite numbers"),
    ],
)
def test_bad_weights_are_refused(options, message):
    with pytest.raises((InputError, TableError), match=message):
        protected(survey(size=60), **options)


def test_the_record_and_the_summary_name_the_weights(tmp_path):
    made = protected(survey(), both=True)
    said = " ".join(map(str, made.summary.statements))
    assert "Weighted by w. Shares are sums of w" in said
    assert "beyond the bound" not in said
    alone = " ".join(map(str, protected(survey()).summary.statements))
    assert "beyond the bound: --both bounds that, too" in alone
    made.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "population that the survey stands for" in page
    assert "also bounded where every record counts the same" in page


def test_other_weights_are_a_difference():
    table = survey()
    found = loglift.diff(protected(table, weights=None).mechanism, protected(table).mechanism)
    assert [(each.name, each.before, each.after) for each in found.settings] == [
        ("weights", None, "w")
    ]
