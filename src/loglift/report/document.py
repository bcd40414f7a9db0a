"""Summaries as JSON: what `--json` prints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from loglift.certify.certificate import Certificate
from loglift.certify.together import TogetherCheck
from loglift.report.sentences.check import check_statements
from loglift.report.sentences.explanation import unexplained_words
from loglift.report.sentences.readers import together_statements
from loglift.report.sentences.statement import Statement
from loglift.report.summary import Summary
from loglift.values import encoded

_OF_CERTIFICATE = (
    "holds",
    "sensitive",
    "public",
    "beside",
    "bound",
    "method",
    "records",
    "public_values",
    "leakage",
    "entropy",
    "utility",
    "nmil",
    "goal",
    "goal_words",
    "goal_kept",
    "goal_most",
    "upper_bound",
    "combined",
    "known",
    "given",
    "readers",
    "kept_without",
    "absent",
    "upper_bound_scope",
    "columns",
    "rows_unchanged",
    "targets",
    "population",
    "draws",
)


def document(summary: Summary) -> dict[str, Any]:
    """Return the JSON form of a release or an audit; infinite numbers are written as "inf"."""
    audit, certificate = summary.audit, summary.certificate
    if audit is None:
        raise TypeError("a mechanism alone has no figures: its file says what it does")
    said = statements(summary.statements)
    if certificate is None:
        return {**audit.as_dict(), "statements": said}
    checked = replace(certificate, values=()).as_dict()
    beside, why = summary.passthrough_audit, summary.explanation
    evaluation = summary.evaluation
    return {
        **{name: checked[name] for name in _OF_CERTIFICATE},
        "leakage_before": encoded(audit.leakage),
        "notions": encoded(summary.notions),
        "notions_before": encoded(audit.notions),
        "released_values": len(certificate.values),
        "information_kept": 1 - certificate.nmil,
        "intact": encoded(certificate.intact),
        "passthrough_audit": None if beside is None else beside.as_dict(),
        "explanation": None if why is None else why.as_dict(),
        "unexplained": None
        if summary.unexplained is None
        else unexplained_words(summary.unexplained),
        "evaluation": None if evaluation is None else evaluation.as_dict(),
        "statements": said,
    }


def check_document(certificate: Certificate) -> dict[str, Any]:
    """Return the JSON form of a check of a mechanism: its certificate, and what it states."""
    return {**certificate.as_dict(), "statements": statements(check_statements(certificate))}


def together_document(check: TogetherCheck) -> dict[str, Any]:
    """Return the JSON form of a check of several releases of the same records."""
    return {
        "holds": check.holds,
        "together": encoded(check.together),
        "promised": list(check.promised),
        "releases": [check_document(certificate) for certificate in check.certificates],
        "statements": statements(together_statements(check)),
    }


def statements(said: Iterable[Statement]) -> list[dict[str, str]]:
    """Return statements as JSON."""
    return [vars(statement) for statement in said]
