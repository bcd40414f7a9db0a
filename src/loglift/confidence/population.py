"""What is certified for the population: the part of a certificate that goes beyond the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loglift.confidence.swings import excess_bound
from loglift.confidence.variables import Counts
from loglift.errors import BoundError
from loglift.promise.bound import Bound
from loglift.values import checked_number

MIN_CONFIDENCE = 0.5
MAX_CONFIDENCE = 1 - 1e-9


@dataclass(frozen=True)
class Population:
    """With this confidence, every log-lift of the population is from -lower to upper.

    Attributes
    ----------
    confidence
        1 - alpha: over repeated samples, at most a share alpha of such statements is wrong.
    holds
        Whether that is inside the bound.
    lower, upper
        The certified limits, nats; infinite where the bound is, or where nothing can be certified.
    records
        The number of records that certify. The mechanism was chosen without them.
    choice
        How the records were split and what the certificate cost; None for a mechanism that was
        chosen before, from other records.
    draw_seed
        For a channel: the seed by which each of these records drew the released value that it
        certifies with, not that of the release. None for a partition, which draws nothing.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> rows = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "n"), ("b", "n")] * 200
    >>> table = pl.DataFrame(rows, schema=["job", "ill"], orient="row")
    >>> options = {"sensitive": "ill", "public": "job", "eps": 1, "confidence": 0.95}
    >>> found = loglift.protect(table, **options).certificate.population
    >>> found.holds, found.confidence
    (True, 0.95)
    """

    confidence: float
    holds: bool
    lower: float
    upper: float
    records: int
    choice: Choice | None = None
    draw_seed: int | None = None


@dataclass(frozen=True)
class Choice:
    """How a release was chosen to be certified.

    Attributes
    ----------
    share, seed
        The share of the records that choose, and the seed of the random split.
    records
        The number of records that choose.
    passed
        How many candidates were certified, tested in an order that was fixed before.
    working, margin
        The tighter bound that the released candidate was found within, and by how much it is
        tighter, nats.
    utility_without, cost
        I(X;Y) of the release that is safe for the table alone, and how much of it the certificate
        costs, nats.

    """

    share: float
    seed: int
    records: int
    passed: int
    working: Bound
    margin: float
    utility_without: float
    cost: float


def population_of(variables: Counts, bound: Bound, confidence: float) -> Population:
    """Certify released values from counts of records that the mechanism was chosen without.

    `variables` has n(s,y) of each sensitive variable; released values without records count. The
    certified limits are those of the bound plus the largest excess that a log-lift may have.
    O(cells sqrt(records)).
    """
    excess = float(excess_bound(variables, bound, alpha_of(confidence)).max())
    lower, upper = (max(0.0, side + excess) for side in (bound.lower, bound.upper))
    return Population(float(confidence), excess <= 0, lower, upper, int(variables[0].sum()))


def alpha_of(confidence: Any) -> float:
    """Return alpha = 1 - confidence; raise `BoundError` if it is not a confidence."""
    return 1 - checked_number(
        confidence,
        "confidence",
        least=MIN_CONFIDENCE,
        most=MAX_CONFIDENCE,
        error=BoundError,
    )
