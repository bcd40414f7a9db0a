"""Channels in whole numbers that are independent of S: safe at any bound, zero included.

Column y of a channel is independent of S iff its numerators c(x) solve

    sum over x of c(x) d(s,x) = 0 for every s,    d(s,x) = n(s,x) n - n(s) n(x),

which rounding destroys. A best posterior is a vertex: the only direction on its few public values
that solves this, so elimination finds it again in whole numbers. Each column becomes a multiple of
its direction. The rest of the rows, a constant minus solutions, is a solution too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray

_MAX_SUPPORT = 32  # public values of a posterior: beyond, directions have too many digits
_MIN_SHARE = 1e-12  # of the largest entry of a posterior: less is rounding
_MARGIN = 2.0**-40  # of each row that stays free, so that rounding exceeds no row


def independent(channel: FloatArray, counts: NDArray[np.int64], denominator: int) -> IntArray:
    """Return numerators near p(y|x) whose columns are exactly independent of S.

    The counts of several sensitive variables stand side by side, as in a `Joint`. Columns whose
    direction is not unique, or has too many digits for the denominator, are released as one.
    O(columns x support^2 x sensitive values) operations on fractions.
    """
    deviations = _deviations(counts)
    found, given_up = np.zeros(channel.shape, dtype=np.int64), []
    for y, column in enumerate(channel.T):
        support = np.flatnonzero(column > _MIN_SHARE * column.max())
        rows = [deviations[x] for x in support.tolist()]
        direction = (_direction(rows) if support.size <= _MAX_SUPPORT else None) or ()
        room = (int(share * (1 - _MARGIN) * denominator) for share in column[support].tolist())
        times = min((r // v for r, v in zip(room, direction, strict=False)), default=0)
        if times:
            found[support, y] = [times * v for v in direction]
        else:
            given_up.append(y)
    rest = denominator - found.sum(axis=1)
    found[:, given_up[0] if given_up else int(found.sum(axis=0).argmax())] += rest
    return found


def _deviations(counts: NDArray[np.int64]) -> list[list[int]]:
    """Return d(s,x) with one row per public value, as Python integers without a common factor."""
    whole = counts.astype(object)
    found = whole * whole.sum() - whole.sum(axis=1, keepdims=True) * whole.sum(axis=0)
    common = math.gcd(*found.ravel().tolist()) or 1
    rows: list[list[int]] = (found // common).tolist()
    return rows


def _direction(rows: Sequence[Sequence[int]]) -> list[int] | None:
    """Return the positive whole numbers v, without a common factor, of which v rows is zero.

    None unless there is one direction of that kind. By elimination of the rows' transpose.
    """
    equations = [[Fraction(cell) for cell in column] for column in zip(*rows, strict=True)]
    pivots: list[int] = []
    for k in range(len(rows)):
        done = len(pivots)
        at = next((i for i in range(done, len(equations)) if equations[i][k]), None)
        if at is None:
            continue
        equations[done], equations[at] = equations[at], equations[done]
        pivot = equations[done]
        pivot[:] = [cell / pivot[k] for cell in pivot]
        for i, equation in enumerate(equations):
            if i != done and equation[k]:
                factor = equation[k]
                equation[:] = [cell - factor * p for cell, p in zip(equation, pivot, strict=True)]
        pivots.append(k)
    free = [k for k in range(len(rows)) if k not in pivots]
    if len(free) != 1:
        return None
    solution = {free[0]: Fraction(1)} | {k: -equations[i][free[0]] for i, k in enumerate(pivots)}
    if min(solution.values()) <= 0:
        return None
    scale = math.lcm(*(value.denominator for value in solution.values()))
    whole = [int(solution[k] * scale) for k in range(len(rows))]
    common = math.gcd(*whole)
    return [v // common for v in whole]
