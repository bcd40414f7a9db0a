"""What a notebook shows of a frontier."""

from __future__ import annotations

import numpy as np

from loglift import Joint, frontier
from loglift.report.card import frontier_card

JOINT = Joint(np.random.default_rng(0).integers(0, 9, (9, 3)) + np.eye(9, 3, dtype=int))


def test_a_frontier_shows_some_limits_and_the_loosest():
    found = frontier(JOINT, methods=["greedy", "complete"])
    card = frontier_card(found)
    assert card.tables[0].head == ("eps (nats)", "greedy", "complete")
    assert len(card.tables[0].rows) <= 8
    assert card.tables[0].rows[-1][1].value in [point.kept for point in found.series("greedy")]
    short = frontier(JOINT, [0.5, 1], ["greedy"])
    assert [row[0] for row in frontier_card(short).tables[0].rows] == ["0.5", "1"]
    assert "0.5" in short._repr_html_()
