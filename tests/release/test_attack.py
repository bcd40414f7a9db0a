"""Attacks by readers who know more and on single values, against slow counting."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import loglift
import naive
from evaluated_people import PUBLIC, people
from loglift.errors import InputError, MechanismError, TableError


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
