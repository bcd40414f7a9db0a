"""What would certify two released values: estimates, and that they are enough."""

from __future__ import annotations

import math

import numpy as np

import loglift
from loglift import Bound
from loglift.confidence.candidates import Demand
from loglift.confidence.outlook import outlook
from loglift.confidence.swings import excess_bound
from loglift.sparse import block_sums


def merged(joint, bound, least):
    return loglift.merge(joint, bound=bound, min_count=least).labels


def test_no_number_of_records_helps_a_value_with_one_record():
    table = np.array([[50, 1], [40, 0], [30, 0]])  # every block needs the one record
    found = outlook(Demand([table], Bound.symmetric(1), 0.05, 1.0, merged))
    assert found.records == found.widening == math.inf


def test_that_many_records_or_that_bound_certify_some_partition():
    table = np.array([[30, 20], [25, 25], [20, 30], [26, 24]])
    bound = Bound.symmetric(0.3)
    found = outlook(Demand([table], bound, 0.05, 1.0, merged))
    assert table.sum() < found.records < math.inf
    assert 0 < found.widening < math.inf
    halves = [block_sums(table, np.array(labels)) for labels in ([0, 1, 0, 1], [0, 0, 1, 1])]
    more = [np.rint(half * (found.records / table.sum())).astype(int) for half in halves]
    assert min(excess_bound([half], bound, 0.05).max() for half in more) <= 0
    wider = Bound.symmetric(0.3 + found.widening)
    assert min(excess_bound([half], wider, 0.05).max() for half in halves) <= 0
