"""What is certified for the population, in sentences a custodian can repeat."""

from __future__ import annotations

import math

from loglift.audit.audit import Audit
from loglift.certify.certificate import Certificate
from loglift.confidence.audit import Interval
from loglift.confidence.population import Population
from loglift.promise.bound import Bound
from loglift.report.words import limit_of, nats, percent, rounded_up


def released_population(certificate: Certificate) -> str:
    """Say what a release promises for the population, and what that cost."""
    found = certificate.population
    if found is None or found.choice is None:
        return "not asked for"
    choice, entropy = found.choice, certificate.entropy
    holds = (
        f"With {level(found.confidence)} confidence this holds for the population the records are "
        f"a random sample of: there, too, no released value has a log-lift beyond "
        f"{limit_of(certificate.bound)}. {choice.records:,} records chose what to merge and "
        f"{found.records:,} others certified it."
    )
    if not entropy:
        return holds
    return (
        f"{holds} Without this promise {percent(choice.utility_without / entropy)} of the "
        f"information would be kept; it cost {percent(choice.cost / entropy)} of it."
    )


def verified_population(population: Population, bound: Bound) -> str:
    """Say what fresh records prove about a mechanism."""
    sides = (population.lower, population.upper)
    start = f"With {level(population.confidence)} confidence, if these {population.records:,} "
    start += "records are a random sample that had no say in the mechanism, "
    if population.holds:
        return start + f"the population's log-lifts are within {_certified(sides, bound)} too."
    if not any(map(math.isfinite, sides)):
        return start + "nothing is certified: a released value has too few records."
    return start + f"only {_certified(sides, bound)} is certified for the population."


def audited_population(audit: Audit) -> str:
    """Say what a table proves about the leakage of its population, and what it would take."""
    found = audit.population
    if found is None:
        return "not asked for"
    start = (
        f"With {level(found.confidence)} confidence the leakage of the population, over the values "
        f"of this table, is at most {nats(found.leakage)} nats."
    )
    if math.isinf(found.leakage):
        start = "In the population some value may rule a sensitive value out."
    if audit.bound is None:
        return start
    limit = limit_of(audit.bound)
    needed = _about(found.records_needed)
    if found.holds:
        return f"{start} {limit} is certified; about {needed} records suffice."
    if found.records_needed is None:
        return (
            f"{start} {limit} is not certified, and more records alike would not change that: the "
            "table itself is not inside. Protect it."
        )
    return f"{start} {limit} is not certified: that takes about {needed} records."


def interval_text(interval: Interval) -> str:
    """Return an interval on omega, in nats."""
    return f"{interval.lower:.2f} to {nats(interval.upper)}"


def level(confidence: float) -> str:
    """Return a confidence as a percentage."""
    return f"{100 * confidence:.10g} %"


def _about(records: int | None) -> str:
    return "any number of" if records is None else f"{rounded_up(records):,.0f}"


def _certified(sides: tuple[float, float], bound: Bound) -> str:
    asked = (bound.lower, bound.upper)
    shown = [
        math.ceil(side * 1000) / 1000 if math.isfinite(limit) and math.isfinite(side) else math.inf
        for side, limit in zip(sides, asked, strict=True)
    ]
    return limit_of(Bound(*shown))
