"""The watchdog and subsets chosen by hand, in the paper's terms."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import (
    Bound,
    BoundError,
    MechanismError,
    PartitionError,
    merge,
    merge_subsets,
    watchdog,
)

COUNTS = np.array([[9, 1], [1, 9], [5, 5], [6, 4]])


def test_high_risk_values_are_drawn_from_r_and_the_others_stay():
    made = watchdog(COUNTS, 0.5, [0.25, 0.75])
    assert made.channel.tolist() == [
        [0.25, 0.75, 0, 0],
        [0.25, 0.75, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
    ]
    assert made.utility == pytest.approx(merge(COUNTS, 0.5, "complete").utility)


def test_without_high_risk_values_nothing_changes():
    made = watchdog(COUNTS, bound=Bound(9, 9))
    assert made.channel.tolist() == np.eye(4).tolist()
    with pytest.raises(MechanismError, match="leave R"):
        watchdog(COUNTS, 9, [1])


def test_a_partition_unless_rules_are_given():
    plain, drawn = merge_subsets(COUNTS, 1, [[0, 1]]), merge_subsets(COUNTS, 1, [[0, 1]], [[1, 1]])
    assert plain.labels.tolist() == [0, 0, 1, 2]
    assert drawn.labels is None
    assert plain.utility == pytest.approx(drawn.utility)
    assert plain.upper_bound == drawn.upper_bound >= plain.utility


def test_the_bound_and_the_subsets_are_required():
    with pytest.raises(BoundError, match="either eps or bound"):
        merge_subsets(COUNTS, subsets=[[0, 1]])
    with pytest.raises(BoundError, match="either eps or bound"):
        watchdog(COUNTS)
    with pytest.raises(PartitionError, match="list of lists"):
        merge_subsets(COUNTS, 1)
