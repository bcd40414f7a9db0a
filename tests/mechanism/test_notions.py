"""All notions of a table and of its release, against plain functions on its records."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import loglift
from known import table_joint
from loglift import Joint
from loglift.measures import log_lift
from loglift.mechanism.notions import Notions
from naive import notions as naive_notions, records_of
from strategies import count_joints

LEVELS = ["some", "none", "many"] * 4
JOBS = ["clerk", "nurse", "smith", "pilot"]


def table(seed=0, records=400):
    """Jobs, numbers of children and weights; a smith has no more than two children."""
    rng = np.random.default_rng(seed)
    jobs = rng.integers(0, 4, records)
    children = rng.integers(0, 4 + (jobs == 0), records)
    children = np.where(jobs == 2, np.minimum(children, 2), children)
    weights = rng.integers(1, 6, records) / 2
    return pd.DataFrame({"job": [JOBS[j] for j in jobs], "children": children, "weight": weights})


def check(notions, pairs, order=None):
    """Compare every figure with the plain function; None and "no order" included."""
    expected = naive_notions(pairs, order)
    assert set(expected) == {field.name for field in fields(notions)}
    for name, figure in expected.items():
        found = getattr(notions, name)
        assert found == (figure if figure is None else pytest.approx(figure, abs=1e-9)), name


@given(count_joints())
def test_every_figure_equals_a_count_over_records(counts):
    pairs = records_of(counts, range(len(counts)))
    order = range(counts.shape[1])
    check(Notions.of(table_joint(counts)), pairs, order)


def test_a_table_before_and_after():
    frame = table()
    release = loglift.protect(frame, sensitive="children", public="job", eps=1.5)
    order = sorted(frame["children"].unique())
    check(release.audit.notions, zip(frame["job"], frame["children"], strict=True), order)
    assert math.isinf(release.audit.notions.delta)
    block = dict(zip(release.mechanism.public, release.mechanism.labels.tolist(), strict=True))
    shown = frame["job"].map(block)
    check(release.notions, zip(shown, frame["children"], strict=True), order)
    assert release.notions.delta == pytest.approx(release.certificate.leakage)
    assert release.notions.delta <= 1.5


def test_draws_have_expected_figures_and_a_random_k():
    frame = table()
    options = {"sensitive": "children", "public": "job", "eps": 0.8, "method": "randomized"}
    release = loglift.protect(frame, **options)
    joint = release.audit.joint
    expected = release.mechanism.release(joint)
    assert release.notions.k is None
    assert release.notions.delta == pytest.approx(np.abs(log_lift(expected)).max())
    assert release.notions.delta <= 0.8 + 1e-9
    assert release.notions.t == pytest.approx(Notions.of(expected).t)
    assert release.notions.t_ordered is not None


def test_with_survey_weights_k_counts_records_and_shares_are_weighted():
    frame = table()
    audit = loglift.audit(frame, sensitive="children", public="job", weights="weight")
    repeated = frame.loc[frame.index.repeat((2 * frame["weight"]).astype(int))]
    order = sorted(frame["children"].unique())
    pairs = list(zip(repeated["job"], repeated["children"], strict=True))
    expected = naive_notions(pairs, order) | {"k": min(Counter(frame["job"]).values())}
    assert expected["k"] < min(Counter(job for job, _ in pairs).values())
    for name, figure in expected.items():
        assert getattr(audit.notions, name) == pytest.approx(figure), name


@pytest.mark.parametrize(
    ("children", "ordered"),
    [
        (
            pd.Categorical(["some", "none", "many"] * 4, ["none", "some", "many"], ordered=True),
            True,
        ),
        (pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"] * 4), True),
        (["some", "none", "many"] * 4, False),
        ([1.5, 2.5, None] * 4, False),
    ],
    ids=["ordered categories", "dates", "texts", "NULL"],
)
def test_the_ordered_distance_needs_an_order(children, ordered):
    frame = pd.DataFrame({"job": list("aaabcbcabbca"), "children": children})
    audit = loglift.audit(frame, sensitive="children", public="job")
    if not ordered:
        assert audit.notions.t_ordered is None
        return
    order = list(children.categories) if hasattr(children, "categories") else sorted(set(children))
    pairs = zip(frame["job"], frame["children"], strict=True)
    assert audit.notions.t_ordered == pytest.approx(naive_notions(pairs, order)["t_ordered"])


def test_bands_are_ordered_and_combined_values_are_not():
    frame = table()
    options = {"sensitive": "children", "public": "job"}
    banded = loglift.audit(frame, bins={"children": [1, 3]}, **options)
    bands = np.digitize(frame["children"], [1, 3])
    pairs = zip(frame["job"], bands, strict=True)
    assert banded.notions.t_ordered == pytest.approx(naive_notions(pairs, [0, 1, 2])["t_ordered"])
    combined = loglift.audit(frame, combine={"children": [[3, 4]]}, **options)
    assert combined.notions.t_ordered is None


def test_each_of_several_variables_counts_on_its_own():
    frame = table().assign(ill=lambda of: np.where(of.index % 3 == 0, "yes", "no"))
    options = {"public": "job", "sensitive": ["children", "ill"]}
    apart = loglift.audit(frame, each=True, **options).notions
    together = loglift.audit(frame, **options).notions
    single = [loglift.audit(frame, public="job", sensitive=s).notions for s in ("children", "ill")]
    assert apart.distinct_l == min(one.distinct_l for one in single)
    assert apart.entropy_l == pytest.approx(min(one.entropy_l for one in single))
    assert apart.t_ordered == single[0].t_ordered
    for name in ("t", "beta", "delta", "l1_lift", "chi_squared_lift", "average_log_lift"):
        assert getattr(apart, name) == pytest.approx(max(getattr(one, name) for one in single))
    assert together.t_ordered is None
    assert together.t >= apart.t - 1e-12


def test_a_joint_that_is_not_counted_has_no_k():
    found = Notions.of(Joint(np.array([[0.2, 0.3], [0.4, 0.1]])))
    assert found.k is None
    assert found.t == pytest.approx(0.2)
    assert found.t_ordered is None
