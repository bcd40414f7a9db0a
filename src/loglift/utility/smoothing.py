"""What counts say about a purpose beyond chance: shares pulled towards the average.

Where public values have few records, n(u,x)/n(x) mostly shows which u these records happen to have,
and a partition chosen for it keeps noise. So the shares are smoothed,

    p(u|x) = (n(u,x) + a p(u)) / (n(x) + a),

with the a that predicts best, leaving one record out: it maximises

    sum over cells of n(u,x) log [(n(u,x) - 1 + a p(u)) / (n(x) - 1 + a)].

What that gains on p(u), as a share of the counted information, says how much of it is not chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loglift.joint import FloatArray
from loglift.sparse import Cells, Mass, as_cells, dense

MAX_SMOOTHED_CELLS = 2**22  # of dense shares: 32 MB; larger ones stay as they are counted
PULLS = np.geomspace(0.25, 4096, 57)  # the a that are tried, in records


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Smoothed counts (n, u), or the counts if there are too many cells.

    `reliability`, from 0 to 1, is the share of their information that is not chance.
    """

    table: FloatArray | Cells
    reliability: float


def smoothed(counts: Mass) -> Smoothed:
    """Smooth counts n(u,x), one row per public value x. O(cells) for each a, O(n u) for the shares.

    Rows keep their records: p(u|x) is multiplied by n(x).
    """
    cells = as_cells(counts)
    of = cells.values.astype(np.float64)
    records = np.bincount(cells.rows, of, minlength=cells.shape[0])
    prior = np.bincount(cells.columns, of, minlength=cells.width)
    total = float(of.sum())
    shares, others = (prior / total)[cells.columns], records[cells.rows] - 1
    scores = [float(of @ np.log((of - 1 + a * shares) / (others + a))) for a in PULLS]
    best = int(np.argmax(scores))
    counted = float(of @ np.log(of / records[cells.rows] / shares))
    gained = scores[best] - float(of @ np.log(shares))
    reliability = min(max(gained / counted, 0.0), 1.0) if counted > 0 else 1.0
    if cells.shape[0] * cells.width > MAX_SMOOTHED_CELLS:
        return Smoothed(cells, reliability)
    pull = PULLS[best]
    mixed = (dense(counts) + pull * prior / total) / (records + pull)[:, np.newaxis]
    return Smoothed(mixed * records[:, np.newaxis], reliability)
