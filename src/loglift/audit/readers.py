"""What public values tell readers who know more: what such a reader gains, context by context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from loglift.certify.released_values import direction_of
from loglift.joint import Joint
from loglift.promise.bound import Bound
from loglift.promise.knowledge import Knowledge, Released
from loglift.promise.limits import Limits

MAX_LISTED_CONTEXTS = 20


@dataclass(frozen=True)
class ContextRisk:
    """What a reader may know of a record, and what its public value adds to that.

    Attributes
    ----------
    knows
        What the reader knows, as `{column: value}`, or numbers of earlier released values.
    records
        How many records this is true of; the expected number where an earlier release was drawn.
    before
        The largest |log-lift| of what the reader knows on its own, p(s|c) against p(s), in nats.
    leakage
        The largest |log p(s|c,x)/r(s|c)| of a public value x, in nats.
    share_at_risk
        The share of these records whose public value is outside the bound; None without a bound.
    sensitive, does
        The sensitive value with the largest log-lift, and what it does to belief in it.

    """

    knows: Any
    records: float
    before: float
    leakage: float
    share_at_risk: float | None
    sensitive: dict[str, Any]
    does: str


@dataclass(frozen=True)
class ReaderAudit:
    """What the public values tell readers who know more.

    Attributes
    ----------
    readers, before
        Who they are, in words, and what their belief is compared with.
    leakage
        The largest |log p(s|c,x)/r(s|c)|, in nats.
    holds
        Whether every public value is within the bound for them, exactly; None without a bound.
    share_at_risk
        The share of the records that are outside the bound; None without a bound.
    contexts, contexts_listed
        The number of different things they may know, and those that gain most, worst first.

    """

    readers: str
    before: str
    leakage: float
    holds: bool | None
    share_at_risk: float | None
    contexts: int
    contexts_listed: tuple[ContextRisk, ...]


def audit_reader(knowledge: Knowledge, joint: Joint, limits: Bound | Limits | None) -> ReaderAudit:
    """Measure what each public value, as it is, adds to what readers know. O(cells)."""
    told = knowledge.told(Released.apart(len(joint.public)))
    columns, logs = knowledge.worst(told, limits)
    size, sizes = len(knowledge.labels), np.abs(logs)
    records = knowledge.records_apart() / len(joint.variables)
    of_context = np.bincount(told.contexts, records, minlength=size)
    most = np.zeros(size)
    np.maximum.at(most, told.contexts, sizes)
    unsafe = at_risk = None
    if limits is not None:
        unsafe = ~knowledge.safe_pairs(told, limits)
        at_risk = np.bincount(told.contexts, records * unsafe, minlength=size)
    alone = knowledge.told(Released.together(len(joint.public)))
    before = np.zeros(size)
    before[alone.contexts] = alone.omega_against(np.asarray(joint.prior))
    first = np.full(size, -1)
    order = np.argsort(sizes, kind="stable")
    first[told.contexts[order]] = order  # the largest of each context stays
    risky = np.zeros(size) if at_risk is None else at_risk
    worst = np.lexsort((-of_context, -risky, -most))[:MAX_LISTED_CONTEXTS]
    return ReaderAudit(
        readers=knowledge.name,
        before=knowledge.before,
        leakage=float(sizes.max()),
        holds=None if unsafe is None else not unsafe.any(),
        share_at_risk=None if at_risk is None else float(at_risk.sum() / records.sum()),
        contexts=size,
        contexts_listed=tuple(
            ContextRisk(
                knows=knowledge.labels[c],
                records=float(of_context[c]),
                before=float(before[c]),
                leakage=float(most[c]),
                share_at_risk=None if at_risk is None else float(at_risk[c] / of_context[c]),
                sensitive=joint.event(int(columns[first[c]])),
                does=direction_of(float(logs[first[c]])),
            )
            for c in worst.tolist()
        ),
    )
