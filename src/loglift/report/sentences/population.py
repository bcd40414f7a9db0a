"""Sentences about the population that the records of a table are a random sample of."""

from __future__ import annotations

import math

from loglift.audit.audit import Audit
from loglift.certify.certificate import Certificate
from loglift.confidence.population import Population
from loglift.confidence.sample import Interval
from loglift.confidence.uncertified import Uncertified
from loglift.display.numbers import nats, percent
from loglift.mechanism.words import limit_of
from loglift.promise.bound import Bound
from loglift.report.words import amount, number_of, rounded_up


def released_population(certificate: Certificate) -> str:
    """Say what a release promises for the population, and what that costs."""
    found = certificate.population
    if found is None or found.choice is None:
        return "not asked for"
    choice, entropy, kept = found.choice, certificate.entropy, 1 - certificate.nmil
    what, how = "what to merge", ""
    if certificate.drawn:
        what, how = "what to draw", ", each by a released value that it drew for this alone"
    holds = (
        f"With {level(found.confidence)} confidence this holds for the population the records are "
        f"a random sample of: there, too, no released value has a log-lift beyond "
        f"{limit_of(certificate.bound)}. {number_of(choice.records, 'record')} chose {what} and "
        f"{found.records:,} others certified it{how}."
    )
    if not entropy:
        return holds
    if not certificate.keeps_rows:
        return (
            f"{holds} Whole rows keep {percent(kept)} of their information; without this promise "
            f"they would keep {percent(choice.utility_without / entropy)}."
        )
    return (
        f"{holds} Without this promise {percent(choice.utility_without / entropy)} of the "
        f"information would be kept; it cost {percent(choice.cost / entropy)} of it."
    )


def verified_population(population: Population, bound: Bound) -> str:
    """Say what fresh records prove about a mechanism."""
    sides = (population.lower, population.upper)
    start = f"With {level(population.confidence)} confidence, if these {population.records:,} "
    start += "records are a random sample that had no say in the mechanism, "
    if population.draw_seed is not None:
        start += "and each draws a released value, "
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
        f"of this table, is at most {amount(found.leakage)}."
    )
    if math.isinf(found.leakage):
        start = "In the population some value may rule a sensitive value out."
    if audit.bound is None:
        return start
    limit, needed = limit_of(audit.bound), found.records_needed
    if needed is None and not found.holds:
        return (
            f"{start} {limit} is not certified, and more records of the same kind would not change "
            "that: the table itself is outside the bound. Protect it."
        )
    number = "any number of" if needed is None else f"about {rounded_up(needed):,.0f}"
    if found.holds:
        return f"{start} {limit} is certified; {number} records suffice."
    return f"{start} {limit} is not certified: that takes {number} records."


def uncertified(found: Uncertified) -> str:
    """Say that only a single released value can be certified, and what would help."""
    would = []
    if math.isfinite(found.records_needed):
        would.append(f"about {rounded_up(found.records_needed):,.0f} records would do")
    if math.isfinite(found.widening):
        lower, upper = found.bound.lower + found.widening, found.bound.upper + found.widening
        wider = Bound(rounded_up(lower), rounded_up(upper))
        would.append(f"about {limit_of(wider)} would do with these")
    helps = ", or ".join(would) or "no number of records like these would do"
    upwards = ", or bounding upwards only," if math.isfinite(found.bound.lower) else ""
    return (
        f"only a single released value can be certified within {limit_of(found.bound)} at "
        f"confidence {found.confidence:.10g} from {found.records:,} records: {helps}. The rarest "
        f"sensitive value has {number_of(found.records_of_rarest, 'record')}: grouping rare "
        f"ones{upwards} helps too"
    )


def interval_text(interval: Interval) -> str:
    """Return an interval of omega, in nats."""
    return f"{interval.lower:.2f} to {nats(interval.upper)}"


def level(confidence: float) -> str:
    """Return a confidence as a percentage."""
    return f"{100 * confidence:.10g} %"


def _certified(sides: tuple[float, float], bound: Bound) -> str:
    """Return what is certified of the sides that the bound limits, rounded up to 0.001 nats."""
    asked = (bound.lower, bound.upper)
    shown = [
        math.ceil(side * 1000) / 1000 if math.isfinite(limit) and math.isfinite(side) else math.inf
        for side, limit in zip(sides, asked, strict=True)
    ]
    return limit_of(Bound(shown[0], shown[1]))
