"""Estimates from a randomized release cover the truth as often as their errors say."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import loglift
from loglift import InputError, TableError

JOBS = np.array([f"job{j}" for j in range(6)])


def people(shares, size=2000, seed=3):
    rng = np.random.default_rng(seed)
    job = rng.choice(6, size=size, p=shares)
    ill = rng.random(size) < 0.1 + 0.15 * job
    return pl.DataFrame({"job": JOBS[job], "ill": ill})


HERE = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
ELSEWHERE = HERE[::-1].copy()


@pytest.fixture(scope="module")
def made():
    return loglift.protect(
        people(HERE), sensitive="ill", public="job", eps=0.3, method="randomized", draw_seed=0
    )


def truth(table):
    counts = dict(table["job"].value_counts().rows())
    return np.array([counts.get(job, 0) for job in JOBS]) / table.height


def scores(made, tables, target, **options):
    """Return the errors of many releases in standard errors; exact shares are left out."""
    found = []
    for seed, table in enumerate(tables):
        got = loglift.estimate(made, loglift.apply(made, table, draw_seed=seed), **options)
        assert list(got.values) == list(JOBS)
        exact = got.errors < 1e-9
        assert np.abs(got.shares - target(table))[exact] == pytest.approx(0, abs=1e-9)
        found.append(((got.shares - target(table)) / np.where(exact, np.inf, got.errors))[~exact])
    return np.concatenate(found)


@pytest.mark.parametrize("shares", [HERE, ELSEWHERE], ids=["here", "elsewhere"])
def test_the_inverse_covers_the_records_of_any_table(made, shares):
    got = scores(made, [people(shares, seed=9)] * 150, truth)
    assert 0.93 <= (np.abs(got) < 1.96).mean() <= 0.97
    assert abs(got.mean()) < 5 / np.sqrt(got.size)


def test_with_population_it_covers_what_the_records_are_a_sample_of(made):
    tables = [people(ELSEWHERE, seed=100 + i) for i in range(150)]
    got = scores(made, tables, lambda _: ELSEWHERE, method="inverse", population=True)
    assert 0.93 <= (np.abs(got) < 1.96).mean() <= 0.97


def test_the_posterior_covers_the_table_the_mechanism_was_made_from(made):
    got = scores(made, [people(HERE)] * 150, truth, method="posterior")
    assert 0.93 <= (np.abs(got) < 1.96).mean() <= 0.97
    assert loglift.estimate(made, made.table, method="posterior").method == "posterior"


def test_without_an_inverse_it_is_the_posterior():
    made = loglift.protect(
        people(HERE), sensitive="ill", public="job", eps=0.0, method="randomized"
    )
    got = loglift.estimate(made, made)
    assert got.method == "posterior"
    assert (np.abs(got.shares - truth(people(HERE))) < 5 * got.errors).all()
    with pytest.raises(InputError, match="no inverse"):
        loglift.estimate(made, made, method="inverse")


def test_files_and_several_columns_are_read_too(tmp_path):
    table = people(HERE).with_columns(pl.col("job").str.slice(3).cast(pl.Int64).alias("n"))
    made = loglift.protect(
        table, sensitive="ill", public=["job", "n"], eps=0.3, method="randomized"
    )
    (tmp_path / "mechanism.json").write_text(made.mechanism.to_json(), "utf-8")
    made.table.write_csv(tmp_path / "released.csv")
    got = loglift.estimate(tmp_path / "mechanism.json", tmp_path / "released.csv")
    assert got.shares.tolist() == loglift.estimate(made, made).shares.tolist()
    assert got.values[0] == ("job0", 0)


def test_another_table_is_refused(made):
    with pytest.raises(TableError, match="never releases"):
        loglift.estimate(made, pl.DataFrame({"job": ["pilot"]}))
    with pytest.raises(InputError, match="'inverse' or 'posterior'"):
        loglift.estimate(made, made, method="bayes")


@pytest.mark.parametrize("eps", [0.0, 0.05, 0.2, 0.5])
@pytest.mark.parametrize("records", [60, 300])
def test_the_posterior_of_a_sample_covers_its_population(eps, records):
    """p(x|y) is of the same sample: at eps 0 the estimate is the sample's share, whatever is drawn.

    As often as a normal law has it, 1.96 errors cover; few records have a little less.
    """
    covered = []
    for seed in range(60):
        made = loglift.protect(
            people(HERE, records, seed),
            sensitive="ill",
            public="job",
            eps=eps,
            method="randomized",
            draw_seed=seed,
        )
        got = loglift.estimate(made, made, method="posterior", population=True)
        share = dict(zip(JOBS, HERE, strict=True))
        truths = np.array([share[job] for job in got.values])
        assert (got.errors > 0.5 * np.sqrt(truths * (1 - truths) / records)).all()
        covered.extend(np.abs(got.shares - truths) <= 1.96 * got.errors)
    assert 0.92 <= np.mean(covered) <= 0.99


@pytest.mark.parametrize(
    ("method", "population"), [("inverse", False), ("inverse", True), ("posterior", False)]
)
@pytest.mark.parametrize("records", [50, 200, 1000])
def test_no_error_is_zero_where_the_draws_moved_the_estimate(made, records, method, population):
    """An estimate is off where it is not its mean, over the draws or over samples too.

    As often as a normal law has it, 1.96 errors cover how far; few records have a little less.
    """
    channel, names = (
        made.mechanism.exact_channel.probabilities(),
        made.mechanism.released[-1].values,
    )
    weights = (
        np.linalg.inv(channel) if method == "inverse" else made.mechanism.exact_channel.posterior()
    )
    rng, moved, covered = np.random.default_rng(records), 0, 0
    for _ in range(500):
        jobs = rng.multinomial(records, HERE)
        shown = sum(map(rng.multinomial, jobs, channel))
        released = pl.DataFrame({"job": np.repeat(names, shown)})
        got = loglift.estimate(made, released, method=method, population=population)
        mean = (HERE if population else jobs / records) @ channel @ weights
        off = np.abs(got.shares - mean) > 1e-9
        moved += off.sum()
        covered += (np.abs(got.shares - mean) <= 1.96 * got.errors)[off].sum()
        assert (got.errors[off] > 1e-6).all()
        assert got.shares == pytest.approx(shown / records @ weights)
    assert moved > 500
    assert {50: 0.88, 200: 0.92, 1000: 0.93}[records] <= covered / moved <= 0.97
