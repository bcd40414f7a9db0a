"""Why a release keeps what it keeps: what binds, what would help, what other bounds would keep."""

from __future__ import annotations

from dataclasses import dataclass

from loglift._compute.threads import Begun
from loglift.explain.again import is_solvable, problem_of, solve_again, why_not_solved
from loglift.explain.around import Nearby, nearby
from loglift.explain.explain import WIDER_FACTOR, Explanation, explanation_of
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
    improved = None
    if is_solvable(joint, mechanism):
        improved = solve_again(problem_of(joint, mechanism), mechanism.partition, mechanism)
    swept = Begun(lambda: nearby(joint, mechanism, improved))

    def kept_if_wider() -> float | None:
        found = {near.factor: near.kept for near in swept.result()}
        return found.get(WIDER_FACTOR)

    return Reasons(explanation_of(joint, mechanism, improved, kept_if_wider), swept.result())
