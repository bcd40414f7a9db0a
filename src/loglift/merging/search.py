"""Search: a good safe partition of the whole alphabet, at any size.

Whether a block is safe is a set of linear inequalities, so a block that is not safe has a
shortfall, finite even where omega is infinite. Search first builds partitions by growing blocks
around the values that lack most, adding whatever ends the shortfall with the least mass, and
merging what stays unsafe where it loses least; then it improves the best of them by tearing down
a few blocks at a time and putting their values together in the best way there is (dynamic
programming over subsets of chunks of them), with random kicks to leave dead ends.

Never worse than Algorithm 1 with absorb (which it tries, on random groups beyond 3000 values), nor
than a partition to start from; deterministic for a seed; more iterations never give less. Each
iteration costs the same whatever the number of values, and the default number of them is linear
in it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loglift.bound import TOLERANCE, Bound
from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.measures.partition import block_sums, canonical
from loglift.merging.greedy import greedy

if TYPE_CHECKING:
    from loglift.merging._build_kernels import Problem

GREEDY_SIZE = 3000  # values up to which quadratic Algorithm 1 is worth its time
FEWEST_CHUNKS, REGROUPING = 5, 200_000  # of a regrouping, and about how many operations it may take


@dataclass(frozen=True)
class Options:
    """How to search.

    `least` is the least mass of a block, on the scale of the joint's mass. `iterations` is how
    many times blocks are torn down and rebuilt; `default_iterations` by default. With a
    `time_limit`, in seconds, as many iterations follow again and again until it is over.
    """

    least: float = 0.0
    iterations: int | None = None
    seed: int = 0
    time_limit: float = 0.0


def search(
    mass: FloatArray,
    bound: Bound,
    options: Options = Options(),  # noqa: B008, frozen
    *,
    rows: IntArray | None = None,
    start: IntArray | None = None,
) -> IntArray:
    """Block number of each row of a trusted mass (n, m), or of the given rows only, canonical.

    `start` is a partition of those rows to improve on; it is made safe first if it is not. The
    result is safe whenever all the rows together are.
    """
    problem = problem_of(mass, bound, options.least)
    if rows is not None and rows.size < mass.shape[0]:
        problem = problem._replace(gain=problem.gain[rows], p=problem.p[rows])
    n, seed = problem.p.size, options.seed
    chosen = mass if rows is None else mass[rows]
    starts = [_greedy_in_groups(chosen, mass.sum(axis=0), bound, seed)]
    if start is not None:
        starts.append(start)
    iterations = default_iterations(n) if options.iterations is None else options.iterations
    deadline = time.monotonic() + options.time_limit
    best = best_partition(problem, starts, builds=_builds(n), iterations=iterations, seed=seed)
    while options.time_limit > 0 and time.monotonic() < deadline and best.max() + 1 < n:
        seed += 1
        best = _improved(problem, best, max(iterations, 1), seed)
    return best


def best_partition(
    problem: Problem, starts: Iterable[IntArray], *, builds: int, iterations: int, seed: int = 0
) -> IntArray:
    """Build some partitions, make the given ones safe, and improve the best of all; canonical."""
    candidates = [_built(problem, trial, seed) for trial in range(builds)]
    candidates += [_repaired(problem, start, seed) for start in starts]
    best = max(candidates, key=lambda labels: _utility(problem, labels))
    if _utility(problem, best) == -math.inf:
        return best
    return _improved(problem, best, iterations, seed)


def default_iterations(n: int) -> int:
    """Return how many times blocks are rebuilt for n values: linear from 10,000 values on."""
    return max(3000, min(150 * n, 30_000), 3 * n)


def _builds(n: int) -> int:
    """Return how many partitions to build from nothing."""
    return 8 if n <= GREEDY_SIZE else 2


def _chunks(n: int, k: int) -> int:
    """Return how many chunks to regroup at a time: few values and few constraints afford more."""
    chunks = 12 if n <= 32 else 10 if n <= GREEDY_SIZE else 8  # noqa: PLR2004, sizes of effort
    while chunks > FEWEST_CHUNKS and k << chunks > REGROUPING:
        chunks -= 1
    return chunks


def constraints(
    mass: FloatArray, bound: Bound, *, tolerant: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Write the bound as gains (n, k) that add up to at least zero in a safe block.

    One for each sensitive value and finite side: n(s,x) n - least n(s) n(x), and most n(s) n(x) -
    n(s,x) n, with the tolerance only if asked. Also returns their scales (k,): in units of n(s) n.
    """
    rows, columns, total = mass.sum(axis=1), mass.sum(axis=0), mass.sum()
    expected = np.outer(rows, columns)
    less, more = (1.0, 1.0) if tolerant else (1 - TOLERANCE, 1 + TOLERANCE)
    gains = []
    if math.isfinite(bound.lower):
        gains.append(mass * total - bound.least / less * expected)
    if math.isfinite(bound.most):
        gains.append(bound.most / more * expected - mass * total)
    if not gains:  # an upper bound beyond what floats hold excludes nothing
        gains.append(np.zeros_like(mass))
    return np.hstack(gains), np.tile(1 / (columns * total), len(gains))


