"""What a table reveals before anything is done to it."""

from __future__ import annotations

import math

from loglift.audit.audit import Audit
from loglift.audit.columns import MAX_PAIRED_COLUMNS
from loglift.audit.readers import ReaderAudit
from loglift.display.numbers import nats, percent
from loglift.mechanism.words import limit_of
from loglift.report.sentences.basis import combined_statements, own_bands, weights_statements
from loglift.report.sentences.population import audited_population
from loglift.report.sentences.statement import Statement
from loglift.report.words import amount, either, fold, held, number_of


def audit_statements(audit: Audit) -> tuple[Statement, ...]:
    """Say whether a table is inside the bound, or what it reveals, and what that proves."""
    found = [_audited(audit), *weights_statements(audit), *combined_statements(audit.combined)]
    found += [_audited_reader(reader, audit) for reader in audit.readers]
    counted = (*audit.joint.columns, *audit.joint.sensitive_columns)
    found += own_bands({column.name: column.bin for column in counted if column.bin is not None})
    if audit.population is not None:
        words = audited_population(audit)
        found.append(Statement("plain", "Beyond this table.", words))
    return tuple(found)


def pairs_left_out_words(pairs: int) -> str:
    """Say which pairs of public columns were not measured."""
    return (
        f"Only the {MAX_PAIRED_COLUMNS} columns that leak most on their own were paired: "
        f"{number_of(pairs, 'other pair')} {either(pairs, 'was', 'were')} not tried."
    )


def leakage_words(leakage: float) -> str:
    """Say what a leakage means."""
    if math.isinf(leakage):
        return "some value rules out a sensitive value"
    return f"belief moves at most {fold(leakage)}-fold"


def _audited_reader(reader: ReaderAudit, audit: Audit) -> Statement:
    """Say what the public values add to what readers know who know more."""
    words = f"Compared with {reader.before}, the public values leak {amount(reader.leakage)}"
    if audit.bound is None:
        return Statement("plain", f"To {reader.readers}.", f"{words}.")
    limit, share = limit_of(audit.bound), percent(reader.share_at_risk or 0)
    if reader.holds:
        return Statement("good", f"Holds for {reader.readers}.", f"{words}, within {limit}.")
    words += f"; {share} of the records are outside {limit}."
    return Statement("bad", f"Does not hold for {reader.readers}.", words)


def _audited(audit: Audit) -> Statement:
    names, values = ", ".join(audit.sensitive), audit.public_values
    if audit.bound is None and math.isinf(audit.leakage):
        words = f"Some public value rules out a value of {names}."
        return Statement("plain", "Infinite leakage.", words)
    if audit.bound is None:
        moves = f"moves belief about {names} {fold(audit.leakage)}-fold"
        words = f"The most revealing public value {moves}."
        return Statement("plain", f"Leakage {nats(audit.leakage)} nats.", words)
    limit = limit_of(audit.bound)
    if not audit.values_at_risk:
        headline = f"Holds: {held(audit.bound, audit.combined)}."
        which = "The one public value is" if values == 1 else f"All {values:,} public values are"
        return Statement("good", headline, f"{which} within {limit} without any change.")
    risky = audit.values_at_risk or 0
    words = (
        f"{risky:,} of {number_of(values, 'public value')}, with "
        f"{percent(audit.share_at_risk or 0)} of the records, {either(risky, 'is', 'are')} outside "
        f"{limit}: {either(risky, 'it reveals', 'they reveal')} more about {names} than it allows."
    )
    return Statement("bad", "Does not hold.", words)
