"""What a notebook shows of a joint: its size, and a corner of its mass."""

from __future__ import annotations

from typing import Any

import numpy as np

from loglift.display.card import CUSTODIAN, MAX_COLUMNS, MAX_ROWS, Card, Table, shortened
from loglift.joint.joint import Joint
from loglift.sparse import dense, take_columns, take_rows


def card_of(joint: Joint) -> Card:
    """Return the card of a joint, with its first rows and columns."""
    n, m = joint.mass.shape
    rows, columns = min(n, MAX_ROWS), min(m, MAX_COLUMNS)
    corner = dense(take_rows(take_columns(joint.mass, np.arange(columns)), np.arange(rows)))
    public = shortened(joint.column_names) or "public value"
    of = shortened(tuple(column.name for column in joint.sensitive_columns))
    left_out = f"the first {rows} of {n:,} rows and {columns} of {m:,} columns"
    table = Table(
        (public, *map(shortened, joint.sensitive[:columns])),
        tuple(
            (shortened(value), *map(_number, row.tolist()))
            for value, row in zip(joint.public[:rows], corner, strict=True)
        ),
        "" if (rows, columns) == (n, m) else left_out,
    )
    figures = {
        "public values": f"{n:,}",
        "sensitive values": f"{m:,}",
        "sensitive variables": f"{len(joint.variables):,}" if len(joint.variables) > 1 else "",
        "records": f"{joint.records.sum():,}" if joint.is_counts or joint.survey else "",
        "total mass": "" if joint.is_counts or joint.survey else f"{joint.total:.6g}",
        "weighted by": "" if joint.survey is None else shortened(joint.survey.column),
    }
    return Card(
        f"Joint of {public} and {of}" if of else "Joint of public and sensitive values",
        tuple((name, figure) for name, figure in figures.items() if figure),
        (table,),
        (CUSTODIAN,) if of else (),
    )


def _number(cell: Any) -> str:
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.4g}"
