"""The attack by counting of readers who know more: columns of the table, earlier releases, or both.

Such a reader knows the context c of a record. Belief in s is r(s|c) before the release, and
p(s|c,y) after it. For readers who know a column, r(s|c) is p(s|c): what the column tells they know
before. For readers of earlier releases it is p(s): all releases together are held against what is
known without any. See `loglift.promise.knowledge`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from loglift.joint import Variable
from loglift.promise.bound import Bound
from loglift.promise.knowledge import Knowledge, Released
from loglift.promise.limits import Limits
from loglift.readers.compared import Compared
from loglift.sparse import in_parts, take_columns


@dataclass(frozen=True)
class ContextReading:
    """What readers who know more infer about one sensitive variable, by counting.

    The shuffled columns tell nothing, so `.shuffled` is what such readers believe without them.

    Attributes
    ----------
    readers
        Who they are, in words: "readers who know region".
    knows
        The columns that they know.
    contexts
        The number of different things that they may know of a record.
    promised
        Whether the mechanism was made to keep the bound to them, too.
    rise, fall
        max p(s|c,y)/r(s|c), and max r(s|c)/p(s|c,y), over all y and c that occur together; infinite
        where a released value rules a sensitive one out. A value with r(s|c) = 0 is left out.
    outside
        The share of the records whose released value is outside the bound for such readers; of a
        random release, expected.
    right
        The share of the records whose sensitive value is guessed right by the likeliest s given
        c and y; of a random release, expected. Shuffled: by the likeliest s given c alone.

    """

    readers: str
    knows: tuple[str, ...]
    contexts: int
    promised: bool
    rise: Compared
    fall: Compared
    outside: Compared
    right: Compared


@dataclass(frozen=True)
class _Figures:
    rise: float
    fall: float
    outside: float
    right: float


def context_reading(
    knowledge: Knowledge,
    variable: Variable,
    released: Released,
    bound: Bound | Limits,
    *,
    size: int,
    promised: bool,
) -> ContextReading:
    """Count what readers infer about one sensitive variable; O(cells of n(s,c,x)).

    `released` is what becomes of the `size` public values that `knowledge` is counted against, and
    `bound` has the limits of the values of the variable.
    """
    place = np.arange(variable.start, variable.stop)
    asked = replace(
        knowledge,
        counts=take_columns(knowledge.counts, place),
        references=knowledge.references[:, place],
    )
    views = (Released.apart(size), released, Released.together(size))
    found = [_figures(asked, each, bound) for each in views]
    return ContextReading(
        readers=knowledge.name,
        knows=columns_known(knowledge),
        contexts=len(knowledge.labels),
        promised=promised,
        rise=Compared(*(each.rise for each in found)),
        fall=Compared(*(each.fall for each in found)),
        outside=Compared(*(each.outside for each in found)),
        right=Compared(*(each.right for each in found)),
    )


def columns_known(knowledge: Knowledge) -> tuple[str, ...]:
    """Return the columns that readers know; none for those who only read earlier releases."""
    first = knowledge.labels[0]
    return tuple(first) if isinstance(first, dict) else ()


def _figures(knowledge: Knowledge, released: Released, bound: Bound | Limits) -> _Figures:
    told = knowledge.told(released)
    outside = ~knowledge.safe_pairs(told, bound)
    largest, least, weights, likeliest = [], [], [], []
    for place, rows in in_parts(told.counts):
        counts = rows.astype(np.float64)
        before = knowledge.references[knowledge.reference_of[told.contexts[place]]]
        before = before.astype(np.float64)
        expected = counts.sum(axis=1, keepdims=True) * before
        found = counts * before.sum(axis=1, keepdims=True)
        lifts = np.divide(found, expected, out=np.ones_like(counts), where=expected > 0)
        largest.append(lifts.max())
        least.append(lifts.min())
        weights.append(counts.sum(axis=1))
        likeliest.append(counts.max(axis=1))
    weight, lowest = np.concatenate(weights), float(min(least))
    return _Figures(
        rise=float(max(largest)),
        fall=1 / lowest if lowest else np.inf,
        outside=float(weight[outside].sum() / weight.sum()),
        right=float(np.concatenate(likeliest).sum() / weight.sum()),
    )
