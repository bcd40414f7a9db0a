"""Why a release keeps what it keeps: what binds, what would help, what other bounds would keep."""

from __future__ import annotations

from dataclasses import dataclass

from loglift._compute.threads import Begun
from loglift.explain.again import why_not_solved
from loglift.explain.around import Nearby, nearby
from loglift.explain.explain import Explanation, explain
from loglift.joint import Joint
from loglift.mechanism.mechanism import Mechanism


@dataclass(frozen=True)
class Reasons:
    """The explanation of a release, and its sweep of bounds; `unexplained` says why not."""

    explanation: Explanation | None = None
    nearby: tuple[Nearby, ...] | None = None
    unexplained: str | None = None


def reasons_of(joint: Joint, mechanism: Mechanism, *, sampled: bool) -> Reasons:
    """Explain a release by solving it again; `sampled` if it is certified for the population.

    What is solved again is a plain problem (`why_not_solved`); other releases have neither. An
    explanation knows nothing of the population.
    """
    reason = why_not_solved(mechanism)
    if reason is not None:
        return Reasons(unexplained=reason)
    if sampled:
        certified = "the release is certified for the population"
        return Reasons(nearby=nearby(joint, mechanism), unexplained=certified)
    swept = Begun(lambda: nearby(joint, mechanism))
    return Reasons(explain(joint, mechanism), swept.result())
