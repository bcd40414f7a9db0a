"""Reports as self-contained HTML pages: the custodian's, an audit's, and one to publish."""

from __future__ import annotations

import math
from html import escape

from loglift.audit.audit import Audit
from loglift.mechanism.recoding import Recoding
from loglift.promise.bound import Bound
from loglift.release.learning import Protected
from loglift.report import sections
from loglift.report.data import page_data
from loglift.report.markup import Page, Section, put_together
from loglift.report.summary import Summary, of_audit, of_mechanism, of_release
from loglift.report.words import limit_of, nats, nothing_left, percent

PRIVATE = "For the custodian only: this page names sensitive values and counts."
OPEN = (
    "This page says what mechanism.json says, and no more. The bound is on what released values "
    "tell, not on what this page tells: publish it only where all may know what was merged."
)


def render(result: Protected, *, command: str | None = None) -> str:
    """Return the report of a protected table for its custodian."""
    summary = of_release(result)
    if summary.bound is None or summary.heat is None:
        raise TypeError("a release has a bound and counts")
    parts = [
        sections.before_after(summary),
        sections.heat_map(summary, summary.heat),
        sections.partition_view(summary),
        sections.frontier_view(summary),
        sections.why_view(summary),
        sections.beliefs_view(summary),
        sections.guarantee_view(summary, summary.bound),
        sections.parameters_view(summary, command),
    ]
    title = f"Release of {', '.join(summary.public)}"
    return _page(title, PRIVATE, release_verdict(summary), parts, summary)


def render_audit(audit: Audit, *, command: str | None = None) -> str:
    """Return the report of an audit for the custodian."""
    summary = of_audit(audit)
    if summary.heat is None:
        raise TypeError("an audit has counts")
    parts = [
        sections.before_after(summary),
        sections.heat_map(summary, summary.heat),
        sections.drivers_view(summary),
        sections.partition_view(summary),
        sections.parameters_view(summary, command),
    ]
    title = f"Audit of {', '.join(summary.public)}"
    verdict = audit_verdict(audit)
    if summary.population is not None:
        verdict += _verdict("plain", "Beyond this table.", summary.population)
    return _page(title, PRIVATE, verdict, parts, summary)


def render_public(recoding: Recoding) -> str:
    """Return a report to publish: a function of the mechanism file alone."""
    summary = of_mechanism(recoding)
    parts = [
        sections.partition_view(summary),
        sections.guarantee_view(summary, recoding.bound),
        sections.parameters_view(summary, None),
    ]
    words = (
        f"{sections.recoding_words(recoding)}, so that none of them "
        f"{_moves(recoding.bound, summary.sensitive)}."
    )
    verdict = _verdict("good", f"Bounded by {limit_of(recoding.bound)}.", words)
    title = f"How {', '.join(summary.public)} was released"
    return _page(title, OPEN, verdict, parts, summary, private=False)


def release_verdict(summary: Summary) -> str:
    """Say in a sentence or two that the release is safe, what it keeps, what it leaves open."""
    if summary.before is None or summary.after is None or summary.bound is None:
        raise TypeError("only a release has an after")
    words = (
        f"None of the {summary.after.values:,} released values "
        f"{_moves(summary.bound, summary.sensitive)}. {percent(summary.after.kept)} of the "
        f"information in {', '.join(summary.public)} is kept. Checked in exact arithmetic on "
        f"{summary.records:,} records."
    )
    verdict = _verdict("good", f"Safe within {limit_of(summary.bound)}.", words)
    if summary.keeps_nothing and summary.audit is not None:
        left = nothing_left(
            summary.audit, summary.bound, summary.after.values, drawn=summary.draws is not None
        )
        verdict += _verdict("bad", "Nothing is left to analyse.", left)
    if summary.population is not None:
        verdict += _verdict("good", "Beyond this table.", summary.population)
    if summary.sensitive_released is not None:
        words = summary.sensitive_released
        verdict += _verdict("bad", "Not protected.", words)
    kept = summary.kept_audit
    if kept is None:
        return verdict
    names = ", ".join(kept.public[1:])
    if kept.holds:
        words = f"{names}: together with the released values this stays inside the bound."
        return verdict + _verdict("good", "Kept as in the table.", words)
    leaks = nats(kept.leakage).replace("inf", "∞")
    words = (
        f"{names}: kept as in the table. Together with the released values this leaks {leaks} "
        f"nats; {percent(kept.share_at_risk or 0)} of the records are outside the bound."
    )
    return verdict + _verdict("bad", "Not protected.", words)


def audit_verdict(audit: Audit) -> str:
    """Say in a sentence whether a table is within the bound, or what it gives away."""
    if audit.bound is not None and audit.holds:
        moves = _moves(audit.bound, audit.sensitive)
        words = f"None of the {audit.public_values:,} public values {moves}."
        return _verdict("good", f"Within {limit_of(audit.bound)} as it is.", words)
    if audit.bound is not None:
        words = (
            f"{audit.values_at_risk:,} of {audit.public_values:,} public values, with "
            f"{percent(audit.share_at_risk or 0)} of the records, give away more about "
            f"{', '.join(audit.sensitive)} than {limit_of(audit.bound)} allows."
        )
        return _verdict("bad", f"Not within {limit_of(audit.bound)}.", words)
    if math.isinf(audit.leakage):
        words = f"Some public values rule a value of {', '.join(audit.sensitive)} out."
    else:
        words = (
            f"The most revealing public value moves belief about {', '.join(audit.sensitive)} by a "
            f"factor of {math.exp(audit.leakage):.3g}."
        )
    return _verdict("plain", f"Leakage {nats(audit.leakage)} nats.".replace("inf", "∞"), words)


def _moves(bound: Bound, sensitive: tuple[str, ...]) -> str:
    """Say what a value within the bound does not do."""
    parts = []
    if math.isfinite(bound.upper):
        parts.append(f"more than {math.exp(min(bound.upper, 700.0)):.3g} times")
    if math.isfinite(bound.lower):
        parts.append(f"less than {math.exp(-bound.lower):.3g} times")
    names = ", ".join(sensitive)
    return f"makes any value of {names} {' or '.join(parts)} as likely as in the whole table"


def _verdict(kind: str, head: str, words: str) -> str:
    return f'<p class="verdict {kind}"><strong>{escape(head)}</strong> {escape(words)}</p>'


def _page(
    title: str,
    audience: str,
    verdict: str,
    parts: list[Section | None] | list[Section],
    summary: Summary,
    *,
    private: bool = True,
) -> str:
    shown = tuple(part for part in parts if part is not None)
    return put_together(Page(title, audience, private, verdict, shown, page_data(summary)))
