"""The paper's experiment with methods that the paper does not have.

They are loglift's own, and subset random response.

They solve one joint at a time and take seconds each, so they run on fewer joints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from loglift.errors import InputError
from loglift.joint import FloatArray
from loglift.measures.lift import omega
from loglift.merging.merge import merge
from loglift.paper.experiment import METHODS, STATISTICS, Outcomes
from loglift.promise.limits import TOLERANCE
from loglift.randomizing.randomize import randomize
from loglift.randomizing.response import subset_response

OtherMethod: TypeAlias = Literal["search", "exact", "response", "randomized"]

OTHER_METHODS: tuple[OtherMethod, ...] = get_args(OtherMethod)
OTHER_DRAWS = 20


@dataclass(frozen=True)
class OtherPoint:
    """A mean or standard deviation that a figure shows beside the paper's; `paper` is None."""

    figure: Literal["Privacy", "NMIL", "PUT"]
    method: OtherMethod
    eps: float
    statistic: Literal["mean", "std"]
    ours: float
    paper: None = None


def other_methods(methods: Sequence[str]) -> list[OtherMethod]:
    """Return those of some methods that the paper does not have; raise if one does not exist."""
    known = (*METHODS, *OTHER_METHODS)
    for method in methods:
        if method not in known:
            raise InputError(f"there is no method {method!r}: use some of {', '.join(known)}")
    return [name for name in OTHER_METHODS if name in methods]


def run_others(
    joints: FloatArray,
    methods: Sequence[OtherMethod],
    eps_values: Sequence[float],
    advance: Callable[[int], None] = lambda _: None,
) -> dict[tuple[OtherMethod, float], Outcomes]:
    """Return the outcomes of every method at every eps; calls `advance(1)` after each joint."""
    rows: dict[tuple[OtherMethod, float], list[tuple[float, ...]]] = {}
    for joint in joints:
        for method in methods:
            for eps in eps_values:
                rows.setdefault((method, eps), []).append(_outcome(joint, method, eps))
        advance(1)
    return {key: Outcomes(*np.array(of_draws).T) for key, of_draws in rows.items()}


def _outcome(joint: FloatArray, method: OtherMethod, eps: float) -> tuple[float, ...]:
    """Return the statistics of one joint, in the order of `STATISTICS`.

    The high-risk set of the released values has those that a high-risk public value may become.
    """
    if method == "randomized":
        made = randomize(joint, eps)
    else:
        made = subset_response(joint, eps) if method == "response" else merge(joint, eps, method)
    omegas = omega(made.release(joint))
    high_risk = omega(joint) > eps + TOLERANCE
    reached = made.channel[high_risk].any(axis=0)
    found = {
        "max_omega_high_risk": float(omegas[reached].max()) if high_risk.any() else np.nan,
        "nmil": made.nmil,
        "max_omega_all": float(omegas.max()),
    }
    return tuple(found[name] for name in STATISTICS)
