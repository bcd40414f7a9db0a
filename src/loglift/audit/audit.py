"""What the public values of a table reveal about its sensitive ones, as one summary object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from loglift.audit.columns import ColumnLeakage, column_leakages, pairs_left_out
from loglift.audit.readers import ReaderAudit, audit_reader
from loglift.audit.risks import Driver, Risk, drivers_of, risks_of
from loglift.confidence.sample import PopulationAudit, Sample
from loglift.display.card import shortened
from loglift.display.frame import frame_of
from loglift.explain.caps import Cap, caps_of
from loglift.explain.suggest import Suggestion
from loglift.joint import Joint
from loglift.measures.entropy import entropy_of
from loglift.measures.leakage import information_of
from loglift.measures.lift import omegas_of, unweighted_leakage
from loglift.mechanism.notions import Notions
from loglift.promise.bound import Bound, bounded_values
from loglift.promise.integers import exactly_safe
from loglift.promise.knowledge import Knowledge
from loglift.values import encoded


@dataclass(frozen=True, repr=False)
class Audit:
    """What the public columns of a table reveal about the sensitive ones; nats throughout.

    Attributes
    ----------
    records, public, sensitive
        The number of records, and the names of the columns.
    weights
        The column of survey weights; None where every record counts the same. Entropies,
        information and leakages are then those of the population that the survey stands for.
    each
        Whether every sensitive column is a variable of its own; otherwise their joint value is one.
    public_values, sensitive_values
        How many distinct values there are, those of all sensitive variables together.
    entropy_public
        H(X).
    entropy_sensitive, information
        H(S) and I(S;X); of several sensitive variables, the largest of each.
    leakage
        max over x of omega(x): the largest |log-lift|. With a bound, of the sensitive values that
        it limits.
    unweighted_leakage
        The leakage of the records, each counted the same; None without survey weights.
    bound, holds
        The bound, and whether every public value is inside it, for all readers, decided in exact
        arithmetic; None without a bound. This is about the table; `population` is about more than
        the table.
    values_at_risk, records_at_risk, share_at_risk
        How many public values are outside the bound, and how many records, and which share of the
        records, have them; None without a bound.
    notions
        How the table stands by k-anonymity, l-diversity, t-closeness and all other notions, about
        all sensitive values, whatever the bound.
    riskiest, drivers
        The public values that reveal most, and the sensitive values they reveal most about.
    caps
        The limits that rare sensitive values set on any release by merging within the bound, the
        tightest first.
    columns, pairs_left_out
        Every public column on its own, and the pairs of columns, of which the number that is given
        was not measured (`column_leakages`).
    suggestion
        Which rare sensitive values to group, where that was asked for.
    population
        What the records prove about their population, where a confidence was given.
    readers
        What the public values tell readers who know more, where such readers were named.
    combined
        The sensitive values that count as one, by column.
    joint
        The counts, for a report; the JSON form leaves them out.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> people = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "n"), ("c", "n")]
    >>> table = pl.DataFrame(people, schema=["job", "ill"], orient="row")
    >>> found = loglift.audit(table, sensitive="ill", public="job")
    >>> found.records, found.public_values, found.leakage
    (6, 3, inf)
    """

    records: int
    weights: str | None
    public: tuple[str, ...]
    sensitive: tuple[str, ...]
    each: bool
    public_values: int
    sensitive_values: int
    entropy_public: float
    entropy_sensitive: float
    information: float
    leakage: float
    unweighted_leakage: float | None
    bound: Bound | None
    holds: bool | None
    values_at_risk: int | None
    records_at_risk: int | None
    share_at_risk: float | None
    notions: Notions
    riskiest: tuple[Risk, ...]
    drivers: tuple[Driver, ...]
    caps: tuple[Cap, ...]
    columns: tuple[ColumnLeakage, ...]
    pairs_left_out: int
    suggestion: Suggestion | None
    population: PopulationAudit | None
    readers: tuple[ReaderAudit, ...]
    joint: Joint = field(repr=False, compare=False)
    combined: dict[str, tuple[tuple[Any, ...], ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        holds = {None: "", True: ", the bound holds", False: ", the bound does NOT hold"}
        return (
            f"Audit({', '.join(self.public)} about {', '.join(self.sensitive)}: {self.records} "
            f"records, leakage {self.leakage:.4g} nats{holds[self.holds]})"
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows; it is for the custodian."""
        from loglift.audit.card import card_of  # noqa: PLC0415, it shows this class

        return card_of(self).html()

    def to_frame(self) -> Any:
        """Return the public values that reveal most as a dataframe, the first one the riskiest."""
        return frame_of(
            [
                {
                    **risk.value,
                    "records": risk.records,
                    "omega": risk.omega,
                    "does": risk.does,
                    "sensitive": shortened(tuple(risk.sensitive.values())),
                    "log_lift": risk.log_lift,
                }
                for risk in self.riskiest
            ]
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form of `loglift audit --json`; infinite numbers are "inf", "-inf"."""
        names = [item.name for item in fields(self) if item.name != "joint"]
        return {name: encoded(getattr(self, name)) for name in names}


def audit_joint(
    joint: Joint,
    *,
    bound: Bound | None = None,
    top: int = 20,
    confidence: float | None = None,
    knowledge: Sequence[Knowledge] = (),
) -> Audit:
    """Summarise a joint that was counted from a table.

    `top` limits the number of public values that are listed. With a confidence, the records are
    taken for a random sample of a population. `knowledge` is that of readers who know more.
    O(cells) for the table and for each column and pair of columns that is measured on its own.
    """
    limits = None if bound is None else bound.on(joint)
    among = bounded_values(limits)
    omegas = omegas_of(joint.scaled, among)
    at_risk = None if limits is None else ~exactly_safe(joint.mass, limits)
    readers = tuple(audit_reader(each, joint, limits) for each in knowledge)
    records_at_risk = None if at_risk is None else int(joint.records[at_risk].sum())
    sample = None if confidence is None else Sample.of(joint, bound, confidence)
    variables, entropy_public = joint.by_variable(), entropy_of(joint.weight / joint.total)
    events = [joint.event(s) for s in range(len(joint.sensitive))]
    return Audit(
        records=int(joint.records.sum()),
        weights=None if joint.survey is None else joint.survey.column,
        public=joint.column_names,
        sensitive=tuple(column.name for column in joint.sensitive_columns),
        each=len(variables) > 1,
        public_values=len(joint.public),
        sensitive_values=len(joint.sensitive),
        entropy_public=entropy_public,
        entropy_sensitive=max(entropy_of(one.prior / one.total) for one in variables),
        information=max(information_of(one.scaled) for one in variables),
        leakage=float(omegas.max()),
        unweighted_leakage=unweighted_leakage(joint, among),
        bound=bound,
        holds=None
        if at_risk is None
        else not at_risk.any() and all(reader.holds for reader in readers),
        values_at_risk=None if at_risk is None else int(at_risk.sum()),
        records_at_risk=records_at_risk,
        share_at_risk=None
        if records_at_risk is None
        else float(records_at_risk / joint.records.sum()),
        notions=Notions.of(joint),
        riskiest=risks_of(joint, omegas, top, sample, among),
        drivers=drivers_of(joint, omegas, limits),
        caps=() if limits is None else caps_of(joint.counts, events, limits, entropy_public),
        columns=column_leakages(joint, bound),
        pairs_left_out=pairs_left_out(joint),
        suggestion=None,
        population=None if sample is None else sample.audit(),
        readers=readers,
        joint=joint,
    )
