"""A safe partition where the inequalities are too many to write out.

Readers who know much ask for an inequality for each thing they may know and each sensitive value.
A public value has few of these things, so what it lacks is found from its cells alone. Blocks that
lack something are paired with blocks that have the thing they lack most in: round by round, all at
once, and of some random pairings each takes the pairs that mend most for their mass. O(cells) a
round, and the number of unsafe blocks about halves.
"""

from __future__ import annotations

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.partition import canonical
from loglift.merging.problem import Problem
from loglift.promise.limits import TOLERANCE
from loglift.promise.together import Together
from loglift.sparse import components

MAX_WRITTEN = 2**22  # numbers of a problem that is written out at all
MAX_INEQUALITIES = 600  # of a problem that is searched as it is
MAX_SLOW_ROUNDS, SLOW_SHARE = 24, 0.95  # rounds in a row that leave more than this share of blocks
MAX_TRIES, CELLS_OF_TRIES = 8, 4_000_000  # pairings of a round: fewer of large problems


def is_wide(problem: Problem) -> bool:
    """Whether a problem has too many inequalities to be searched as it is."""
    many = problem.inequalities > MAX_INEQUALITIES or not is_written(problem)
    return isinstance(problem.promise, Together) and many


def is_written(problem: Problem) -> bool:
    """Whether the gains of all values of a problem may be written out."""
    return problem.size * problem.inequalities <= MAX_WRITTEN


def wide_partition(problem: Problem, seed: int) -> IntArray:
    """Return a safe partition, canonical, if all values together are safe."""
    random = np.random.default_rng(seed)
    labels, whole, slow = np.arange(problem.size), problem, 0
    while whole.size > 1:
        short, thing = _needs(whole)
        unsafe = np.flatnonzero(short > TOLERANCE * whole.p)
        if not unsafe.size:
            break
        into = _paired(whole, short, thing, unsafe, random)
        slow = slow + 1 if int(into.max()) + 1 > SLOW_SHARE * whole.size else 0
        if slow > MAX_SLOW_ROUNDS:  # the last unsafe blocks take more and more others at once
            into = _absorbed(unsafe, whole.size, 2 ** (slow - MAX_SLOW_ROUNDS), random)
        labels, whole = into[labels], whole.blocks(into)
    return canonical(labels)


def _absorbed(unsafe: IntArray, size: int, many: int, random: np.random.Generator) -> IntArray:
    """Merge all unsafe values, and `many` others for each of them; block numbers."""
    others = random.permutation(size)[: min(size, many * unsafe.size)]
    rows = np.concatenate([unsafe, others])
    return components(rows, np.zeros(rows.size, dtype=np.int64), size)


def _needs(whole: Problem) -> tuple[FloatArray, IntArray]:
    """Return what each value lacks, and the number of the thing that it lacks most in."""
    short, thing = _promise(whole).needs()
    if whole.least > 0:
        lacking = np.maximum(whole.least - whole.sizes, 0) / whole.least
        short = short + lacking
    return short, thing


def _paired(
    whole: Problem,
    short: FloatArray,
    thing: IntArray,
    unsafe: IntArray,
    random: np.random.Generator,
) -> IntArray:
    """Merge each unsafe value with another that has the thing it lacks most in; block numbers."""
    tries = max(1, min(MAX_TRIES, CELLS_OF_TRIES // max(_promise(whole).cells, 1)))
    pairs = [_pairing(whole, thing, unsafe, random) for _ in range(tries)]
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
    whole: Problem, thing: IntArray, unsafe: IntArray, random: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Pair each unsafe value at random with one that has the thing it lacks most in."""
    who, what = _promise(whole).holders_of_things()
    starts = np.searchsorted(what, np.arange(int(what.max()) + 2))
    size = np.diff(starts)[thing[unsafe]]
    draw = (random.random(unsafe.size) * np.maximum(size - 1, 1)).astype(np.int64)
    place = starts[thing[unsafe]] + draw
    partner = who[np.minimum(place, who.size - 1)]
    # A value that drew itself takes the last holder, which no draw gives.
    last = who[starts[thing[unsafe] + 1] - 1]
    partner = np.where(partner == unsafe, last, partner)
    # Where nobody else has the thing, any other value will do.
    lonely = partner == unsafe
    partner[lonely] = (unsafe[lonely] + 1 + random.integers(0, max(whole.size - 1, 1))) % whole.size
    fine = partner != unsafe
    return unsafe[fine], partner[fine]


def _promise(problem: Problem) -> Together:
    if not isinstance(problem.promise, Together):
        raise TypeError("only the promise to readers who know more has things to know")
    return problem.promise
