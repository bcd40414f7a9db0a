"""Mechanisms made of what a solver found: block numbers, or a channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from loglift.joint import IntArray, Joint, as_channel, frozen
from loglift.mechanism.channel import Channel
from loglift.mechanism.columns import PublicColumn, SensitiveColumn
from loglift.mechanism.figures import figures_of, with_readers
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.upper_bound import Proven
from loglift.promise.bound import Bound
from loglift.promise.integers import DENOMINATOR
from loglift.promise.knowledge import Knowledge, Released
from loglift.sparse import Cells, Mass, dense, holders, take_columns
from loglift.utility.utility import Utility


def partition_mechanism(
    joint: Joint,
    labels: IntArray,
    bound: Bound,
    *,
    method: str,
    upper_bound: Proven,
    scope: str,
    goal: Utility | None = None,
    min_count: float | None = None,
    groups: IntArray | None = None,
    knowledge: Sequence[Knowledge] = (),
) -> Mechanism:
    """Measure a partition, given as canonical block numbers, on the joint it was chosen for."""
    aim = goal or Utility.joint()
    figures = figures_of(joint, labels, bound, aim, upper_bound=upper_bound, scope=scope)
    figures = with_readers(figures, joint, Released(labels), bound, knowledge)
    return Mechanism(
        public=joint.public,
        labels=frozen(labels),
        bound=bound,
        method=method,
        goal=aim,
        min_count=min_count,
        intact=None if groups is None else (),
        groups=groups,
        figures=figures,
        **_table_of(joint),
    )


def channel_mechanism(
    joint: Joint,
    channel: ArrayLike | Cells,
    bound: Bound,
    *,
    method: str,
    upper_bound: Proven,
    scope: str,
    goal: Utility | None = None,
    min_count: float | None = None,
    groups: IntArray | None = None,
    numerators: Mass | None = None,
    knowledge: Sequence[Knowledge] = (),
) -> Mechanism:
    """Measure a channel p(y|x) on the joint it was chosen for.

    `numerators` is the same channel in whole numbers, 2^52 p(y|x). A channel of a table's counts is
    rounded to whole numbers where it is not given so, and outputs that are never drawn are dropped.
    Sparse channels are trusted; those of a table's counts are given in whole numbers.
    """
    aim, exact = goal or Utility.joint(), None
    rows: Mass
    if isinstance(channel, Cells):
        rows = channel
    else:
        rows = as_channel(channel, inputs=joint.mass.shape[0])
    if joint.columns and joint.is_whole:
        whole = Channel.rounded(dense(rows)) if numerators is None else numerators
        exact = Channel.of(take_columns(whole, np.flatnonzero(holders(whole))), joint.records)
        cells = exact.cells().mapped(lambda n: n / DENOMINATOR)
        rows = cells if isinstance(channel, Cells) else cells[:]
    figures = figures_of(joint, rows, bound, aim, upper_bound=upper_bound, scope=scope)
    if knowledge:
        drawn = Channel.rounded(dense(rows)) if exact is None else exact.cells()
        released = Released.of_channel(drawn)
        figures = with_readers(figures, joint, released, bound, knowledge)
    return Mechanism(
        public=joint.public,
        labels=None,
        bound=bound,
        method=method,
        goal=aim,
        min_count=min_count,
        intact=None if groups is None else (),
        groups=groups,
        exact_channel=exact,
        figures=figures,
        _channel=rows if isinstance(rows, Cells) else frozen(rows),
        **_table_of(joint),
    )


def _table_of(joint: Joint) -> dict[str, Any]:
    """Return what a mechanism knows of the table that its joint was counted from."""
    return {
        "columns": tuple(PublicColumn(c.name, c.type, c.bin) for c in joint.columns),
        "sensitive": tuple(SensitiveColumn(c.name, c.bin) for c in joint.sensitive_columns),
        "each": len(joint.variables) > 1,
        "weights": None if joint.survey is None else joint.survey.column,
        "_counted": joint.columns,
        "_joint": joint,
    }
