"""Mechanisms made of what a solver found: block numbers, or a channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from loglift.joint import IntArray, Joint, as_channel, frozen
from loglift.mechanism.channel import Channel
from loglift.mechanism.columns import PublicColumn, SensitiveColumn
from loglift.mechanism.figures import figures_of, with_readers
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.upper_bound import Proven
from loglift.promise.bound import Bound
from loglift.promise.knowledge import Knowledge, Released
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
    channel: ArrayLike,
    bound: Bound,
    *,
    method: str,
    upper_bound: Proven,
    scope: str,
    goal: Utility | None = None,
    min_count: float | None = None,
    groups: IntArray | None = None,
    numerators: IntArray | None = None,
    knowledge: Sequence[Knowledge] = (),
) -> Mechanism:
    """Measure a channel p(y|x) on the joint it was chosen for.

    `numerators` is the same channel in whole numbers, 2^52 p(y|x). A channel of a table's counts is
    rounded to whole numbers where it is not given so, and outputs that are never drawn are dropped.
    """
    rows, aim = as_channel(channel, inputs=joint.mass.shape[0]), goal or Utility.joint()
    exact = None
    if joint.columns and joint.is_whole:
        whole = Channel.rounded(rows) if numerators is None else numerators
        exact = Channel.of(whole[:, whole.any(axis=0)], joint.records)
        rows = exact.probabilities()
    figures = figures_of(joint, rows, bound, aim, upper_bound=upper_bound, scope=scope)
    if knowledge:
        drawn = Channel.rounded(rows) if exact is None else exact.numerators()
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
        _channel=frozen(rows),
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
