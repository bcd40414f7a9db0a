"""Estimates from a randomized release cover the truth as often as their errors say."""

from __future__ import annotations

import importlib

import numpy as np
import polars as pl
import pytest

import loglift
from loglift import InputError, TableError
from loglift.mechanism import channel as channel_module
from loglift.sparse import apart

estimating = importlib.import_module("loglift.release.estimate")

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


@pytest.fixture(scope="module")
def in_parts():
    """A release of 60 values, whose channel has parts that share no released value."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loglift.randomizing.task.MAX_WHOLE_VALUES", 10)
        patch.setattr("loglift.randomizing.parts.PART_VALUES", 8)
        rng = np.random.default_rng(0)
        code = rng.integers(60, size=6000)
        ill = rng.random(6000) < 0.2 + 0.6 * rng.random(60)[code]
        table = pl.DataFrame({"code": [f"v{c:02}" for c in code], "ill": ill})
        options = {"sensitive": "ill", "public": "code", "method": "randomized"}
        return [loglift.protect(table, eps=eps, draw_seed=1, **options) for eps in (0.1, 0.0)]


@pytest.mark.parametrize("population", [False, True])
@pytest.mark.parametrize("method", [None, "inverse", "posterior"])
@pytest.mark.parametrize("step", [1, 20, 200])
def test_parts_are_estimated_as_the_whole_channel(monkeypatch, in_parts, method, population, step):
    """The formulas of the module, with dense matrices."""
    monkeypatch.setattr(estimating, "MIN_PART_VALUES", step)
    made = in_parts[0]
    channel = made.mechanism.exact_channel
    assert len(apart(channel.cells())) > 3
    got = loglift.estimate(made, made, method=method, population=population)
    p_y, n = channel.probabilities(), 60
    names = made.mechanism.released[-1].values
    records = dict(made.table["code"].value_counts().rows())
    shares = np.array([records.get(name, 0) for name in names]) / 6000
    assert np.linalg.matrix_rank(p_y) == n
    weights = channel.posterior() if method == "posterior" else np.linalg.pinv(p_y)
    likely = np.full(n, 1 / n)
    for _ in range(200):
        likely = likely * (
            p_y[:, shares > 0] @ (shares / np.fmax(likely @ p_y, 1e-300))[shares > 0]
        )
    likely = (6000 * likely + 4 / n) / 6004
    variance = likely @ np.maximum(p_y @ weights**2 - (p_y @ weights) ** 2, 0)
    if population:
        estimated = (6000 * (shares @ weights) + 4 / n) / 6004
        p = estimated if method == "posterior" else likely
        variance = variance + p * (1 - p)
    assert got.method == (method or "inverse")
    np.testing.assert_allclose(got.shares, shares @ weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(got.errors**2, variance / 6000, rtol=1e-9, atol=1e-16)


@pytest.mark.parametrize("step", [1, 200])
def test_parts_without_an_inverse_leave_the_whole_without_one(monkeypatch, in_parts, step):
    monkeypatch.setattr(estimating, "MIN_PART_VALUES", step)
    assert loglift.estimate(in_parts[1], in_parts[1]).method == "posterior"
    with pytest.raises(InputError, match="no inverse"):
        loglift.estimate(in_parts[1], in_parts[1], method="inverse")


def test_only_a_part_that_is_too_large_is_refused(monkeypatch, in_parts):
    made = in_parts[0]
    expected = loglift.estimate(made, made)
    largest = max(x.size * y.size for x, y in apart(made.mechanism.exact_channel.cells()))
    monkeypatch.setattr(estimating, "MIN_PART_VALUES", 1)
    for module in (estimating, channel_module):
        monkeypatch.setattr(module, "MAX_CHANNEL_CELLS", largest)
    with pytest.raises(loglift.MechanismError, match="too many to hold"):
        made.mechanism.exact_channel.probabilities()
    found = loglift.estimate(made, made)
    np.testing.assert_allclose(found.shares, expected.shares, rtol=0, atol=1e-12)
    monkeypatch.setattr(estimating, "MAX_CHANNEL_CELLS", largest - 1)
    with pytest.raises(InputError, match=r"public values share .* release fewer public values"):
        loglift.estimate(made, made)
