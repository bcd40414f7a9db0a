"""The bar of the paper's reproduction: every number it prints."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from loglift import InputError
from loglift.paper import reproduction
from loglift.paper.printed import read_data
from loglift.paper.reproduction import _std_point, reproduce


@pytest.fixture(scope="module")
def full():
    return reproduce(draws=1000, seed=0)


def test_every_point_is_within_three_standard_errors(full):
    judged = [point for point in full.points if point.note is None]
    assert len(judged) == 3 * 2 * 10 + 2 * 2 * 10 - 1
    off = [point for point in judged if not point.agrees]
    assert off == []


def test_without_sampling_error_values_agree_exactly(full):
    exact = [point for point in full.points if point.z is None]
    assert {(point.method, point.eps) for point in exact} == {("complete", 0.25)}
    assert all(abs(point.paper - point.ours) <= 1e-9 for point in exact)


def test_the_contradiction_of_the_paper_is_shown(full):
    [point] = [point for point in full.points if point.note is not None]
    assert (point.figure, point.method, point.eps) == ("PUT", "greedy", 0.25)
    assert abs(point.z) > 10
    [privacy] = [other for other in full.series("Privacy", "greedy", "mean") if other.eps == 0.25]
    assert point.ours == pytest.approx(privacy.paper, abs=0.003)


def test_z_is_the_difference_in_standard_errors_of_two_samples(full):
    point = full.series("NMIL", "greedy", "mean")[3]
    ours = full.series("NMIL", "greedy", "std")[3].ours
    paper = read_data("figures")["figures"]["greedy"]["nmil"]["std"][3]
    error = math.sqrt((ours**2 + paper**2) / 1000)
    assert point.z == pytest.approx((point.ours - point.paper) / error)


def test_z_of_a_standard_deviation_is_scaled_by_simulation():
    """Two samples of the same law: z of their standard deviations has variance one."""
    rng = np.random.default_rng(0)
    zs = [
        _std_point(
            "NMIL", "greedy", 1.0, rng.gamma(4, size=1000).std(ddof=1), rng.gamma(4, size=1000)
        ).z
        for _ in range(2000)
    ]
    assert np.std(zs) == pytest.approx(1, abs=0.1)


def test_a_perturbed_experiment_is_noticed(monkeypatch):
    """Joints of another law do not reproduce the paper: the comparison can fail."""

    def squared(draws, seed):
        entries = np.random.default_rng(seed).random((draws, 20, 13)) ** 2
        yield entries / entries.sum(axis=(1, 2), keepdims=True)

    monkeypatch.setattr(reproduction, "draw_stacks", squared)
    points = reproduction.reproduce(draws=200).points
    assert sum(not point.agrees for point in points) > 50


def test_the_json_form_round_trips(full):
    data = json.loads(json.dumps(full.as_dict()))
    own = {"others", "other_draws"}
    assert set(data) == {"points", "example1", "table1", "draws", "seed", "seconds"} | own
    required = {"figure", "method", "eps", "statistic", "paper", "ours", "z"}
    assert all(required <= set(point) for point in data["points"])
    assert data["draws"] == 1000


@pytest.mark.parametrize("draws", [2, 3, 5])
def test_a_handful_of_draws_is_enough_to_compare(draws):
    assert len(reproduce(draws=draws).points) == 100


def test_progress_is_told_in_joints():
    told = []
    reproduce(5, methods=["search"], other_draws=2, on_progress=told.append)
    assert [(progress.done, progress.total) for progress in told] == [(5, 7), (6, 7), (7, 7)]


@pytest.mark.parametrize(
    "arguments",
    [{"draws": 1}, {"draws": -5}, {"draws": 10**10}, {"draws": 2.5}, {"seed": -1}, {"seed": None}],
)
def test_bad_arguments_are_refused(arguments):
    with pytest.raises(InputError):
        reproduce(**arguments)
