"""What a notebook shows of a mechanism: its figures, and its first blocks."""

from __future__ import annotations

from loglift.display.card import CUSTODIAN, MAX_ROWS, Card, Table, first_of, shortened, size_of
from loglift.display.numbers import percent
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.words import limit_of

MAX_MEMBERS = 120  # characters of the members of a block


def card_of(mechanism: Mechanism) -> Card:
    """Return the card of a partition, with its first blocks, or of a channel."""
    figures = {"method": mechanism.method, "bound": limit_of(mechanism.bound)}
    notes: tuple[str, ...] = ()
    if mechanism.figures is None:
        notes = ("Read from a file: .measured(joint) has its figures.",)
    else:
        figures |= {
            "": "safe" if mechanism.safe else "NOT SAFE",
            "leakage": size_of(mechanism.leakage),
            "I(X;Y)": size_of(mechanism.information),
            "information kept": percent(1 - mechanism.nmil),
        }
        if not mechanism.goal.is_joint:
            figures["goal kept"] = percent(mechanism.utility)
        notes = (CUSTODIAN,) if mechanism.columns else ()
    kind = "blocks" if mechanism.labels is not None else "random released values"
    title = f"Mechanism: {len(mechanism.public):,} public values in {mechanism.size:,} {kind}"
    return Card(title, tuple(figures.items()), _blocks(mechanism), notes)


def _blocks(mechanism: Mechanism) -> tuple[Table, ...]:
    if mechanism.labels is None:
        return ()
    several = [block for block in mechanism.blocks if len(block) > 1]
    blocks = sorted(several, key=len, reverse=True)
    rows = tuple(
        (f"{len(block):,}", shortened("; ".join(map(shortened, block)), MAX_MEMBERS))
        for block in blocks[:MAX_ROWS]
    )
    alone = len(mechanism.blocks) - len(several)
    told = first_of(blocks, "blocks of several values") or "blocks of several values"
    caption = f"{told}, the largest first; {alone:,} values stay alone"
    return (Table(("values", "released as one"), rows, caption, numbers_from=2),) if rows else ()
