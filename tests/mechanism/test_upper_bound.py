"""The proven upper bound: worked out when it is asked for, once."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from loglift import Mechanism, merge, merge_subsets
from loglift.mechanism.upper_bound import UpperBound
from loglift.merging import merge as module, watchdog

JOINT = np.random.default_rng(0).random((9, 4))


@pytest.fixture
def proofs(monkeypatch):
    """The problems that a ceiling was worked out for."""
    asked, real = [], module.ceiling
    for place in (module, watchdog):
        monkeypatch.setattr(
            place, "ceiling", lambda problem: (asked.append(problem), real(problem))[1]
        )
    return asked


@pytest.mark.parametrize("method", ["greedy", "complete"])
def test_a_merge_proves_nothing_until_it_is_asked(method, proofs):
    made = merge(JOINT, 0.3, method)
    assert (made.leakage, made.utility, made.nmil, made.safe) is not None
    assert "NMIL" in repr(made)
    assert proofs == []
    first = made.upper_bound
    assert (made.upper_bound, replace(made, min_count=1.0).upper_bound) == (first, first)
    assert len(proofs) == 1
    assert first >= merge(JOINT, 0.3, "exact").utility - 1e-12


def test_subsets_chosen_by_hand_prove_nothing_until_they_are_asked(proofs):
    made = merge_subsets(JOINT, 0.3, [[0, 1]])
    assert proofs == []
    assert made.upper_bound == merge(JOINT, 0.3, "complete").upper_bound


def test_what_is_pickled_is_worked_out_and_equal(proofs):
    made = merge(JOINT, 0.3, "greedy")
    again = pickle.loads(pickle.dumps(made))
    assert len(proofs) == 1
    assert again.figures == made.figures
    assert hash(again.figures.most) == hash(made.figures.most)
    assert isinstance(again, Mechanism)


def test_bounds_are_equal_by_value_and_scope():
    later = UpperBound(lambda: 2.0, "merging")
    assert "not asked for yet" in repr(later)
    assert later == UpperBound(2.0, "merging")
    assert repr(later) == "UpperBound(2.0, 'merging')"
    assert later != UpperBound(2.0, "release")
    assert later != 2.0
