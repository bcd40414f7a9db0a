"""The channels of one intact group: those of a table that has the members of the group only.

With the lift L(s) of the group, a y that is drawn for its members has the lift l(s,y) = L(s)
l'(s,y), where l' is the lift in the group alone. So it is the problem of a table with other limits
on log-lifts: lower + log L(s) and upper - log L(s). Both are at least zero where the group is safe
as one released value. A group that lacks s has no limit on it: that of a finite lower side is
broken whatever is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.merging.problem import Problem
from loglift.promise.bound import Bound
from loglift.promise.in_context import ContextPromise
from loglift.promise.lift import LiftPromise
from loglift.promise.limits import Limits
from loglift.promise.promise import Promise
from loglift.promise.together import Together
from loglift.promise.with_conditions import WithConditions
from loglift.utility.information import Information
from loglift.utility.worth import Worth


def group_problem(
    mass: FloatArray,
    rows: IntArray,
    bound: Bound | Limits,
    *,
    worth: Worth | None = None,
    readers: Sequence[ContextPromise] = (),
    least: float = 0.0,
) -> Problem:
    """Return the problem of some rows of a whole table (n, m), which are a safe block together.

    `worth` and `readers` are those of the group alone; by default I(X;Y) is kept, and there are no
    readers who know more. `least` is the least mass of a released value.
    """
    placed = bound.placed if isinstance(bound, Limits) else ()
    part = mass[rows]
    own, present = part.sum(axis=0), part.any(axis=0)
    shared = mass.sum(axis=0) * (part.sum() / mass.sum())
    logs = np.log(np.where(present, own / shared, 1.0))
    lower, upper = (
        np.where(present, np.maximum(side, 0), np.inf)
        for side in (bound.lower + logs, bound.upper - logs)
    )
    # Values that the group lacks are needed by requirements only. All their lifts are zero,
    # whatever prior they have.
    needed = np.ones_like(present) if placed else present
    plain = LiftPromise.of(part[:, needed], Limits(lower[needed], upper[needed]))
    plain = replace(plain, prior=np.where(present, own, shared)[needed])
    promise: Promise = plain
    if placed:
        promise = WithConditions.beside(plain, placed)
    elif readers:
        promise = Together(plain, tuple(readers))
    return Problem(promise, worth or Information(plain.weight, plain.total), least=least)
