"""What there is to say about a release: it is safe, what it keeps, what stays open."""

from __future__ import annotations

import math

from loglift.audit.audit import Audit
from loglift.certify.certificate import Certificate
from loglift.display.numbers import percent
from loglift.identifiers import is_identifier
from loglift.report.sentences.basis import combined_statements, own_bands, weights_statements
from loglift.report.sentences.check import none_moves_words
from loglift.report.sentences.kept import asked_for, kept_words
from loglift.report.sentences.losses import mostly_sets, nothing_left
from loglift.report.sentences.population import released_population
from loglift.report.sentences.readers import reader_statements
from loglift.report.sentences.statement import Statement
from loglift.report.words import amount, binned, either, held, number_of, series

AS_VALUES = (
    "Each record shows a value of its block, drawn at random. What is said here of released "
    "values, of labels after, of unchanged cells and of records of a value is about the blocks."
)


def release_statements(
    certificate: Certificate, audit: Audit, passthrough_audit: Audit | None
) -> tuple[Statement, ...]:
    """Return what there is to say about a release: it is safe, what it keeps, what stays open."""
    words = (
        f"{none_moves_words(certificate)}, checked exactly on "
        f"{number_of(certificate.records, 'record')}. {kept_words(certificate)}"
    )
    found = [Statement("good", f"Safe: {held(certificate.bound, certificate.combined)}.", words)]
    found += weights_statements(certificate)
    found += reader_statements(certificate.readers, certificate.bound)
    if certificate.kept_without is not None:
        found.append(_cost(certificate))
    found += own_bands(certificate.bins)
    found += combined_statements(certificate.combined)
    if certificate.show == "values":
        found.append(Statement("plain", "Shown as values.", AS_VALUES))
    if certificate.keeps_nothing:
        left = nothing_left(certificate, audit)
        found.append(Statement("bad", "Nothing is left to analyse.", left))
    else:
        found += mostly_sets(certificate, audit)
    if certificate.population is not None:
        words = released_population(certificate)
        found.append(Statement("good", "Beyond this table.", words))
    shown = [name for name in certificate.beside if name in certificate.sensitive]
    if shown:
        words = (
            f"{', '.join(shown)} {either(len(shown), 'is', 'are')} released as in the table: "
            "whoever finds the row of a person reads it there. The bound is only about readers who "
            "do not see it."
        )
        found.append(Statement("bad", "Not protected.", words))
    if passthrough_audit is not None:
        alone = ", for readers who know no more" if certificate.readers else ""
        found.append(_passthrough(passthrough_audit, alone=alone))
        found += _identifiers(passthrough_audit)
    return tuple(found)


def _cost(certificate: Certificate) -> Statement:
    """Say what is kept with the readers who know more, and what would be without them."""
    without = certificate.kept_without or 0.0
    others = " that bounds weighted shares alone" if certificate.both else ""
    if certificate.known or certificate.given:
        others += ", for readers who know no more," if others else " for readers who know no more"
    words = (
        f"A release{others} would keep {percent(without)} of "
        f"{asked_for(certificate.goal_words)}; this one keeps {percent(certificate.goal_share)}."
    )
    absent = sum(certificate.absent)
    if absent:
        have = either(absent, "has a value", "have values")
        words += (
            f" {number_of(absent, 'record')} {have} "
            "that an earlier release does not know: not being in it counts as one of its values."
        )
    return Statement("plain", "What this costs.", words)


def partition_words(public: int, released: int, merged: int, shown: int, *, drawn: bool) -> str:
    """Say how many public values are released as how many, and how many of them a page shows."""
    if released and not drawn:
        alone = public - merged
        words = (
            f"{number_of(public, 'public value')} {either(public, 'is', 'are')} released as "
            f"{released:,}: {merged:,} {either(merged, 'is', 'are')} merged with others, {alone:,} "
            f"{either(alone, 'stays', 'stay')} as {either(alone, 'it is', 'they are')}."
        )
    else:
        words = f"The {number_of(public, 'public value')}."
        if drawn:
            words += f" Each is released as one of {released:,}, drawn at random."
    return words if shown == public else f"{words} The page holds the first {shown:,} of them."


def _passthrough(audit: Audit, *, alone: str) -> Statement:
    """Say what columns that pass through add; `alone` says for which readers, if not for all."""
    cuts = {c.name: c.bin for c in audit.joint.columns if c.bin is not None}
    coarse = [name for name, cut in cuts.items() if cut.automatic]  # audited in bands only
    bins = {name: cut for name, cut in cuts.items() if not cut.automatic}
    beside = audit.public[1:]
    names, number = ", ".join(binned(name, bins) for name in beside), len(beside)
    how = "released" if any(name in bins for name in beside) else "released as in the table"
    least = "at least " if coarse else ""
    if audit.holds and not coarse:
        stays = either(number, "it stays", "they stay")
        words = f"Together with the released values {stays} inside the bound{alone}."
        return Statement("good", f"{how.capitalize()}: {names}.", words)
    leak = f"{least if math.isfinite(audit.leakage) else ''}{amount(audit.leakage)}"
    words = (
        f"{names} {either(number, 'is', 'are')} {how}. Together with the released values "
        f"{either(number, 'it leaks', 'they leak')} {leak}; {least}"
        f"{percent(audit.share_at_risk or 0)} of the records are outside the bound."
    )
    if coarse:
        each = series([f"{name} {cuts[name].band_words}" for name in coarse])
        words += (
            f" This is measured on {each}: {either(len(coarse), 'it has', 'they have')} very many "
            "values, and the exact ones tell more, often which record is whose."
        )
    return Statement("bad", "Not protected.", words)


def _identifiers(audit: Audit) -> list[Statement]:
    """Warn of columns that pass through and look like identifiers."""
    columns, records = audit.joint.columns[1:], int(audit.joint.weight.sum())
    names = [c.name for c in columns if is_identifier(c.name, c.type, len(c.values), records)]
    if not names:
        return []
    words = (
        f"{', '.join(names)}: nearly every record has a value of its own, which finds the record "
        f"again wherever {either(len(names), 'the column is', 'these columns are')} known. Leave "
        f"{either(len(names), 'it', 'them')} out."
    )
    return [Statement("bad", "Looks like an identifier.", words)]
