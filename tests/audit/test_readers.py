"""What an audit says of readers who know more; see tests/release/test_knowledge.py for tables."""

from __future__ import annotations

import math

import numpy as np
import pytest

from known_counts import earlier, known
from loglift import Bound, Joint
from loglift.audit.readers import audit_reader
from naive import told

COUNTS = np.array([[[4, 1], [2, 2]], [[1, 3], [3, 0]], [[2, 2], [1, 4]]])


@pytest.mark.parametrize(("make", "reference"), [(known, "known"), (earlier, "given")])
def test_contexts_are_listed_worst_first(make, reference):
    joint = Joint(COUNTS.sum(axis=1))
    found = audit_reader(make(COUNTS), joint, Bound.symmetric(0.5))
    assert found.leakage == told(COUNTS, [0, 1, 2], reference) == math.inf
    assert found.contexts == 2
    first, second = found.contexts_listed
    assert first.leakage == math.inf >= second.leakage
    assert first.does == "rules out"
    assert first.records == COUNTS[:, 1].sum()
    assert not found.holds
    assert 0 < found.share_at_risk <= 1


def test_without_a_bound_nothing_is_at_risk():
    found = audit_reader(known(COUNTS), Joint(COUNTS.sum(axis=1)), None)
    assert found.holds is None
    assert found.share_at_risk is None
    alone = COUNTS.sum(axis=0)
    prior = alone.sum(axis=0) / alone.sum()
    before = np.abs(np.log(alone / alone.sum(axis=1, keepdims=True) / prior)).max(axis=1)
    assert sorted(risk.before for risk in found.contexts_listed) == pytest.approx(sorted(before))
