"""The one object a report is made of: everything its page shows, as numbers and texts.

Pages show these numbers and compute none. `of_release` and `of_audit` are for the custodian;
`of_mechanism` takes a recoding and nothing else, so that what is published cannot say more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loglift.audit.audit import Audit, Counted
from loglift.certify.certificate import Belief, Draws
from loglift.explain.around import Nearby
from loglift.explain.explain import Explanation
from loglift.mechanism.recoding import Recoding
from loglift.promise.bound import Bound
from loglift.release.learning import Protected
from loglift.report.heat import Heat, heat_of, value_order
from loglift.report.partition import (
    MOST_VALUES,
    Known,
    Partition,
    ValueRow,
    full_partition,
    published_partition,
    texts_of,
)
from loglift.report.population import audited_population, released_population
from loglift.report.words import proven_words, sensitive_released


@dataclass(frozen=True)
class Figures:
    """One line of before and after; None where there is nothing to tell."""

    leakage: float
    information: float
    kept: float
    values: int
    fewest_records: int


@dataclass(frozen=True)
class Summary:
    """What a page shows. Parts that are None are left out."""

    public: tuple[str, ...]
    sensitive: tuple[str, ...]
    each: bool
    bound: Bound | None
    partition: Partition
    audit: Audit | None = None
    recoding: Recoding | None = None
    records: int | None = None
    counts_sha256: str | None = None
    upper_bound: float | None = None
    proven: str = ""
    before: Figures | None = None
    after: Figures | None = None
    heat: Heat | None = None
    why: Explanation | None = None
    around: tuple[Nearby, ...] | None = None
    kept_audit: Audit | None = None
    sensitive_released: str | None = None
    keeps_nothing: bool = False
    population: str | None = None
    draws: Draws | None = None
    beliefs: tuple[Belief, ...] = ()


def of_release(result: Protected) -> Summary:
    """Summarise a protected table for its custodian."""
    audit, certificate, recoding = result.audit, result.certificate, result.recoding
    tables = _counted(audit).tables
    order, omegas, weight = value_order(tables)
    merged = result.mechanism.labels is not None
    most = result.mechanism.upper_bound
    return Summary(
        public=audit.public,
        sensitive=audit.sensitive,
        each=certificate.each,
        bound=certificate.bound,
        partition=full_partition(recoding, Known(order, weight, omegas, certificate)),
        audit=audit,
        recoding=recoding,
        records=certificate.records,
        counts_sha256=certificate.counts_sha256,
        upper_bound=most / certificate.entropy if certificate.entropy else 1.0,
        proven=proven_words(result.mechanism, certificate.entropy),
        before=_figures_before(audit),
        after=Figures(
            certificate.leakage,
            certificate.utility,
            1 - certificate.nmil,
            len(certificate.values),
            min(value.records for value in certificate.values),
        ),
        heat=heat_of(
            tables, order, certificate.bound, np.array(recoding.blocks) if merged else None
        ),
        why=result.why if merged else None,
        around=result.around if merged else None,
        kept_audit=result.kept_audit,
        sensitive_released=sensitive_released(certificate),
        keeps_nothing=certificate.keeps_nothing,
        population=None if certificate.population is None else released_population(certificate),
        draws=certificate.draws,
        beliefs=certificate.beliefs,
    )


def of_audit(audit: Audit) -> Summary:
    """Summarise what a table gives away, for its custodian."""
    counted = _counted(audit)
    order, omegas, weight = value_order(counted.tables)
    values = [
        ValueRow(texts_of(counted.values[x]), None, int(weight[x]), float(omegas[x]))
        for x in order[:MOST_VALUES].tolist()
    ]
    return Summary(
        public=audit.public,
        sensitive=audit.sensitive,
        each=audit.each,
        bound=audit.bound,
        partition=Partition(audit.public, (), tuple(values), (), audit.public_values),
        audit=audit,
        records=audit.records,
        before=_figures_before(audit),
        heat=heat_of(counted.tables, order, audit.bound, None),
        population=None if audit.population is None else audited_population(audit),
    )


def of_mechanism(recoding: Recoding) -> Summary:
    """Summarise what a mechanism file says: nothing in here comes from anywhere else."""
    return Summary(
        public=recoding.columns,
        sensitive=tuple(column.name for column in recoding.sensitive),
        each=recoding.each,
        bound=recoding.bound,
        partition=published_partition(recoding),
        recoding=recoding,
    )


def _counted(audit: Audit) -> Counted:
    if audit.counted is None:
        raise TypeError("this audit was made without its counts")
    return audit.counted


def _figures_before(audit: Audit) -> Figures:
    fewest = int(_counted(audit).tables[0].weight.min())
    return Figures(audit.leakage, audit.entropy_public, 1.0, audit.public_values, fewest)
