"""Search: a good safe partition of any number of values.

A block that is not safe has a shortfall, the total that its gains lack, which is finite even where
omega is infinite. Search first builds partitions (`building`), then it improves the best one block
by block (`improving`). At tight bounds it also packs small blocks (`packing`) and improves the
partition they make, and takes it if it is better.

The result is never worse than Algorithm 1 with absorb (which search tries, on random groups beyond
3000 values), nor than a partition to start from. It is deterministic for a seed. The default number
of iterations is linear in the number of values, and so are time and memory. Where the inequalities
are too many for a shard of whole blocks to fit, unsafe values are paired first, and large blocks
are improved in bundles of values.

A utility with targets is searched for I(X;Y) first; then the partition is rearranged for the
targets (`annealing`). For I(X;Y) alone more iterations never give less. With targets they cool the
annealing more slowly, which usually gives more.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from loglift._compute.threads import spread
from loglift.joint import IntArray
from loglift.measures.partition import canonical
from loglift.merging.annealing import annealed
from loglift.merging.balancing import capped_partition
from loglift.merging.building import affordable, built, dealt, joined, repaired, utility_if_safe
from loglift.merging.exact import MAX_FEW_VALUES
from loglift.merging.greedy import greedy
from loglift.merging.improving import MIN_CHUNKS, improved, shards_of
from loglift.merging.packing import MAX_BUILT_SIZE, packed, packed_values
from loglift.merging.problem import Problem
from loglift.merging.wide import is_wide, is_written, wide_partition
from loglift.promise.bound import Bound
from loglift.promise.lift import LiftPromise
from loglift.promise.together import Together

# At most 24 values: 500 iterations, then `exact`. Where that is easy, 125 are enough before it.
FEW_VALUES_ITERATIONS, EASY_ITERATIONS = 500, 125
MAX_CHEAP_SENSITIVE = 32  # with more sensitive values there are fewer iterations
MAX_GREEDY_VALUES = 3000  # Algorithm 1 is quadratic
# Annealing n values takes 240 steps per iteration, at most 16,000 n and at most 6,000,000 + 110 n.
STEPS_PER_ITERATION, MAX_STEPS_PER_VALUE = 240, 16_000
MANY_STEPS, MANY_STEPS_PER_VALUE = 6_000_000, 110
WIDE_OPERATIONS = 200_000_000  # of improving with too many inequalities: about a second
MAX_HARDER, MAX_ROUND_GROWTH = 5, 3  # doublings of packing; time of a round against the last
# Packing may find a quarter more blocks than a good partition has, and two: of few, one is much.
MORE_PACKED_SHARE, MORE_PACKED_BLOCKS = 0.25, 2
MAX_VAIN_PACKING = 20_000_000  # values squared times inequalities: a few seconds


@dataclass(frozen=True)
class Options:
    """How often blocks are torn down and rebuilt, `default_iterations` by default, and the seed."""

    iterations: int | None = None
    seed: int = 0


def search(
    problem: Problem,
    options: Options = Options(),  # noqa: B008, frozen
    *,
    start: IntArray | None = None,
) -> IntArray:
    """Return the block number of each value to partition, canonical.

    `start` is a partition of them to improve on; if it is unsafe it is made safe first. The result
    is safe whenever all these values together are.
    """
    whole = problem.only(problem.chosen)
    n, seed, iterations = whole.size, options.seed, _iterations(options, whole)
    if is_wide(whole):
        return _searched_wide(whole, start, seed)
    if whole.is_capped:
        free = search(replace(whole, largest=math.inf), options, start=start)
        if whole.blocks(free).counted.max() <= whole.largest:
            return free
    starts = _starts(whole, start, seed)
    rows, builds = whole.of_rows, 8 if n <= MAX_GREEDY_VALUES else 2
    begun = _begun(rows, starts, builds, seed)
    best = _improved_if_safe(rows, begun, iterations, seed)
    if _packs(rows, iterations, begun):  # apart from `best`: more iterations then never give less
        small = packed(rows, dealt(n, packed_values(n), seed), seed)
        if small is not None:
            tried = [best, improved(rows, small, iterations, seed)]
            best = max(tried, key=lambda labels: utility_if_safe(rows, labels))
    if whole is not rows:
        tried = [best] if start is None else [best, repaired(rows, start, seed)]
        best = max(tried, key=lambda labels: utility_if_safe(whole, labels))
        best = annealed(whole, best, _steps(iterations, n), seed)
        tried = [best, *(repaired(rows, each, seed) for each in starts)]
        best = max(tried, key=lambda labels: utility_if_safe(whole, labels))
    return best


def _starts(whole: Problem, start: IntArray | None, seed: int) -> list[IntArray]:
    """Return partitions to improve on: of Algorithm 1, of other methods, and the given one."""
    starts = _greedy_in_groups(whole, seed)
    if isinstance(whole.promise, Together):
        starts.append(wide_partition(whole, seed))
    if whole.is_capped and (found := capped_partition(whole, seed)) is not None:
        starts.append(found)
    return starts if start is None else [*starts, start]


def go_on(problem: Problem, labels: IntArray, options: Options, deadline: float) -> IntArray:
    """Improve a safe partition of the values to partition until the deadline; canonical.

    The search is repeated with other seeds; packing tries harder every time that leaves time.
    """
    whole = problem.only(problem.chosen)
    n, seed, iterations, harder = whole.size, options.seed, _iterations(options, whole), 0
    if is_wide(whole):
        return labels
    while time.monotonic() < deadline and labels.max() + 1 < n:
        seed, begun = seed + 1, time.monotonic()
        if whole is not whole.of_rows:
            labels = annealed(whole, labels, _steps(max(iterations, 1), n), seed)
            continue
        if _packs(whole, iterations, labels):
            groups = shards_of(labels, seed, packed_values(n), least=1)
            small = packed(whole, groups, seed, labels=labels, harder=harder)
            labels = labels if small is None else small
            now = time.monotonic()
            long = MAX_ROUND_GROWTH * (now - begun) > deadline - now
            harder = max(0, harder - 1) if long else min(harder + 1, MAX_HARDER)
        if time.monotonic() < deadline:
            labels = improved(whole, labels, max(iterations, 1), seed)
    return labels


def _packs(whole: Problem, iterations: int, labels: IntArray) -> bool:
    """Whether packing follows: not where `exact` does, nor where few iterations are wanted.

    Nor where the inequalities tell that blocks are not small. Where only the blocks of a partition
    that is good already tell so, packing may still find more, and is left out if it takes long.
    """
    n, most = whole.size, whole.promise.most_blocks()[0]
    if n <= MAX_FEW_VALUES or iterations < FEW_VALUES_ITERATIONS or n > MAX_BUILT_SIZE * most:
        return False
    found = (1 + MORE_PACKED_SHARE) * (labels.max() + 1) + MORE_PACKED_BLOCKS
    return bool(n <= MAX_BUILT_SIZE * found or n**2 * whole.inequalities <= MAX_VAIN_PACKING)


def _searched_wide(whole: Problem, start: IntArray | None, seed: int) -> IntArray:
    """Return a safe partition of a problem with too many inequalities to write out.

    That of the start, made safe, or one that is built from single values: the better one. It is
    improved a little where its gains can be written out.
    """
    found = [wide_partition(whole, seed)]
    if start is not None:
        blocks = whole.blocks(start)
        found.append(canonical(wide_partition(blocks, seed)[start]))
    if is_written(whole):
        iterations = max(1, WIDE_OPERATIONS // (whole.inequalities << MIN_CHUNKS))
        best = max(found, key=lambda labels: utility_if_safe(whole.of_rows, labels))
        found.append(improved(whole.of_rows, best, iterations, seed))
        best = max(found, key=lambda labels: utility_if_safe(whole, labels))
        steps = min(_steps(iterations, whole.size), WIDE_OPERATIONS // whole.inequalities)
        found.append(annealed(whole, best, steps, seed))
    return max(found, key=lambda labels: utility_if_safe(whole, labels))


def best_partition(
    whole: Problem, starts: Iterable[IntArray], *, builds: int, iterations: int, seed: int = 0
) -> IntArray:
    """Build some partitions, make the given ones safe, and improve the best one; canonical."""
    return _improved_if_safe(whole, _begun(whole, starts, builds, seed), iterations, seed)


def _begun(whole: Problem, starts: Iterable[IntArray], builds: int, seed: int) -> IntArray:
    candidates = spread(lambda trial: built(whole, trial, seed), range(builds))
    candidates += [repaired(whole, start, seed) for start in starts]
    return max(candidates, key=lambda labels: utility_if_safe(whole, labels))


def _improved_if_safe(whole: Problem, labels: IntArray, iterations: int, seed: int) -> IntArray:
    if utility_if_safe(whole, labels) == -math.inf:
        return labels
    return improved(whole, labels, iterations, seed)


def default_iterations(shape: tuple[int, int]) -> int:
    """Return how many times blocks are rebuilt for a number of public and sensitive values.

    Linear in the public values from 12,500 on. Many sensitive values make an iteration costly, so
    there are fewer: the first iterations gain by far the most.
    """
    n, m = shape
    if n <= MAX_FEW_VALUES:
        return FEW_VALUES_ITERATIONS
    usual = max(3000, min(120 * n, 50_000), 4 * n)
    cheap = usual * MAX_CHEAP_SENSITIVE // max(m, MAX_CHEAP_SENSITIVE)
    return max(2 * FEW_VALUES_ITERATIONS, cheap)


def _iterations(options: Options, whole: Problem) -> int:
    if options.iterations is not None:
        return options.iterations
    return default_iterations((whole.size, sensitive_values(whole)))


def sensitive_values(whole: Problem) -> int:
    """Return the number of sensitive values, or of pairs of inequalities of other promises."""
    promise = whole.promise
    if isinstance(promise, LiftPromise):
        return promise.prior.size
    return max(1, promise.inequalities // 2)


def _steps(iterations: int, n: int) -> int:
    """Return how many steps of annealing go with some iterations on n values."""
    many = MANY_STEPS + MANY_STEPS_PER_VALUE * n
    return min(STEPS_PER_ITERATION * iterations, MAX_STEPS_PER_VALUE * n, many)


def _greedy_in_groups(whole: Problem, seed: int) -> list[IntArray]:
    """Run Algorithm 1 with absorb, or without it on random groups where it would be too slow.

    It is quadratic, but a few thousand values contain partners as good as more values do. Of
    several promises only the bound on log-lift is kept. Returns no partition where sensitive values
    have bounds of their own.
    """
    promise = whole.promise.plain if isinstance(whole.promise, Together) else whole.promise
    if not isinstance(promise, LiftPromise) or not isinstance(promise.bound, Bound):
        return []
    whole = replace(whole, promise=promise)
    most = affordable(MAX_GREEDY_VALUES, promise.prior.size)
    groups = dealt(whole.size, most, seed)

    def merged(rows: IntArray) -> IntArray:
        return greedy(whole.only(rows), absorb=whole.size <= most)

    return [joined(groups, spread(merged, groups))]
