"""protect, apply and verify with a randomized mechanism, judged from files and rows alone."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import polars as pl
import pytest

import loglift
from loglift import Bound, InputError, TableError, UnsafeError
from loglift.tables.noise import Noise
from released import fit, lifts, read

UPWARDS = Bound(math.inf, 0.3)


def people(size=4000, seed=5):
    rng = np.random.default_rng(seed)
    job, town = rng.integers(5, size=size), rng.integers(3, size=size)
    ill = rng.random(size) < 0.1 + 0.12 * job + 0.1 * town
    rich = rng.random(size) < 0.7 - 0.1 * job
    return pl.DataFrame(
        {
            "job": [f"job{j}" for j in job],
            "town": town,
            "ill": np.where(ill, "yes", "no"),
            "rich": rich,
            "person": rng.integers(size // 4, size=size),
        }
    )


def protected(table, **options):
    chosen = {"sensitive": "ill", "public": "job", "eps": 0.25} | options
    return loglift.protect(table, method="randomized", **chosen)


def pairs(table, public, sensitive):
    return list(zip(table.select(public).rows(), table.select(sensitive).rows(), strict=True))


@pytest.mark.parametrize(
    ("options", "bound"),
    [
        ({"public": ["job"]}, Bound.symmetric(0.25)),
        ({"public": ["job", "town"]}, Bound.symmetric(0.25)),
        ({"public": ["job", "town"], "eps": None, "bound": UPWARDS}, UPWARDS),
        ({"public": ["job", "town"], "eps": 0.0}, Bound.symmetric(0.0)),
        ({"public": ["job", "town"], "min_count": 300}, Bound.symmetric(0.25)),
        ({"public": ["job", "town"], "intact": "town", "eps": 0.35}, Bound.symmetric(0.35)),
        (
            {"public": ["job", "town"], "intact": "town", "known": "rich", "eps": 0.4},
            Bound.symmetric(0.4),
        ),
        (
            {"public": ["job", "town"], "intact": "town", "eps": None, "bound": UPWARDS},
            UPWARDS,
        ),
        (
            {"public": ["job", "town"], "sensitive": ["ill", "rich"], "each": True},
            Bound.symmetric(0.25),
        ),
        ({"public": ["job"], "sensitive": ["ill", "rich"]}, Bound.symmetric(0.25)),
    ],
)
def test_every_channel_is_inside_the_bound_as_its_file_says_it(options, bound):
    table = people()
    result = protected(table, **options)
    text, sensitive = result.mechanism.to_json(), options.get("sensitive", "ill")
    records = pairs(table, options["public"], sensitive)
    for which in range(len(sensitive) if options.get("each") else 1):
        if not options.get("each"):
            records = [(x, (s,)) for x, s in records]
        found = lifts(text, records, which).values()
        # float(e^eps) may be rounded up: the certificate itself knows e^eps to 48 digits.
        assert max(found) <= np.nextafter(math.exp(bound.upper), math.inf)
        assert math.isinf(bound.lower) or min(found) >= np.nextafter(math.exp(-bound.lower), 0)
    assert result.certificate.holds
    assert result.certificate.leakage <= max(bound.upper, 0.25) + 1e-12 or math.isinf(bound.lower)
    assert result.certificate.upper_bound >= result.certificate.goal_kept - 1e-9
    assert loglift.verify(result.mechanism, table).holds


def test_it_keeps_more_than_merging():
    table = people()
    for utility in ("joint", "columns"):
        options = {"public": ["job", "town"], "eps": 0.2, "utility": utility}
        merged = loglift.protect(table, sensitive="ill", **options)
        drawn = protected(table, **options)
        assert drawn.certificate.goal_kept > merged.certificate.goal_kept
        assert drawn.certificate.goal_kept == pytest.approx(drawn.mechanism.utility)
        assert drawn.certificate.utility == pytest.approx(drawn.mechanism.information)


def test_min_count_is_of_expected_records():
    table = people()
    result = protected(table, public=["job", "town"], min_count=300)
    _, given, _ = read(result.mechanism.to_json())
    sizes = dict(table.group_by("job", "town").len().rows_by_key(["job", "town"], unique=True))
    assert result.mechanism.size > 1
    for y in range(result.mechanism.size):
        expected = sum(
            row.get(y, 0) * int(np.ravel(sizes[value])[0])
            for value, row in zip(result.mechanism.tuples, given, strict=True)
        )
        assert expected >= 300


def test_a_million_rows_are_drawn_as_the_file_says(tmp_path):
    """Through DuckDB, row by row in order, and from counts alone."""
    table = people(1_000_000)
    table.write_parquet(tmp_path / "people.parquet")
    path = tmp_path / "people.parquet"
    result = protected(path, keep_order=True, draw_seed=1)
    text, [column] = result.mechanism.to_json(), result.mechanism.released
    xs = [(job,) for job in table["job"].to_list()]
    ys = [value for (value,) in result.table.fetchall()]
    assert 1e-4 < fit(text, xs, ys, column.values) < 1 - 1e-4
    shuffled = loglift.apply(result, path, draw_seed=2)
    shares = loglift.estimate(result, shuffled)
    truth = np.array([table["job"].to_list().count(value) for value in shares.values]) / 1e6
    assert np.abs(shares.shares - truth).max() < 5 * shares.errors.max()
    assert shares.records == 1_000_000


def test_the_same_key_gets_the_same_answer_and_another_release_another_one():
    table = people()
    first = protected(table, key="person", keep_order=True).table
    both = table.select("person", "job").with_columns(first["job"].alias("shown"))
    assert both.group_by("person", "job").agg(pl.col("shown").n_unique())["shown"].max() == 1
    assert both.group_by("job").agg(pl.col("shown").n_unique())["shown"].max() > 1
    second = protected(table, key="person", keep_order=True).table
    assert not first.equals(second)
    assert not protected(table, keep_order=True).table.equals(
        protected(table, keep_order=True).table
    )


def test_a_seed_repeats_the_draws_and_is_flagged():
    table = people()
    result = protected(table, draw_seed=7, keep_order=True)
    assert result.table.equals(protected(table, draw_seed=7, keep_order=True).table)
    assert result.certificate.draws.seeded
    assert "Do not publish" in result.certificate.draws.note
    assert not protected(table).certificate.draws.seeded
    assert protected(table, key="person").certificate.draws.key == "person"


def test_unseen_values_are_refused_or_suppressed():
    result = protected(people())
    new = pl.DataFrame({"job": ["job1", "pilot", "job2", "pilot"]})
    with pytest.raises(TableError, match="not seen"):
        loglift.apply(result, new)
    shown = loglift.apply(result, new, unseen="suppress", keep_order=True)["job"].to_list()
    assert shown[1] == shown[3] == "(suppressed)"
    assert "(suppressed)" not in (shown[0], shown[2])
    with pytest.raises(InputError, match="no block for unseen"):
        loglift.apply(result, new, unseen="merge")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"passthrough": "town"}, "--passthrough"),
        ({"over": "high-risk"}, "--over"),
        ({"draw_seed": "x"}, "whole number"),
        ({"key": "nobody"}, "nobody"),
    ],
)
def test_options_that_do_not_go_with_it_are_refused(options, word):
    with pytest.raises(InputError, match=word):
        protected(people(200), **options)


def test_drawing_options_do_not_go_with_merging():
    table = people(200)
    merged = loglift.protect(table, sensitive="ill", public="job", eps=1)
    with pytest.raises(InputError, match="--key"):
        loglift.protect(table, sensitive="ill", public="job", eps=1, key="person")
    with pytest.raises(InputError, match="--draw-seed"):
        loglift.apply(merged, table, draw_seed=1)
    with pytest.raises(InputError, match="draws none"):
        loglift.estimate(merged, merged.table)


def test_an_empty_key_is_refused():
    table = people(200).with_columns(
        pl.when(pl.col("person") > 10).then(pl.col("person")).alias("person")
    )
    with pytest.raises(TableError, match="empty in"):
        protected(table, key="person")


def test_nothing_shows_the_secret(monkeypatch):
    secret = bytes(range(32))
    monkeypatch.setattr(Noise, "of", classmethod(lambda cls, _: cls(secret)))
    result = protected(people(300))
    shown = [
        repr(result),
        repr(Noise(secret)),
        result.mechanism.to_json(),
        json.dumps(result.certificate.as_dict()),
        str(result.table),
    ]
    assert not any(re.search(secret.hex()[:12], text) for text in shown)


def test_intact_columns_are_shown_as_they_are():
    """Row by row the released town is the town, and the file keeps to it."""
    table = people()
    options = {"public": ["job", "town"], "eps": 0.35}
    result = protected(table, intact="town", keep_order=True, **options)
    assert result.table["town"].to_list() == table["town"].to_list()
    assert (result.table["job"].cast(str) != table["job"]).any()
    assert result.certificate.intact == ("town",)
    assert "intact groups apart" in result.certificate.upper_bound_scope
    assert result.certificate.goal_kept <= result.certificate.upper_bound + 1e-12
    merged = loglift.protect(table, sensitive="ill", intact="town", **options)
    assert result.certificate.goal_kept > merged.certificate.goal_kept
    again = loglift.Mechanism.from_json(result.mechanism.to_json())
    new = loglift.apply(again, table, keep_order=True)
    assert new["town"].to_list() == table["town"].to_list()
    free = protected(table, **options)
    assert result.certificate.goal_kept < free.certificate.goal_kept


def test_an_intact_group_outside_the_bound_is_refused_as_it_is_for_merging():
    table = people().with_columns(
        ill=pl.when(pl.col("town") == 2).then(pl.lit("yes")).otherwise("ill")
    )
    options = {"sensitive": "ill", "public": ["job", "town"], "intact": "town", "eps": 0.25}
    with pytest.raises(UnsafeError) as merged:
        loglift.protect(table, **options)
    with pytest.raises(UnsafeError, match=re.escape(str(merged.value))):
        protected(table, **options)
