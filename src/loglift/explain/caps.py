"""The cap that a rare sensitive value sets on any safe merging.

With a finite lower bound every released value contains every sensitive value. A sensitive value
that k public values contain allows at most k released values, and I(X;Y) = H(Y) is at most log k.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loglift.promise.bound import Bound
from loglift.promise.lift import bounded_sides
from loglift.promise.limits import Limits
from loglift.sparse import Mass, holders

MAX_CAPS = 5


@dataclass(frozen=True)
class Cap:
    """A sensitive value, and the most released values and information it allows.

    `records_with` records and `blocks` public values have it, so there are at most `blocks`
    released values: log(blocks) nats of utility, the share `kept` of H(X).
    """

    sensitive: Any
    records_with: int | float
    blocks: int
    utility: float
    kept: float


def caps_of(
    mass: Mass,
    names: Sequence[Any],
    bound: Bound | Limits,
    entropy_public: float,
) -> tuple[Cap, ...]:
    """Return the caps that are below H(X), the tightest first, at most five. O(cells).

    `mass` has one row per public value and one column per name. A value without a lower bound has
    no cap.
    """
    needed = bounded_sides(bound, mass.shape[1])[0].tolist()
    blocks, records = holders(mass), mass.sum(axis=0)
    return tuple(
        Cap(names[s], records[s].item(), int(blocks[s]), most, most / entropy_public)
        for s in [s for s in np.lexsort((records, blocks)).tolist() if s in needed][:MAX_CAPS]
        if (most := math.log(blocks[s])) < entropy_public
    )
