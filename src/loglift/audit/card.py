"""What a notebook shows of an audit: its figures, and the public values that reveal most."""

from __future__ import annotations

import math

from loglift.audit.audit import Audit
from loglift.audit.risks import Risk
from loglift.display.card import CUSTODIAN, MAX_ROWS, Card, Table, shortened, size_of
from loglift.display.numbers import percent
from loglift.mechanism.words import limit_of

_MIN_SHOWN_FACTOR = 1e-3


def card_of(audit: Audit) -> Card:
    """Return the card of an audit."""
    figures = {
        "records": f"{audit.records:,}",
        "values": f"{audit.public_values:,} public, {audit.sensitive_values:,} sensitive",
        "leakage": size_of(audit.leakage),
        "I(S;X)": size_of(audit.information),
    }
    if audit.bound is not None:
        figures["bound"] = f"{limit_of(audit.bound)} {'holds' if audit.holds else 'DOES NOT HOLD'}"
        figures["records at risk"] = percent(audit.share_at_risk or 0.0)
    risky = Table(
        ("public value", "what it does", "records", "omega"),
        tuple(
            (
                shortened(tuple(risk.value.values())),
                _does(risk),
                f"{risk.records:,}",
                size_of(risk.omega),
            )
            for risk in audit.riskiest[:MAX_ROWS]
        ),
        "the public values that reveal most",
        numbers_from=2,
    )
    columns = Table(
        ("column", "values", "leakage"),
        tuple(
            (shortened(column.columns), f"{column.values:,}", size_of(column.leakage))
            for column in audit.columns
            if len(column.columns) == 1
        )[:MAX_ROWS],
        "each public column on its own",
    )
    several = len(audit.public) > 1
    public, sensitive = shortened(audit.public), shortened(audit.sensitive)
    title = f"Audit: what {public} {'reveal' if several else 'reveals'} about {sensitive}"
    tables = (risky, columns) if several else (risky,)
    return Card(title, tuple(figures.items()), tables, (CUSTODIAN,))


def _does(risk: Risk) -> str:
    sensitive = shortened(tuple(risk.sensitive.values()))
    if risk.log_lift == -math.inf:
        return f"rules {sensitive} out"
    factor = math.exp(risk.log_lift)
    told = f"{factor:.3g}" if factor >= _MIN_SHOWN_FACTOR else f"under {_MIN_SHOWN_FACTOR:g}"
    return f"{told} times the usual share of {sensitive}"
