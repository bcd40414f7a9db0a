"""The channel of a mechanism file: whole, exact, and refused when it does not fit together."""

from __future__ import annotations

import json

import numpy as np
import pytest

from loglift import Mechanism, MechanismError, protect
from loglift.mechanism.channel import Channel
from loglift.promise.integers import DENOMINATOR
from loglift.sparse import as_cells, dense
from released import read


def people(seed=1, size=3000):
    rng = np.random.default_rng(seed)
    job = rng.integers(6, size=size)
    ill = rng.random(size) < 0.1 + 0.14 * job
    return {
        "job": [f"job{j}" for j in job],
        "ill": np.where(ill, "hidden-yes", "hidden-no").tolist(),
    }


@pytest.fixture(scope="module")
def text():
    import pyarrow as pa  # noqa: PLC0415, like every dataframe library in these tests

    made = protect(pa.table(people()), sensitive="ill", public="job", eps=0.3, method="randomized")
    return made.mechanism.to_json()


def test_rows_add_up_to_one_exactly_and_posteriors_follow_from_them(text):
    values, given, posteriors = read(text)
    jobs = people()["job"]
    assert all(sum(row.values()) == 1 for row in given)
    assert any(len(row) > 1 for row in given)
    for y, shares in enumerate(posteriors):
        mass = {x: jobs.count(v[0]) * given[x].get(y, 0) for x, v in enumerate(values)}
        for x, share in shares.items():
            assert share == pytest.approx(float(mass[x] / sum(mass.values())), rel=1e-12)


def test_a_sparse_channel_is_the_same_as_the_dense_one():
    rng = np.random.default_rng(2)
    for _ in range(20):
        shape = tuple(rng.integers(1, 8, 2))
        numerators = Channel.rounded(rng.random(shape) * (rng.random(shape) < 0.6) + 1e-3)
        weight = rng.integers(1, 50, shape[0])
        found, same = Channel.of(numerators, weight), Channel.of(as_cells(numerators), weight)
        assert found.rows == same.rows
        assert found.posteriors == same.posteriors
        np.testing.assert_array_equal(found.numerators(), numerators)
        np.testing.assert_array_equal(dense(found.cells()), numerators)
        joint = numerators * weight[:, np.newaxis]
        np.testing.assert_allclose(found.posterior(), (joint / joint.sum(axis=0)).T, rtol=1e-12)


def test_the_file_comes_back_the_same_and_holds_nothing_sensitive(text):
    assert Mechanism.from_json(text).to_json() == text
    assert json.loads(text)["version"] == 6
    assert "hidden" not in text
    assert "blocks" not in json.loads(text)


def test_released_values_are_named_by_their_likeliest_values_and_differ(text):
    _, _, posteriors = read(text)
    document = json.loads(text)
    [column] = document["released"]
    assert len(set(column["values"])) == len(posteriors)
    for name, shares in zip(column["values"], posteriors, strict=True):
        likeliest = max(shares, key=shares.get)
        assert name.startswith(document["values"][likeliest][0])
        assert ("%" in name) == (len(shares) > 1)


def damage(change):
    def damaged(document):
        change(document["channel"])
        return document

    return damaged


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["p(y|x)"][0][0].__setitem__(1, c["p(y|x)"][0][0][1] - 1),
        lambda c: c["p(y|x)"][0][0].__setitem__(0, 99),
        lambda c: c["p(y|x)"][0][0].__setitem__(1, 1.5),
        lambda c: c["p(x|y)"][0][0].__setitem__(1, 0.123),
        lambda c: c["p(x|y)"].pop(),
        lambda c: c["p(y|x)"].pop(),
        lambda c: c.__setitem__("denominator", 2**40),
        lambda c: c["p(y|x)"][0].append([0, 0]),
    ],
)
def test_a_damaged_channel_is_refused(text, change):
    document = damage(change)(json.loads(text))
    with pytest.raises(MechanismError, match="damaged"):
        Mechanism.from_json(json.dumps(document))


def test_released_values_that_look_the_same_are_refused(text):
    document = json.loads(text)
    document["released"][0]["values"] = ["x"] * len(document["released"][0]["values"])
    with pytest.raises(MechanismError, match="look the same"):
        Mechanism.from_json(json.dumps(document))


def test_dense_forms_are_p_y_given_x_and_p_x_given_y():
    half = DENOMINATOR // 2
    channel = Channel.of(np.array([[half, half], [0, DENOMINATOR]]), np.array([10, 30]))
    assert channel.probabilities().tolist() == [[0.5, 0.5], [0, 1]]
    assert channel.posterior() == pytest.approx(np.array([[1, 0], [1 / 7, 6 / 7]]))


def test_rounding_leaves_whole_rows_near_the_channel():
    rng = np.random.default_rng(3)
    channel = rng.dirichlet(np.ones(5), size=7)
    whole = Channel.rounded(channel)
    assert (whole.sum(axis=1) == DENOMINATOR).all()
    assert np.abs(whole / DENOMINATOR - channel).max() <= 5 / DENOMINATOR


def test_one_more_public_value_is_always_released_as_one_more_value():
    channel = Channel.of(np.array([[DENOMINATOR]]), np.array([4])).with_one_more(1)
    assert channel.probabilities().tolist() == [[1, 0], [0, 1]]
