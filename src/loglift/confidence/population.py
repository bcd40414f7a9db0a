"""What is said about the population: the part of a certificate beyond the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.confidence.lifts import excess_bound
from loglift.errors import BoundError
from loglift.promise.bound import Bound


@dataclass(frozen=True)
class Population:
    """With this confidence no log-lift of the population is below -lower or above upper.

    Attributes
    ----------
    confidence
        1 - alpha: over repeated samples, at most a share alpha of such statements is wrong.
    holds
        Whether that is inside the bound asked for.
    lower, upper
        The certified sides, nats; infinite where no bound was asked for, or none can be given.
    records
        How many records certify; none of them was used to choose the mechanism.
    choice
        How the records were split and what the margin cost; None for a mechanism that was given.

    """

    confidence: float
    holds: bool
    lower: float
    upper: float
    records: int
    choice: Choice | None = None


@dataclass(frozen=True)
class Choice:
    """How a mechanism was chosen for a certificate.

    `working` is the tighter bound it was chosen within and `margin` by how much it is tighter,
    nats. `passed` candidates were certified, in an order fixed beforehand. `utility_without` is
    I(X;Y) of the release for the table alone, and `cost` what the certificate took from it, nats.
    """

    share: float
    seed: int
    records: int
    passed: int
    working: Bound
    margin: float
    utility_without: float
    cost: float


def population_of(
    blocks: Sequence[NDArray[np.int64]], bound: Bound, confidence: float
) -> Population:
    """Certify released values from the counts of records that did not choose them.

    Each array is one sensitive variable, with one row per released value (those without records
    included). The sides are the bound's own, moved by the largest excess any log-lift may have.
    """
    excess = float(excess_bound(blocks, bound, alpha_of(confidence)).max())
    lower, upper = (max(0.0, side + excess) for side in (bound.lower, bound.upper))
    return Population(float(confidence), excess <= 0, lower, upper, int(blocks[0].sum()))


def alpha_of(confidence: Any) -> float:
    """Return 1 - confidence, after checking that it is a confidence."""
    number = isinstance(confidence, Real) and not isinstance(confidence, bool)
    if not number or not 0.5 <= confidence <= 1 - 1e-9:  # noqa: PLR2004, where it means something
        raise BoundError(
            f"confidence must be from 0.5 to 1 - 1e-9, such as 0.95, got {confidence!r}"
        )
    return 1 - float(confidence)
