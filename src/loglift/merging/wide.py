"""A safe partition where the inequalities are too many to write out.

Readers who know much ask for an inequality for each context (what they may know of a record) and
each sensitive value. A public value has few of these contexts, so what it lacks is found from its
cells alone. Unsafe blocks are paired with blocks that have the context they lack most in: round by
round, all at once, and of some random pairings each takes the pairs that mend most for their mass.
O(cells) a round, and the number of unsafe blocks about halves.
"""

from __future__ import annotations

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.partition import canonical
from loglift.merging.problem import Problem
from loglift.promise.limits import TOLERANCE
from loglift.promise.together import Together
from loglift.sparse import components

MAX_GAINS = 2**22  # of all values; of a larger problem they are never written out
MAX_INEQUALITIES = 600  # of a problem that is searched as it is
MAX_SLOW_ROUNDS, SLOW_SHARE = 24, 0.95  # rounds in a row that leave more than this share of blocks
MAX_TRIES, MAX_TRIED_CELLS = 8, 4_000_000  # random pairings of a round, and their cells


def is_wide(problem: Problem) -> bool:
    """Whether a problem has too many inequalities to be searched as it is."""
    many = problem.inequalities > MAX_INEQUALITIES or not is_written(problem)
    return isinstance(problem.promise, Together) and many


def is_written(problem: Problem) -> bool:
    """Whether the gains of all values of a problem may be written out."""
    return problem.size * problem.inequalities <= MAX_GAINS


def wide_partition(problem: Problem, seed: int) -> IntArray:
    """Return a safe partition, canonical, if all values together are safe."""
    random = np.random.default_rng(seed)
    labels, whole, slow = np.arange(problem.size), problem, 0
    while whole.size > 1:
        short, neediest = _needs(whole)
        unsafe = np.flatnonzero(short > TOLERANCE * whole.p)
        if not unsafe.size:
            break
        into = _paired(whole, short, neediest, unsafe, random)
        slow = slow + 1 if int(into.max()) + 1 > SLOW_SHARE * whole.size else 0
        if slow > MAX_SLOW_ROUNDS:  # all unsafe blocks become one, with more and more others
            many = min(whole.size, unsafe.size << (slow - MAX_SLOW_ROUNDS))
            rows = np.concatenate([unsafe, random.permutation(whole.size)[:many]])
            into = components(rows, np.zeros(rows.size, dtype=np.int64), whole.size)
        labels, whole = into[labels], whole.blocks(into)
    return canonical(labels)


def _needs(whole: Problem) -> tuple[FloatArray, IntArray]:
    """Return what each value lacks, and the number of the context that it lacks most in."""
    short, neediest = _promise(whole).needs()
    if whole.least > 0:
        short = short + np.maximum(whole.least - whole.sizes, 0) / whole.least
    return short, neediest


def _paired(
    whole: Problem,
    short: FloatArray,
    neediest: IntArray,
    unsafe: IntArray,
    random: np.random.Generator,
) -> IntArray:
    """Merge each unsafe value with another that has the context it lacks most in; block numbers."""
    tries = max(1, min(MAX_TRIES, MAX_TRIED_CELLS // max(_promise(whole).cells, 1)))
    pairs = [_pairing(whole, neediest, unsafe, random) for _ in range(tries)]
    first, second = (np.concatenate(side) for side in zip(*pairs, strict=True))
    order = np.arange(first.size)
    if tries > 1:  # each pair on its own: a value may be in several
        both = whole.only(np.concatenate([first, second]))
        after, _ = _needs(both.blocks(np.tile(order, 2)))
        mended = (short[first] + short[second] - after) / (whole.p[first] + whole.p[second])
        order = np.argsort(-mended, kind="stable")
    taken, chosen = np.zeros(whole.size, dtype=bool), []
    for pair in order.tolist():
        a, b = first[pair], second[pair]
        if not (taken[a] or taken[b]):
            taken[a] = taken[b] = True
            chosen.append(pair)
    rows = np.concatenate([first[chosen], second[chosen]])
    return components(rows, np.tile(np.arange(len(chosen)), 2), whole.size)


def _pairing(
    whole: Problem, neediest: IntArray, unsafe: IntArray, random: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Pair each unsafe value at random with one that has the context it lacks most in."""
    values, contexts = _promise(whole).holders_of_contexts()
    starts = np.searchsorted(contexts, np.arange(int(contexts.max()) + 2))
    wanted = neediest[unsafe]
    size = np.diff(starts)[wanted]
    draw = (random.random(unsafe.size) * np.maximum(size - 1, 1)).astype(np.int64)
    partner = values[np.minimum(starts[wanted] + draw, values.size - 1)]
    # A value that drew itself takes the last holder, which no draw gives.
    partner = np.where(partner == unsafe, values[starts[wanted + 1] - 1], partner)
    # Where nobody else has the context, any other value will do.
    lonely = partner == unsafe
    partner[lonely] = (unsafe[lonely] + 1 + random.integers(0, max(whole.size - 1, 1))) % whole.size
    fine = partner != unsafe
    return unsafe[fine], partner[fine]


def _promise(problem: Problem) -> Together:
    if not isinstance(problem.promise, Together):
        raise TypeError("only the promise to readers who know more has contexts")
    return problem.promise
