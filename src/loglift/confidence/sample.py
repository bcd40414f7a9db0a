"""What a table that is a random sample proves about the omegas of its population."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loglift.confidence.intervals import omega_intervals
from loglift.confidence.needed import times_needed
from loglift.confidence.population import alpha_of, population_of
from loglift.confidence.variables import Counts, counts_of
from loglift.joint import FloatArray, Joint
from loglift.promise.bound import Bound


@dataclass(frozen=True)
class Interval:
    """Where omega of a public value lies in the population, nats.

    With the confidence, the intervals of all public values hold together. `records_needed`
    estimates how many records like these the table needs for this value to be certified within
    the bound; None without a bound, or where no number of records is enough.
    """

    lower: float
    upper: float
    records_needed: int | None


@dataclass(frozen=True)
class PopulationAudit:
    """What a table proves about the leakage of its population, over the table's public values.

    Attributes
    ----------
    confidence
        1 - alpha: over repeated samples, at most a share alpha of such statements is wrong.
    leakage
        An upper confidence bound on max over x of omega(x) in the population, nats.
    holds
        Whether every log-lift is certified within the bound; None without a bound.
    records_needed
        About how many records like these that takes; None without a bound, or where no number of
        records is enough because the table itself is outside the bound.

    """

    confidence: float
    leakage: float
    holds: bool | None
    records_needed: int | None


@dataclass(frozen=True, eq=False)
class Sample:
    """Counts of records that are a random sample, and what to prove about their population.

    `variables` has n(s,x) of each sensitive variable.
    """

    variables: Counts
    bound: Bound | None
    confidence: float

    @classmethod
    def of(cls, joint: Joint, bound: Bound | None, confidence: float) -> Sample:
        """Take the records of a joint for a random sample."""
        alpha_of(confidence)
        return cls(counts_of(joint), bound, float(confidence))

    def audit(self) -> PopulationAudit:
        """Return what holds for all public values together."""
        leakage = population_of(self.variables, Bound.symmetric(0), self.confidence).upper
        holds = needed = None
        if self.bound is not None:
            holds = population_of(self.variables, self.bound, self.confidence).holds
            needed = self._records(times_needed(self.variables, self.bound, self._alpha))
        return PopulationAudit(self.confidence, leakage, holds, needed)

    def interval(self, row: int) -> Interval:
        """Return the confidence interval of omega of one public value."""
        lower, upper = self._intervals[row].tolist()
        if self.bound is None:
            return Interval(lower, upper, None)
        alone = [np.stack([n[row], n.sum(axis=0) - n[row]]) for n in self.variables]
        times = times_needed(alone, self.bound, self._alpha, rows=1)
        return Interval(lower, upper, self._records(times))

    @property
    def _alpha(self) -> float:
        return alpha_of(self.confidence)

    @cached_property
    def _intervals(self) -> FloatArray:
        return omega_intervals(self.variables, self._alpha)

    def _records(self, times: float) -> int | None:
        """Return a multiple of the records as their number; None if it is infinite."""
        return math.ceil(times * int(self.variables[0].sum())) if math.isfinite(times) else None
