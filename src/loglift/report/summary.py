"""The one object that every renderer shows: what there is to say about a release or an audit.

Renderers compute nothing: figures, sentences and the answers of solvers are all in here.
`Summary.of_release` and `Summary.of_audit` are for the custodian; `Summary.of_mechanism` takes a
mechanism and nothing else, so that a published page cannot say more than its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from loglift.audit.audit import Audit
from loglift.certify.certificate import Belief, Certificate
from loglift.explain.around import Nearby
from loglift.explain.explain import Explanation
from loglift.mechanism.kept import WHOLE_ROWS
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.notions import Notions
from loglift.mechanism.words import limit_of
from loglift.promise.bound import Bound
from loglift.readers.evaluation import Evaluation
from loglift.report.detail import Detail
from loglift.report.heat import Heat
from loglift.report.origin import Origin, Preview
from loglift.report.partition import Partition
from loglift.report.record import in_plain_words, record_of
from loglift.report.sentences.audit import audit_statements
from loglift.report.sentences.check import mechanism_statement
from loglift.report.sentences.guarantee import guaranteed, mechanism_note, not_guaranteed
from loglift.report.sentences.kept import proven, weights_words
from loglift.report.sentences.population import audited_population, released_population
from loglift.report.sentences.release import release_statements
from loglift.report.sentences.statement import Statement

Kind: TypeAlias = Literal["release", "audit", "mechanism"]


@dataclass(frozen=True)
class TableFigures:
    """One line of before and after: nats, the share of H(X) that is kept, and counts."""

    leakage: float
    information: float
    kept: float
    values: int
    fewest_records: int


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Summary:
    """What renderers show. Parts that are None or empty are left out.

    Attributes
    ----------
    kind
        What is summarised.
    public, sensitive, each, bound
        The columns, whether each sensitive one is bounded on its own, and the bound.
    statements
        The results in sentences, the most important first.
    notes
        What a custodian has to know besides.
    guaranteed, not_guaranteed, parameters
        What is promised and what is not, and how it was made: names and texts.
    before, after
        The figures of the table and of its release; information is about whole rows.
    notions
        How a release stands by other notions, such as k-anonymity; those of the table are in
        `audit.notions`.
    goal
        What was to be kept, in words; "whole rows" where it is the information in them, I(X;Y).
    kept
        The share of the goal that is kept.
    proven, upper_bound
        The most that a release can keep: in words, and as a share of the goal.
    explanation, nearby
        Why a release keeps no more, and what is kept at other bounds; `nearby` is empty where
        that was not tried. Both None where the question does not arise.
    unexplained
        Why there is no explanation where one was asked for, in words that complete "because".
    detail
        What it shows value by value.
    beliefs
        What a reader may believe about each sensitive value.
    record, in_plain_words
        What the record of a data protection officer states, as names and texts, and what the
        release means for a person.
    preview
        Some released rows.
    evaluation
        What readers can do with the release, and what an attacker can; None unless asked for.
    mechanism, certificate, audit, passthrough_audit
        What the summary was made from.

    """

    kind: Kind
    public: tuple[str, ...]
    sensitive: tuple[str, ...]
    each: bool
    bound: Bound | None
    statements: tuple[Statement, ...]
    parameters: tuple[tuple[str, str], ...]
    detail: Detail
    notes: tuple[str, ...] = ()
    guaranteed: tuple[str, ...] = ()
    not_guaranteed: tuple[str, ...] = ()
    before: TableFigures | None = None
    after: TableFigures | None = None
    notions: Notions | None = None
    goal: str = ""
    kept: float | None = None
    proven: str = ""
    upper_bound: float | None = None
    explanation: Explanation | None = None
    unexplained: str | None = None
    nearby: tuple[Nearby, ...] | None = None
    beliefs: tuple[Belief, ...] = ()
    record: tuple[tuple[str, str], ...] = ()
    in_plain_words: str = ""
    preview: Preview | None = None
    evaluation: Evaluation | None = None
    mechanism: Mechanism | None = None
    certificate: Certificate | None = None
    audit: Audit | None = None
    passthrough_audit: Audit | None = None

    def __repr__(self) -> str:
        return f"Summary({self.kind} of {', '.join(self.public)})"

    @classmethod
    def of_release(
        cls,
        mechanism: Mechanism,
        certificate: Certificate,
        audit: Audit,
        notions: Notions,
        *,
        passthrough_audit: Audit | None = None,
        explanation: Explanation | None = None,
        nearby: tuple[Nearby, ...] | None = None,
        origin: Origin | None = None,
        preview: Preview | None = None,
        evaluation: Evaluation | None = None,
        unexplained: str | None = None,
        detail: Detail | None = None,
    ) -> Summary:
        """Summarise a release for its custodian; `detail` is of this release, if it was made."""
        found = certificate.population
        population = None if found is None else released_population(certificate)
        return cls(
            kind="release",
            public=audit.public,
            sensitive=audit.sensitive,
            each=certificate.each,
            bound=certificate.bound,
            statements=release_statements(certificate, audit, passthrough_audit),
            notes=(mechanism_note(mechanism),),
            guaranteed=guaranteed(mechanism, population),
            not_guaranteed=not_guaranteed(mechanism, population=population is not None),
            parameters=(
                *_columns(audit.public, audit.sensitive, certificate.bound, each=certificate.each),
                *_made(mechanism, certificate),
                ("certified for the population", population or "not asked for"),
                ("hash of the counts (SHA-256)", certificate.counts_sha256),
            ),
            detail=detail or Detail(audit.public, certificate.bound, mechanism, certificate, audit),
            before=_figures_before(audit),
            after=TableFigures(
                certificate.leakage,
                certificate.utility,
                1 - certificate.nmil,
                len(certificate.values),
                min(certificate.block_records),
            ),
            notions=notions,
            goal=certificate.goal_words or WHOLE_ROWS,
            kept=certificate.goal_share,
            proven=proven(certificate),
            upper_bound=certificate.at_most,
            explanation=explanation,
            unexplained=unexplained,
            nearby=nearby,
            beliefs=certificate.beliefs,
            record=record_of(mechanism, certificate, origin),
            in_plain_words=in_plain_words(mechanism, certificate),
            preview=preview,
            evaluation=evaluation,
            mechanism=mechanism,
            certificate=certificate,
            audit=audit,
            passthrough_audit=passthrough_audit,
        )

    @classmethod
    def of_audit(cls, audit: Audit) -> Summary:
        """Summarise what a table reveals, for its custodian."""
        population = None if audit.population is None else audited_population(audit)
        return cls(
            kind="audit",
            public=audit.public,
            sensitive=audit.sensitive,
            each=audit.each,
            bound=audit.bound,
            statements=audit_statements(audit),
            parameters=(
                *_columns(audit.public, audit.sensitive, audit.bound, each=audit.each),
                ("certified for the population", population or "not asked for"),
            ),
            detail=Detail(audit.public, audit.bound, audit=audit),
            before=_figures_before(audit),
            audit=audit,
        )

    @classmethod
    def of_mechanism(cls, mechanism: Mechanism) -> Summary:
        """Summarise what a mechanism file says, from that file alone."""
        public, sensitive = mechanism.column_names, mechanism.sensitive_names
        return cls(
            kind="mechanism",
            public=public,
            sensitive=sensitive,
            each=mechanism.each,
            bound=mechanism.bound,
            statements=(mechanism_statement(mechanism),),
            guaranteed=guaranteed(mechanism, None),
            not_guaranteed=not_guaranteed(mechanism, population=False),
            parameters=(
                *_columns(public, sensitive, mechanism.bound, each=mechanism.each),
                *_made(mechanism, None),
            ),
            detail=Detail(public, mechanism.bound, mechanism),
            mechanism=mechanism,
        )

    @property
    def partition(self) -> Partition:
        """The public values, and what they are released as."""
        return self.detail.partition

    @property
    def heat(self) -> Heat | None:
        """The log-lifts of the riskiest values; None for a mechanism alone."""
        return self.detail.heat

    @property
    def keeps_rows(self) -> bool:
        """Whether the information in whole rows is all that a release is to keep.

        An audit has no goal; a release of a single column has that one, or none that is larger.
        """
        return self.goal == WHOLE_ROWS if self.goal else len(self.public) == 1

    @property
    def drawn(self) -> bool:
        """Whether released values are drawn at random."""
        return self.mechanism is not None and self.mechanism.labels is None


def _columns(
    public: tuple[str, ...], sensitive: tuple[str, ...], bound: Bound | None, *, each: bool
) -> Iterator[tuple[str, str]]:
    """Yield the parameters that every summary has."""
    yield "public columns", ", ".join(public)
    yield "sensitive columns", ", ".join(sensitive)
    if len(sensitive) > 1:
        yield "bounded", "each on its own" if each else "their joint value"
    yield "bound", "none asked for" if bound is None else limit_of(bound)


def _made(mechanism: Mechanism, certificate: Certificate | None) -> Iterator[tuple[str, str]]:
    """Yield how a mechanism was made and, with its certificate, its goal and its draws."""
    yield "method", mechanism.method
    if certificate is not None:
        yield "what was to be kept", weights_words(certificate.targets)
    draws = None if certificate is None else certificate.draws
    if draws is not None:
        yield "draws", f"{draws.source}: {draws.note}"
        yield "key", draws.key or "none"
    yield "least records of a value", str(mechanism.min_count or "not asked for")
    intact = mechanism.intact
    yield "kept intact", "nothing" if intact is None else ", ".join(intact) or "given by value"
    cuts = [f"{name} {cut.words}" for name, cut in mechanism.bins.items()]
    yield "cut into bands", "; ".join(cuts) or "nothing"
    if mechanism.weights is not None:
        yield "survey weights", mechanism.weights + (" and none" if mechanism.both else "")
    if mechanism.known:
        yield "readers may know", ", ".join(mechanism.known_names)
    if mechanism.given:
        yield (
            "earlier releases",
            "; ".join(f"{', '.join(each.public)} ({each.sha256[:12]})" for each in mechanism.given),
        )


def _figures_before(audit: Audit) -> TableFigures:
    fewest = int(audit.joint.records.min())
    return TableFigures(audit.leakage, audit.entropy_public, 1.0, audit.public_values, fewest)
