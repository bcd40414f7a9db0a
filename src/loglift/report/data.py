"""What the script of a page reads: the summary's heat map and partition as compact JSON.

Numbers are rounded here, once; the script writes them out and computes none.
"""

from __future__ import annotations

import math
from typing import Any

from loglift.report.heat import Heat, Side
from loglift.report.partition import Partition
from loglift.report.summary import Summary
from loglift.report.words import nats

_DIGITS = 3


def page_data(summary: Summary) -> dict[str, Any]:
    """Return the data block of a page."""
    return {
        "partition": _partition(summary.partition),
        "heat": None if summary.heat is None else _heat(summary.heat),
    }


def _partition(partition: Partition) -> dict[str, Any]:
    return {
        "public": partition.public,
        "released": partition.released,
        "values": [
            [value.texts, value.block, value.records, _nats(value.omega)]
            for value in partition.values
        ],
        "blocks": [
            [block.texts, block.values, block.records, _nats(block.leakage), block.moves]
            for block in partition.blocks
        ],
    }


def _heat(heat: Heat) -> dict[str, Any]:
    return {
        "events": [[event.name, event.short, event.records] for event in heat.events],
        "records": heat.records,
        "before": _side(heat.before),
        "after": None if heat.after is None else _side(heat.after),
        "becomes": heat.becomes,
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "records": side.records,
        "counts": side.counts,
        "logs": [[_log(number) for number in row] for row in side.logs],
        "marks": side.marks,
    }


def _log(number: float) -> float | None:
    """Return a log-lift for the script; null stands for minus infinity."""
    return None if math.isinf(number) else round(number, _DIGITS)


def _nats(number: float | None) -> str | None:
    return None if number is None else nats(number).replace("inf", "∞")
