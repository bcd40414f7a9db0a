"""The check of readers who know more, against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from known_counts import cubes, earlier, known
from loglift import Bound, Joint
from loglift.certify.readers import check_reader
from loglift.mechanism.naming import ReleasedColumn
from loglift.promise.knowledge import Released
from naive import partitions, told


@given(cubes(values=4), st.sampled_from([0.2, 0.5, 1.0]))
def test_the_check_finds_what_counting_finds(counts, eps):
    joint, looked = Joint(counts.sum(axis=1)), 0
    for made, reference in ((known(counts), "known"), (earlier(counts), "given")):
        for labels in partitions(len(counts)):
            worst = told(counts, labels, reference)
            assume(abs(worst - eps) > 1e-9)
            names = ReleasedColumn("y", "integer", tuple(range(max(labels) + 1)))
            found = check_reader(
                made, Released(np.asarray(labels)), Bound.symmetric(eps), joint, [names]
            )
            assert found.leakage == pytest.approx(worst)
            assert found.holds == (worst <= eps)
            assert found.released["y"] in labels
            assert found.knows in made.labels
            looked += 1
    assert looked >= 4
