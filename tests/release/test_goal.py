"""The goal of a release: defaults, purposes, importance, taxonomies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import loglift
from loglift import Target, UnsafeError, Utility, UtilityError


def people(size=2000, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 70, size)
    town = rng.choice(["Brandon", "Regina", "Saskatoon", "Toronto", "Ottawa"], size)
    ill = rng.random(size) < np.where(age > 50, 0.5, 0.25)
    return pd.DataFrame(
        {
            "age": age,
            "town": town,
            "zip": rng.integers(100, 105, size),
            "ill": np.where(ill, "yes", "no"),
            "income": 1000 * age + rng.integers(0, 9000, size),
            "car": np.where(rng.random(size) < age / 80, "car", "none"),
        }
    )


def protected(public, **options):
    return loglift.protect(people(), sensitive="ill", public=public, eps=0.4, **options)


def names(release, joint):
    return [target.name for target in release.mechanism.goal.on(joint)]


def joint_of(public):
    return loglift.Joint.from_table(people(), sensitive="ill", public=public)


@pytest.mark.parametrize(
    ("public", "options", "is_joint"),
    [
        ("town", {}, True),
        ("age", {}, False),
        (["age", "town"], {}, False),
        (["age", "town"], {"utility": "joint"}, True),
        ("town", {"utility": "columns"}, False),
        ("town", {"purposes": "car"}, False),
    ],
)
def test_several_columns_or_an_ordered_one_keep_their_columns(public, options, is_joint):
    assert protected(public, **options).mechanism.goal.is_joint is is_joint


def test_a_release_that_is_certified_for_the_population_keeps_whole_rows():
    release = loglift.protect(
        people(20_000), sensitive="ill", public=["town", "zip"], eps=1, confidence=0.9
    )
    assert release.mechanism.goal.is_joint
    with pytest.raises(UtilityError, match="certified"):
        protected(["town", "zip"], confidence=0.9, utility="columns")


def test_unordered_numbers_have_no_bands():
    joint = joint_of(["age", "zip"])
    assert "zip in 4 bands" in names(protected(["age", "zip"]), joint)
    plain = names(protected(["age", "zip"], unordered="zip"), joint)
    assert {"zip", "age in 4 bands"} <= set(plain)
    assert "zip in 4 bands" not in plain


def test_importance_keeps_more_of_a_column():
    shares = {}
    for weight in (0.1, 20):
        release = protected(["age", "town", "zip"], importance={"town": weight})
        shares[weight] = next(c.information for c in release.columns if c.name == "town")
    assert shares[20] > shares[0.1]


def test_a_purpose_is_kept_better_when_it_is_named():
    """What the release says about a column that is not released, by its own crosstab."""
    frame = people()

    def told(release):
        block = release.mechanism.rows_of(list(zip(frame["age"], frame["town"], strict=True)))
        counts = pd.crosstab(block, frame["car"]).to_numpy()
        shares = counts / counts.sum()
        both = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0)
        return float((shares[shares > 0] * np.log(shares[shares > 0] / both[shares > 0])).sum())

    plain = loglift.protect(frame, sensitive="ill", public=["age", "town"], eps=0.4)
    named = loglift.protect(frame, sensitive="ill", public=["age", "town"], eps=0.4, purposes="car")
    assert told(named) > told(plain)


def test_a_purpose_of_many_numbers_is_cut_into_bands():
    release = protected(["age", "town"], purposes=["income", "town"])
    targets = {target.name: target for target in release.mechanism.goal.targets}
    assert set(targets) == {"income", "town"}
    assert targets["income"].table.shape[1] <= 16
    assert targets["town"].weight > targets["income"].weight > 1  # some of it is chance


def test_a_purpose_that_is_chance_hardly_weighs():
    """Where public values have one record each, what they say about a purpose is noise."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": np.arange(400) // 2, "b": rng.integers(0, 9, 400)})
    frame = frame.assign(ill=rng.integers(0, 2, 400), coin=rng.integers(0, 2, 400))
    release = loglift.protect(frame, sensitive="ill", public=["a", "b"], eps=1.5, purposes="coin")
    weights = {target.name: target.weight for target in release.certificate.targets}
    assert weights["coin"] < 0.3 < weights["whole rows"]


def test_a_sensitive_column_is_no_purpose():
    with pytest.raises(loglift.InputError, match="sensitive"):
        protected("age", purposes="ill")


def test_a_taxonomy_names_the_blocks_that_are_its_nodes(tmp_path):
    file = tmp_path / "towns.csv"
    file.write_text(
        "Brandon;Prairie towns;Canada\nRegina;Prairie towns;Canada\n"
        "Saskatoon;Prairie towns;Canada\nToronto;Ontario;Canada\nOttawa;Ontario;Canada\n"
    )
    frame = people()
    frame["ill"] = np.where(frame["town"].isin(["Regina", "Brandon"]), "yes", "no")
    frame.loc[(frame["town"] == "Saskatoon") & (np.arange(len(frame)) % 3 > 0), "ill"] = "no"
    release = None
    for eps in (0.3, 0.5, 0.7, 0.9, 1.1):
        try:
            release = loglift.protect(
                frame, sensitive="ill", public="town", eps=eps, taxonomies={"town": file}
            )
        except UnsafeError:
            continue
        blocks = {frozenset(block) for block in release.mechanism.blocks}
        shown = set(release.table["town"])
        prairie = frozenset({"Brandon", "Regina", "Saskatoon"})
        assert ("Prairie towns" in shown) == (prairie in blocks)
    assert release is not None
    assert "town in groups" in names(release, release.audit.joint)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"importance": {"car": 2}}, "not a public column"),
        ({"importance": {"age": -1}}, "at least 0"),
        ({"importance": "age"}, "must map columns"),
        ({"taxonomies": {"car": {"a": "b"}}}, "not a public column"),
        ({"unordered": "car"}, "not a public column"),
        ({"utility": "joint", "purposes": "car"}, "--for"),
        ({"utility": "joint", "importance": {"age": 2}}, "--importance"),
        ({"utility": Utility.columns(), "unordered": "age"}, "--unordered"),
        ({"confidence": 0.9, "purposes": "car"}, "--for"),
    ],
)
def test_what_does_not_go_together_is_refused(options, message):
    with pytest.raises(UtilityError, match=message):
        protected(["age", "town"], **options)


def test_a_utility_of_ones_own_is_taken():
    own = Utility.of([Target.column("town")])
    assert protected(["age", "town"], utility=own).mechanism.goal is own


def test_a_purpose_is_not_sensitive():
    with pytest.raises(loglift.TableError, match=r"purpose \(--for\) 'ill' is sensitive: name"):
        protected(["age", "town"], purposes="ill")
