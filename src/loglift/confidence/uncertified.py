"""What is told where the records certify nothing but a single released value."""

from __future__ import annotations

from dataclasses import dataclass

from loglift.promise.bound import Bound


@dataclass(frozen=True)
class Uncertified:
    """Only a single released value can be certified; what would change that, by an estimate.

    Attributes
    ----------
    bound, confidence, records
        What was asked for, and the number of records.
    records_of_rarest
        The number of records with the rarest sensitive value.
    records_needed
        About how many records would be enough; infinite if no number is.
    widening
        About how much wider, in nats, a bound has to be that these records can certify; infinite
        if there is none.

    """

    bound: Bound
    confidence: float
    records: int
    records_of_rarest: int
    records_needed: float
    widening: float
