"""What a notebook shows of an evaluation: what readers can do, and what an attacker can."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loglift.display.card import CUSTODIAN, MAX_ROWS, Card, Share, Table, shortened
from loglift.mechanism.words import limit_of
from loglift.readers.compared import Compared
from loglift.readers.evaluation import Evaluation

_THREE = ("table", "release", "shuffled")


def card_of(found: Evaluation) -> Card:
    """Return the card of an evaluation."""
    columns = Table(
        ("column", "cells unchanged", "information kept"),
        tuple(
            (
                shortened(column.name),
                Share(column.unchanged.released),
                Share(column.information.released),
            )
            for column in found.columns[:MAX_ROWS]
        ),
    )
    models = Table(
        ("a model predicts", *_THREE),
        tuple(
            (f"{shortened(model.target)} ({measure})", *_three(compared))
            for model in found.models[:MAX_ROWS]
            for measure, compared in [model.score]
        ),
    )
    attacks = Table(
        ("an attacker learns about", *_THREE),
        tuple(
            (f"{shortened(attack.sensitive)}: belief {word} by a factor of up to", *_three(moved))
            for attack in found.attacks[:MAX_ROWS]
            for word, moved in (("rises", attack.counting.rise), ("falls", attack.counting.fall))
        ),
    )
    public, sensitive = shortened(found.public), shortened(found.sensitive)
    return Card(
        f"Evaluation of a release of {public} that protects {sensitive}",
        (
            ("records", f"{found.records:,}"),
            ("shows", found.shows),
            ("bound", limit_of(found.bound)),
        ),
        tuple(table for table in (columns, models, attacks) if table.rows),
        (CUSTODIAN,),
    )


def rows_of(found: Evaluation) -> Iterator[dict[str, Any]]:
    """Yield every figure of columns, models, queries and attacks, compared."""
    for column in found.columns:
        yield _row("column", column.name, "cells unchanged", column.unchanged)
        yield _row("column", column.name, "information", column.information)
    for pair in found.pairs:
        yield _row("pair", " x ".join(pair.columns), "association", pair.association)
    for query in found.queries:
        number = query.columns
        on = "all" if number is None else "1 column" if number == 1 else f"{number} columns"
        yield _row("count query", on, "median error", query.median)
    for model in found.models:
        yield _row("model", model.target, *model.score)
    for attack in found.attacks:
        yield _row("attack", ", ".join(attack.sensitive), "rise", attack.counting.rise)
        yield _row("attack", ", ".join(attack.sensitive), "fall", attack.counting.fall)


def _row(kind: str, name: str, measure: str, found: Compared) -> dict[str, Any]:
    return {"kind": kind, "name": name, "measure": measure, **vars(found)}


def _three(found: Compared) -> tuple[str, ...]:
    return tuple(f"{number:.3g}" for number in found.three)
