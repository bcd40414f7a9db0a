"""What a notebook shows of a frontier."""

from __future__ import annotations

from loglift.display.card import CUSTODIAN, MAX_ROWS, Card, Share, Table, size_of
from loglift.report.sweep import Frontier
from loglift.report.words import measure_title


def frontier_card(found: Frontier) -> Card:
    """Return the card of a frontier: the share kept by each method at some of the limits."""
    limits = list(dict.fromkeys(point.limit for point in found.points))
    step = -(-len(limits) // MAX_ROWS)
    at = {(point.method, point.limit): Share(point.kept) for point in found.points}
    rows = tuple(
        (f"{limit:g}", *(at.get((method, limit), "no release") for method in found.methods))
        for limit in limits[step - 1 :: step]
    )
    caption = f"{len(rows)} of {len(limits)} limits; .plot() and .to_frame() have all"
    return Card(
        f"Frontier: the share kept of {found.goal_words}",
        (
            ("public values", f"{found.public_values:,}"),
            ("H(X)", size_of(found.entropy)),
        ),
        (Table((measure_title(found.measure), *found.methods), rows, caption if step > 1 else ""),),
        (CUSTODIAN,),
    )
