"""Every measure of what a mechanism gives away and keeps, in one object."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from loglift.display.card import CUSTODIAN, Card, Table
from loglift.display.frame import frame_of
from loglift.joint import Joint
from loglift.measures.distortion import f_information, hamming_distortion
from loglift.measures.entropy import entropy
from loglift.measures.leakage import (
    alpha_leakage,
    alpha_lift,
    local_privacy_level,
    sibson_information,
)
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.notions import Notions


@dataclass(frozen=True, repr=False)
class Measures:
    """What a mechanism gives away and keeps on a joint, by every measure of `loglift.measures`.

    Attributes
    ----------
    notions
        The worst released value by each notion (k, l, t, beta, delta and others), and the averages
        I(S;Y) and maximal leakage, as `Notions`.
    alpha
        The order of the next three.
    sibson_information, alpha_leakage
        Sibson's and Arimoto's mutual information from S to Y of that order, nats.
    alpha_lift
        The largest over y.
    guessing_gain
        The alpha-leakage of order infinity, nats: log of the factor by which the best single guess
        of S is right more often.
    local_privacy_level
        The least epsilon of local differential privacy of Y with respect to S, nats.
    entropy
        H(X), nats.
    information, nmil
        I(X;Y) in nats, and 1 - I(X;Y)/H(X).
    utility
        What is kept of the goal of the mechanism; I(X;Y) where that is the goal.
    total_variation_information, chi_squared_information
        f-information of X and Y by total variation and by chi-squared.
    hamming_distortion
        How often the likeliest public value behind a released one is wrong.
    of_table
        Whether the joint was counted from a table.

    Examples
    --------
    >>> import loglift
    >>> loglift.merge([[30, 10], [10, 30], [20, 20]], 0.7).measures()
    Measures(leakage 0.6931, maximal leakage 0.2877, I(S;Y) 0.08721, I(X;Y) 1.099 nats, NMIL 0)
    """

    notions: Notions
    alpha: float
    sibson_information: float
    alpha_leakage: float
    alpha_lift: float
    guessing_gain: float
    local_privacy_level: float
    entropy: float
    information: float
    nmil: float
    utility: float
    total_variation_information: float
    chi_squared_information: float
    hamming_distortion: float
    of_table: bool = False

    @classmethod
    def of(cls, mechanism: Mechanism, joint: Joint, alpha: float = 2.0) -> Measures:
        """Measure a mechanism on the joint that it was made for. O(cells of joint and p(y|x))."""
        released = mechanism.release(joint)
        measured = mechanism.measured(joint)
        p, channel = joint.p_public, mechanism.channel
        return cls(
            notions=Notions.of_release(mechanism, joint),
            alpha=alpha,
            sibson_information=sibson_information(released, alpha),
            alpha_leakage=alpha_leakage(released, alpha),
            alpha_lift=float(alpha_lift(released, alpha).max()),
            guessing_gain=alpha_leakage(released, math.inf),
            local_privacy_level=local_privacy_level(released),
            entropy=entropy(p),
            information=measured.information,
            nmil=measured.nmil,
            utility=measured.utility,
            total_variation_information=f_information(p, channel, "total-variation"),
            chi_squared_information=f_information(p, channel, "chi-squared"),
            hamming_distortion=hamming_distortion(p, channel),
            of_table=bool(joint.columns),
        )

    def __repr__(self) -> str:
        return (
            f"Measures(leakage {self.notions.delta:.4g}, maximal leakage "
            f"{self.notions.maximal_leakage:.4g}, I(S;Y) {self.notions.information:.4g}, I(X;Y) "
            f"{self.information:.4g} nats, NMIL {self.nmil:.4g})"
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        tables = tuple(
            Table(
                ("measure", "unit", "figure"),
                tuple(
                    (name, unit, _text(value))
                    for of, name, unit, value in self._rows()
                    if of == told
                ),
                f"what it {told}",
                numbers_from=2,
            )
            for told in ("gives away", "keeps")
        )
        notes = (CUSTODIAN,) if self.of_table else ()
        return Card("Measures of a mechanism", (), tables, notes).html()

    def to_frame(self) -> Any:
        """Return the measures as a dataframe: what it is about, measure, unit, figure."""
        return frame_of(
            [
                {"about": of, "measure": name, "unit": unit, "figure": value}
                for of, name, unit, value in self._rows()
            ]
        )

    def _rows(self) -> Iterator[tuple[str, str, str, float | None]]:
        """Yield what each measure is about, its name, its unit and its figure."""
        of, order = self.notions, f"{self.alpha:g}"
        leaks: list[tuple[str, str, float | None]] = [
            ("largest |log-lift| (delta-disclosure)", "nats", of.delta),
            ("largest lift less 1 (beta-likeness)", "", of.beta),
            ("local differential privacy", "nats", self.local_privacy_level),
            ("maximal leakage", "nats", of.maximal_leakage),
            ("mutual information I(S;Y)", "nats", of.information),
            (f"Sibson information of order {order}", "nats", self.sibson_information),
            (f"alpha-leakage of order {order}", "nats", self.alpha_leakage),
            ("alpha-leakage of order inf", "nats", self.guessing_gain),
            (f"largest alpha-lift of order {order}", "", self.alpha_lift),
            ("largest average log-lift", "nats", of.average_log_lift),
            ("largest l1-lift", "", of.l1_lift),
            ("largest chi-squared-lift", "", of.chi_squared_lift),
            ("t-closeness", "", of.t),
            ("t-closeness, ordered", "", of.t_ordered),
            ("least entropy l-diversity", "values", of.entropy_l),
            ("least distinct l-diversity", "values", of.distinct_l),
            ("k-anonymity", "records", of.k),
        ]
        keeps: list[tuple[str, str, float | None]] = [
            ("information I(X;Y)", "nats", self.information),
            ("entropy H(X)", "nats", self.entropy),
            ("NMIL, the share lost", "", self.nmil),
            ("utility, what is kept of the goal", "", self.utility),
            ("f-information by total variation", "", self.total_variation_information),
            ("f-information by chi-squared", "", self.chi_squared_information),
            ("Hamming distortion", "", self.hamming_distortion),
        ]
        yield from (("gives away", *row) for row in leaks)
        yield from (("keeps", *row) for row in keeps)


def _text(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}".replace("inf", "∞")
