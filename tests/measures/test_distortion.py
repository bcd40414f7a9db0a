from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from loglift import MechanismError
from loglift.measures import f_information, hamming_distortion, mutual_information
from strategies import channelled


@given(channelled())
def test_f_information_equals_a_sum_over_cells(case):
    joint, channel = case
    p = joint.sum(axis=1) / joint.sum()
    out = p @ channel
    variation, chi = 0.0, 0.0
    for x in range(len(p)):
        for y in range(len(out)):
            together, apart = p[x] * channel[x, y], p[x] * out[y]
            variation += abs(together - apart) / 2
            chi += (together - apart) ** 2 / apart if apart > 0 else 0
    assert f_information(p, channel, "total-variation") == pytest.approx(variation, abs=1e-12)
    assert f_information(p, channel, "chi-squared") == pytest.approx(chi, abs=1e-12)
    assert f_information(p, channel, "kl") == mutual_information(p, channel)


@given(channelled())
def test_pinsker_and_chi_squared_inequalities(case):
    joint, channel = case
    p = joint.sum(axis=1)
    information = f_information(p, channel, "kl")
    assert f_information(p, channel, "total-variation") <= np.sqrt(information / 2) + 1e-9
    assert information <= np.log1p(f_information(p, channel, "chi-squared")) + 1e-9


@given(channelled())
def test_no_reading_beats_the_likeliest_value(case):
    joint, channel = case
    p = joint.sum(axis=1)
    best = hamming_distortion(p, channel)
    rng = np.random.default_rng(0)
    for _ in range(5):
        reading = rng.integers(0, len(p), channel.shape[1])
        assert best <= hamming_distortion(p, channel, reading) + 1e-12


def test_hamming_distortion_of_identity_and_of_the_watchdog():
    p = [0.5, 0.3, 0.2]
    assert hamming_distortion(p, np.eye(3), [0, 1, 2]) == 0
    merged = [[1, 0], [0, 1], [0, 1]]
    assert hamming_distortion(p, merged, [0, 1]) == pytest.approx(0.2)
    assert hamming_distortion(p, merged, [0, 2]) == pytest.approx(0.3)


@pytest.mark.parametrize("stands_for", [[0], [0, 9], [-1, 0], [0.5, 1], "ab", [[1], [1, 2]]])
def test_bad_readings_are_refused(stands_for):
    with pytest.raises(MechanismError, match="stands_for"):
        hamming_distortion([1, 1], np.eye(2), stands_for)


def test_unknown_divergence_is_refused():
    for name in ("hellinger", None, np.ones(2)):
        with pytest.raises(MechanismError, match="total-variation"):
            f_information([1, 1], np.eye(2), name)
