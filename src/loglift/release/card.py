"""What a notebook shows of a release and of a frontier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loglift.display.card import CUSTODIAN, MAX_ROWS, Card, Share, Table, shortened, size_of
from loglift.display.numbers import percent
from loglift.mechanism.kept import KeptColumn
from loglift.report.words import limit_of, measure_title

if TYPE_CHECKING:
    from loglift.release.frontier import Frontier
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


def frontier_card(found: Frontier) -> Card:
    """Return the card of a frontier: the share kept by each method at some of the limits."""
    limits = list(dict.fromkeys(point.limit for point in found.points))
    step = -(-len(limits) // MAX_ROWS)
    at = {(point.method, point.limit): point.kept for point in found.points}
    rows = tuple(
        (f"{limit:g}", *(_share(at.get((method, limit))) for method in found.methods))
        for limit in limits[step - 1 :: step]
    )
    caption = f"{len(rows)} of {len(limits)} limits; .plot() and .to_frame() have all"
    return Card(
        f"Frontier: the share kept of {found.goal_words}",
        (
            ("public values", f"{found.public_values:,}"),
            ("H(X)", size_of(found.entropy)),
        ),
        (Table((measure_title(found.measure), *found.methods), rows, caption if step > 1 else ""),),
        (CUSTODIAN,),
    )


def _labels(column: KeptColumn) -> str:
    return f"{column.labels_before:,} → {column.labels_after:,}"


def _share(kept: float | None) -> Share | str:
    return "no release" if kept is None else Share(kept)
