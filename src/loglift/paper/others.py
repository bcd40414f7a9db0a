"""The paper's experiment with loglift's own methods: fewer joints, one solved at a time."""

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
from loglift.promise.bound import TOLERANCE
from loglift.randomizing.randomize import randomize

OtherMethod: TypeAlias = Literal["search", "exact", "randomized"]

OTHER_METHODS: tuple[OtherMethod, ...] = get_args(OtherMethod)
OTHER_DRAWS = 20


@dataclass(frozen=True)
class Other:
    """One number of a figure that the paper does not have: a mean or a standard deviation."""

    figure: Literal["Privacy", "NMIL", "PUT"]
    method: OtherMethod
    eps: float
    statistic: Literal["mean", "std"]
    ours: float
    paper: None = None


def others_of(methods: Sequence[str]) -> list[OtherMethod]:
    """Return those methods that the paper does not have; all of them must exist."""
    known = (*METHODS, *OTHER_METHODS)
    for method in methods:
        if method not in known:
            raise InputError(f"there is no method {method!r}: use some of {', '.join(known)}")
    return [name for name in OTHER_METHODS if name in methods]


def run_others(
    joints: FloatArray,
    methods: Sequence[OtherMethod],
    eps_values: Sequence[float],
    advance: Callable[[int], None],
) -> dict[tuple[OtherMethod, float], Outcomes]:
    """Outcomes of every method at every eps; `advance` is told of each joint done."""
    cells: dict[tuple[OtherMethod, float], list[tuple[float, ...]]] = {}
    for joint in joints:
        for method in methods:
            for eps in eps_values:
                cells.setdefault((method, eps), []).append(_outcome(joint, method, eps))
        advance(1)
    return {key: Outcomes(*np.array(rows).T) for key, rows in cells.items()}


def _outcome(joint: FloatArray, method: OtherMethod, eps: float) -> tuple[float, ...]:
    """Return the statistics in the order of `STATISTICS`.

    A released value is of the high-risk set when a high-risk value may become it.
    """
    made = randomize(joint, eps) if method == "randomized" else merge(joint, eps, method)
    omegas = omega(made.release(joint))
    high_risk = omega(joint) > eps + TOLERANCE
    reached = made.channel[high_risk].any(axis=0)
    found = {
        "max_omega_high_risk": float(omegas[reached].max()) if high_risk.any() else np.nan,
        "nmil": made.nmil,
        "max_omega_all": float(omegas.max()),
    }
    return tuple(found[name] for name in STATISTICS)
