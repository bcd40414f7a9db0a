"""Whether a mechanism keeps its bound on the records that it was checked on."""

from __future__ import annotations

from dataclasses import replace

from loglift.certify.certificate import Certificate
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.words import limit_of, requirement_words
from loglift.report.sentences.basis import combined_statements, weights_statements
from loglift.report.sentences.population import verified_population
from loglift.report.sentences.readers import reader_statements
from loglift.report.sentences.statement import Statement, Tone
from loglift.report.words import amount, binned, either, held, listed, number_of, series


def check_statements(certificate: Certificate) -> tuple[Statement, ...]:
    """Say whether a mechanism is safe for the records it was checked on."""
    unsafe, least = sum(not value.safe for value in certificate.values), certificate.min_count
    checked = (
        f"checked exactly on {number_of(certificate.records, 'record')}; leakage "
        f"{amount(certificate.leakage)}."
    )
    if unsafe:
        few = f" or {either(unsafe, 'has', 'have')} fewer than {number_of(least or 0, 'record')}"
        words = (
            f"{unsafe:,} of {number_of(len(certificate.values), 'released value')} of "
            f"{_released(certificate)} {_breaks(certificate, either(unsafe, 's', ''))}"
            f"{few if least else ''}, {checked}"
        )
        found = [Statement("bad", "Does not hold.", words)]
    else:
        each = "Each block" if certificate.show == "values" else "Each"
        has = "is expected to have" if certificate.drawn else "has"
        enough = f" {each} {has} at least {number_of(least, 'record')}." if least else ""
        words = f"{none_moves_words(certificate)}, {checked}{enough}"
        found = [
            Statement("good", f"Holds: {held(certificate.bound, certificate.combined)}.", words)
        ]
    found += combined_statements(certificate.combined)
    found += weights_statements(certificate)
    found += reader_statements(certificate.readers, certificate.bound)
    if certificate.given:
        number = len(certificate.given)
        words = (
            f"The mechanism was made to be safe together with "
            f"{either(number, 'an earlier release', f'{number} earlier releases')} of "
            f"{'; '.join(', '.join(each.public) for each in certificate.given)}. 'loglift verify' "
            "with all mechanism.json files checks them together."
        )
        found.append(Statement("plain", "Earlier releases are not checked here.", words))
    if certificate.unseen_records:
        records = certificate.unseen_records
        words = (
            f"{records:,} {either(records, 'record has a value', 'records have values')} that the "
            "mechanism does not know: checked as 'apply --unseen "
            f"{certificate.unseen}' releases them."
        )
        found.append(Statement("plain", "Unseen values.", words))
    if certificate.population is not None:
        words = verified_population(certificate.population, certificate.bound)
        tone: Tone = "good" if certificate.population.holds else "bad"
        found.append(Statement(tone, "Beyond this table.", words))
    beside = [name for name in certificate.beside if name not in certificate.known]
    if beside:
        words = (
            f"{listed(beside)} (the other {either(len(beside), 'column', 'columns')} of the "
            f"table). What {either(len(beside), 'it adds', 'they add')} to the released values is "
            "not part of this check."
        )
        found.append(Statement("plain", "Not covered.", words))
    return tuple(found)


def mechanism_statement(mechanism: Mechanism) -> Statement:
    """Say what a mechanism does, from its file alone."""
    values, public = len(mechanism.public), ", ".join(mechanism.column_names)
    words = (
        f"{number_of(values, 'value')} of {public} {either(values, 'is', 'are')} released as "
        f"{mechanism.size:,}, and every released value is within {limit_of(mechanism.bound)} for "
        f"{', '.join(mechanism.sensitive_names)}."
    )
    return Statement("good", f"Bounded: {held(mechanism.bound, mechanism.combined)}.", words)


def none_moves_words(certificate: Certificate) -> str:
    """Say that no released value moves belief beyond the bound, without a full stop."""
    released, values = _released(certificate), len(certificate.values)
    if values == 1:
        return f"The one released value of {released} does not {_breaks(certificate)}"
    return f"None of the {values:,} released values of {released} {_breaks(certificate, 's')}"


def _released(certificate: Certificate) -> str:
    return listed([binned(name, certificate.bins) for name in certificate.public])


def _breaks(certificate: Certificate, ending: str = "") -> str:
    """Say in which ways a released value would break the bound: "moves belief ... beyond eps 1"."""
    names = [binned(name, certificate.bins) for name in certificate.sensitive]
    apart = ", each on its own," if certificate.each else ", taken together,"
    about = f"{', '.join(names)}{apart if len(names) > 1 else ''}"
    bound, parts = certificate.bound, []
    if bound.bounds_lift:
        plain = limit_of(replace(bound, requirements=()))
        parts.append(f"move{ending} belief about {about} beyond {plain}")
    if bound.requirements:
        told = series([requirement_words(each) for each in bound.requirements], "or")
        parts.append(f"violate{ending} {told}{'' if parts else f' for {about}'}")
    return " or ".join(parts)
