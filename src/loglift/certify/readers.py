"""The exact check of what readers who know more are told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loglift.certify.certificate import ReaderCheck
from loglift.certify.released_values import direction_of
from loglift.joint import Joint
from loglift.mechanism.naming import ReleasedColumn
from loglift.promise.bound import Bound
from loglift.promise.knowledge import Knowledge, Released


def check_reader(
    knowledge: Knowledge,
    released: Released,
    bound: Bound,
    joint: Joint,
    columns: Sequence[ReleasedColumn],
) -> ReaderCheck:
    """Check what readers who know more are told by `released`, which shows these `columns`."""
    told, limits = knowledge.told(released), bound.on(joint)
    places, logs = knowledge.worst(told, limits)
    worst = int(np.abs(logs).argmax())
    return ReaderCheck(
        readers=knowledge.name,
        before=knowledge.before,
        holds=bool(knowledge.safe(released, limits).all()),
        leakage=float(abs(logs[worst])),
        contexts=len(knowledge.labels),
        knows=knowledge.labels[int(told.contexts[worst])],
        released={column.name: column.values[int(told.values[worst])] for column in columns},
        sensitive=joint.event(int(places[worst])),
        direction=direction_of(float(logs[worst])),
    )
