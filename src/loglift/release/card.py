"""What a notebook shows of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loglift.display.card import CUSTODIAN, MAX_ROWS, Card, Share, Table, shortened, size_of
from loglift.display.numbers import percent
from loglift.mechanism.kept import KeptColumn
from loglift.mechanism.words import limit_of

if TYPE_CHECKING:
    from loglift.release.result import Release


def release_card(release: Release) -> Card:
    """Return the card of a release; it is for the custodian, as the certificate is."""
    certificate, audit = release.certificate, release.audit
    kept = percent(certificate.goal_share)
    words = certificate.goal_words
    figures = {
        "bound": limit_of(certificate.bound),
        "method": certificate.method,
        "certificate": "holds" if certificate.holds else "DOES NOT HOLD",
        "leakage": f"{size_of(audit.leakage)} before, {size_of(certificate.leakage)} now",
        "kept": kept if words is None else f"{kept} of {words}",
        "shown as": "random values" if certificate.drawn else certificate.show,
    }
    # A cell that shows a value has no label: how many are unchanged is a matter of the draws.
    labelled = certificate.show != "values"
    columns = Table(
        ("column", "information kept", *(("cells unchanged", "labels") if labelled else ())),
        tuple(
            (
                shortened(column.name),
                Share(column.information),
                *((Share(column.unchanged), _labels(column)) if labelled else ()),
            )
            for column in release.columns[:MAX_ROWS]
        ),
        f"{certificate.records:,} records",
    )
    public, sensitive = shortened(certificate.public), shortened(certificate.sensitive)
    notes = (
        ".table is what to publish; .save(directory) writes it with its certificate and report.",
        CUSTODIAN,
    )
    return Card(
        f"Release of {public} that protects {sensitive}", tuple(figures.items()), (columns,), notes
    )


def _labels(column: KeptColumn) -> str:
    return f"{column.labels_before:,} → {column.labels_after:,}"
