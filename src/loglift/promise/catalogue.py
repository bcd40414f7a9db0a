"""All requirements by the name that files, plans and options give them."""

from __future__ import annotations

from typing import Any

from loglift.errors import BoundError
from loglift.promise.closeness import L1Lift, OrderedTCloseness, TCloseness
from loglift.promise.divergence import AlphaLift, AverageLogLift, ChiSquaredLift
from loglift.promise.diversity import DistinctDiversity, EntropyDiversity
from loglift.promise.requirement import Requirement

KINDS: tuple[type[Requirement], ...] = (
    TCloseness,
    OrderedTCloseness,
    L1Lift,
    ChiSquaredLift,
    AlphaLift,
    AverageLogLift,
    DistinctDiversity,
    EntropyDiversity,
)
BY_KEY = {kind.key: kind for kind in KINDS}


def requirement_from(document: dict[str, Any]) -> Requirement:
    """Return the requirement that a JSON document states; see `Requirement.document`."""
    others = dict(document)
    key, limit = others.pop("measure"), others.pop("limit")
    if key not in BY_KEY:
        raise BoundError(f"no requirement {key!r}: choose one of {', '.join(BY_KEY)}")
    return BY_KEY[key](limit, **others)


def alpha_lift_from(text: str) -> AlphaLift:
    """Return the requirement that --alpha-lift states: "2=0.5" is order 2, limit 0.5 nats."""
    alpha, _, limit = text.partition("=")
    try:
        return AlphaLift(float(limit), alpha=float(alpha))
    except ValueError:
        raise BoundError(
            f"alpha_lift (--alpha-lift) is ALPHA=EPS, such as 2=0.5, got {text!r}"
        ) from None
