"""The data that the script of a page reads: the heat map and the partition as compact JSON.

Numbers are rounded here, and not in the script.
"""

from __future__ import annotations

import math
from typing import Any

from loglift.display.numbers import nats
from loglift.report.heat import Heat, Side
from loglift.report.partition import Partition
from loglift.report.summary import Summary

_LOG_DIGITS = 3


def page_data(summary: Summary) -> dict[str, Any]:
    """Return the data of a page."""
    return {
        "partition": _partition_data(summary.partition),
        "heat": None if summary.heat is None else _heat_data(summary.heat),
    }


def _partition_data(partition: Partition) -> dict[str, Any]:
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


def _heat_data(heat: Heat) -> dict[str, Any]:
    return {
        "events": [[event.name, event.short, event.records] for event in heat.events],
        "records": heat.records,
        "members": heat.members,
        "before": _side_data(heat.before),
        "after": None if heat.after is None else _side_data(heat.after),
    }


def _side_data(side: Side) -> dict[str, Any]:
    """Return the cells of a side; null stands for a log-lift of minus infinity."""
    return {
        "records": side.records,
        "counts": side.counts,
        "logs": [
            [None if math.isinf(log) else round(log, _LOG_DIGITS) for log in row]
            for row in side.logs
        ],
        "marks": side.marks,
    }


def _nats(number: float | None) -> str | None:
    return None if number is None else nats(number).replace("inf", "∞")