def _greedy_in_groups(mass: FloatArray, prior: FloatArray, bound: Bound, seed: int) -> IntArray:
    """Algorithm 1 with absorb on the whole, or on random groups where it would be too slow.

    It is quadratic, but among a few thousand values there are partners as good as among more.
    """
    n = mass.shape[0]
    if n <= GREEDY_SIZE:
        return greedy(mass, bound, absorb=True, prior=prior)
    labels, used = np.empty(n, dtype=np.int64), 0
    shuffled = np.random.default_rng(seed).permutation(n)
    for group in np.array_split(shuffled, math.ceil(n / GREEDY_SIZE)):
        rows = np.sort(group)
        labels[rows] = greedy(mass[rows], bound, prior=prior) + used
        used = int(labels[rows].max()) + 1
    return canonical(labels)


def problem_of(mass: FloatArray, bound: Bound, least: float) -> Problem:
    """The constraints of the bound, and one for the least mass of a block."""
    from loglift.merging._build_kernels import Problem  # noqa: PLC0415, numba loads when used

    gain, scale = constraints(mass, bound)
    need, rows = np.zeros(scale.size), mass.sum(axis=1)
    if least > 0:
        gain = np.hstack([gain, rows[:, np.newaxis]])
        need, scale = np.append(need, least), np.append(scale, 1 / least)
    return Problem(np.ascontiguousarray(gain), rows / rows.sum(), need, scale)


def _built(problem: Problem, trial: int, seed: int) -> IntArray:
    """Build a partition: the first one plainly, the others with some randomness."""
    from loglift.merging import _build_kernels as kernels  # noqa: PLC0415, numba loads when used

    random = np.random.default_rng([seed, trial])
    short = _shortfalls(problem.gain, problem)
    noise, discount = (0.0, 1.0) if trial == 0 else (0.5, random.random())
    keys = short * (1 + noise * random.random(short.size))
    seeds = np.argsort(-keys, kind="stable")[: np.count_nonzero(short)]
    labels = kernels.grow(seeds, short, discount, problem, int(random.integers(2**31)))
    alone = np.arange(labels.size) + labels.size
    return _repaired(problem, canonical(np.where(labels < 0, alone, labels)), seed)


def _repaired(problem: Problem, labels: IntArray, seed: int) -> IntArray:
    """Merge unsafe blocks until all are safe, or one is left."""
    from loglift.merging import _build_kernels as kernels  # noqa: PLC0415, numba loads when used

    gain, p = block_sums(problem.gain, labels), block_sums(problem.p, labels)
    if not _shortfalls(gain, problem).any():
        return labels
    into = kernels.repair(gain, p, np.argsort(-p, kind="stable"), problem, seed)
    while (into[into] != into).any():
        into = into[into]
    return canonical(into[labels])


def _improved(problem: Problem, labels: IntArray, iterations: int, seed: int) -> IntArray:
    from loglift.merging import _regroup_kernels as kernels  # noqa: PLC0415, numba loads when used

    n = labels.size
    by_label = np.argsort(labels, kind="stable")
    slack = 1 / n  # nats: what a single move is worth shrinks with the number of values
    best = kernels.improve(
        labels, by_label, problem, iterations, _chunks(n, problem.need.size), slack, seed
    )
    return canonical(best)


def _shortfalls(gain: FloatArray, problem: Problem) -> FloatArray:
    shorts: FloatArray = np.maximum(problem.need - gain, 0) @ problem.scale
    return shorts


def _utility(problem: Problem, labels: IntArray) -> float:
    """H(Y); minus infinity when a block is unsafe."""
    if _shortfalls(block_sums(problem.gain, labels), problem).any():
        return -math.inf
    return float(-plogp(block_sums(problem.p, labels)).sum())
