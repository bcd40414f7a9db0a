"""How a table, or a release of it, stands by every notion that custodians and researchers know."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from loglift.joint import Joint
from loglift.measures.closeness import (
    average_log_lift,
    basic_beta_likeness,
    ordered_distance,
    total_variation,
)
from loglift.measures.diversity import distinct_sensitive, entropy_diversity
from loglift.measures.leakage import chi_squared_lift, information_of, maximal_leakage
from loglift.measures.lift import omegas_of
from loglift.measures.partition import canonical
from loglift.mechanism.mechanism import Mechanism
from loglift.sparse import take_columns, take_rows


@dataclass(frozen=True)
class Notions:
    """The figure of each notion, for the worst released value (of a table: public value).

    With several sensitive variables, each is the worst over the variables. Zeros count: a sensitive
    value that a released value rules out makes `delta` infinite. With survey weights `k` counts
    records, and all other figures are of weighted shares.

    Attributes
    ----------
    k
        k-anonymity: the least number of records of a released value; large is good. None for random
        draws, where the number is random, and for a joint that is not counted.
    distinct_l, entropy_l
        l-diversity: the least number of sensitive values in a released value, and the least
        e^H(S|Y=y); large is good.
    t, t_ordered
        t-closeness: the largest total variation (equal distance), and the largest ordered distance,
        None where no sensitive column has an order. Small is good, here and below.
    beta
        Basic beta-likeness: the largest lift, less 1.
    delta
        Delta-disclosure: the largest |log-lift|, in nats; what eps bounds.
    l1_lift, chi_squared_lift
        The largest of each.
    average_log_lift
        The largest D(p(.|y) || p(.)), in nats.
    maximal_leakage, information
        Maximal leakage and I(S;Y), averages over all released values, in nats.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> found = loglift.Notions.of(joint)
    >>> found.k, found.distinct_l, round(found.t, 2), round(found.delta, 3)
    (40, 2, 0.25, 0.693)
    """

    k: int | None
    distinct_l: int
    entropy_l: float
    t: float
    t_ordered: float | None
    beta: float
    delta: float
    l1_lift: float
    chi_squared_lift: float
    average_log_lift: float
    maximal_leakage: float
    information: float

    @classmethod
    def of(cls, joint: Joint) -> Notions:
        """Measure a joint with one row per released value. O(cells)."""
        variables, counted = joint.by_variable(), np.issubdtype(joint.counts.dtype, np.integer)
        distance = float(total_variation(joint).max())
        ruled_out = any(distinct_sensitive(one).min() < len(one.sensitive) for one in variables)
        ordered = [placed for one in variables if (placed := _in_order(one)) is not None]
        return cls(
            k=int(joint.records.min()) if counted else None,
            distinct_l=int(distinct_sensitive(joint).min()),
            entropy_l=float(entropy_diversity(joint).min()),
            t=distance,
            t_ordered=max((float(ordered_distance(one).max()) for one in ordered), default=None),
            beta=float(basic_beta_likeness(joint).max()),
            delta=math.inf if ruled_out else float(omegas_of(joint.scaled).max()),
            l1_lift=2 * distance,
            chi_squared_lift=float(chi_squared_lift(joint).max()),
            average_log_lift=float(average_log_lift(joint).max()),
            maximal_leakage=maximal_leakage(joint),
            information=max(information_of(one.scaled) for one in variables),
        )

    @classmethod
    def of_release(cls, mechanism: Mechanism, joint: Joint) -> Notions:
        """Measure what a mechanism releases of a table; of random draws, what is expected."""
        rows = mechanism.rows_in(joint)
        if mechanism.labels is not None:
            return cls.of(joint.merged(canonical(rows)))
        return cls.of(joint.drawn(take_rows(mechanism.probabilities, rows)))


def _in_order(joint: Joint) -> Joint | None:
    """Return the joint of one variable with its columns in the order of its sensitive column.

    None where the variable has no order (several columns), or not all its values a place in it.
    """
    if len(joint.sensitive_columns) != 1:
        return None
    order = joint.sensitive_columns[0].order
    if order is None:
        return None
    values = tuple(joint.sensitive[s] for s in order.tolist())
    mass = take_columns(joint.scaled, order)
    return Joint.trusted(mass, joint.public, values, joint.variables)
