"""All measures of a mechanism in one call: each is the function of its name."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from loglift import (
    Joint,
    Measures,
    MechanismError,
    Notions,
    entropy,
    measures,
    merge,
    merge_subsets,
    randomize,
)

COUNTS = np.random.default_rng(0).integers(0, 20, (8, 3)) + 1


@pytest.mark.parametrize("make", [merge, randomize])
def test_every_measure_is_the_one_of_its_name(make):
    made = make(COUNTS, 0.3)
    found, released = made.measures(alpha=3), made.release(COUNTS)
    p = COUNTS.sum(axis=1)
    assert found.sibson_information == measures.sibson_information(released, 3)
    assert found.alpha_leakage == measures.alpha_leakage(released, 3)
    assert found.guessing_gain == measures.alpha_leakage(released, math.inf)
    assert found.alpha_lift == measures.alpha_lift(released, 3).max()
    assert found.local_privacy_level == measures.local_privacy_level(released)
    assert found.notions == Notions.of_release(made, Joint(COUNTS))
    assert found.notions.delta == pytest.approx(made.leakage)
    assert (found.information, found.nmil, found.utility) == (
        made.information, made.nmil, made.utility,
    )  # fmt: skip
    assert found.entropy == entropy(p)
    for divergence in ("total-variation", "chi-squared"):
        name = f"{divergence.replace('-', '_')}_information"
        assert getattr(found, name) == pytest.approx(
            measures.f_information(p, made.channel, divergence)
        )
    assert found.hamming_distortion == pytest.approx(measures.hamming_distortion(p, made.channel))


def test_the_joint_may_be_another_one_and_is_not_pickled():
    made, other = merge(COUNTS, 0.3), COUNTS[::-1]
    assert made.measures(other).information == made.measured(other).information
    again = pickle.loads(pickle.dumps(made))
    with pytest.raises(MechanismError, match="has no joint"):
        again.measures()
    assert again.measures(COUNTS) == made.measures()


def test_zeros_count():
    found = merge_subsets([[1, 0], [1, 2], [3, 4]], 1, []).measures()
    assert math.isinf(found.notions.delta)
    assert math.isinf(found.local_privacy_level)
    assert "∞" in found._repr_html_()


def test_measures_are_a_frame_a_card_and_a_short_text():
    found = merge(COUNTS, 0.3).measures()
    assert isinstance(found, Measures)
    assert repr(found).startswith("Measures(leakage 0.")
    frame = found.to_frame().set_index("measure")["figure"]
    assert frame["maximal leakage"] == found.notions.maximal_leakage
    assert frame["Hamming distortion"] == found.hamming_distortion
    html = found._repr_html_()
    assert f"{found.notions.maximal_leakage:.4g}" in html
    assert "t-closeness, ordered" in html
