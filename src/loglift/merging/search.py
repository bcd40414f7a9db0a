"""Search: a good safe partition of any number of values.

A block that is not safe has a shortfall, the total that its gains lack, which is finite even where
omega is infinite. Search first builds partitions: it grows blocks around the values that lack
most, adds the values that end the shortfall with the least mass, and merges blocks that stay unsafe
where that loses least. Then it improves the best partition: it tears down a few blocks at a time
and puts their values together in the best way (dynamic programming over subsets of chunks), with
random kicks to leave dead ends. At tight bounds it also packs small blocks (`packing`) and improves
the partition they make, and takes it if it is better.

The result is never worse than Algorithm 1 with absorb (which search tries, on random groups beyond
3000 values), nor than a partition to start from. It is deterministic for a seed. Many values are
dealt into shards that fit into the cache, and all cores work on shards: an iteration costs the same
for any number of values, and the default number of iterations is linear in it. So are time and
memory. Gains are written out for some values at a time. Where the inequalities are too many for a
shard of whole blocks to fit, unsafe values are paired first, and large blocks are improved in
bundles of values.

A utility with targets is searched for I(X;Y) first; then the partition is rearranged for the
targets (`annealing`). For I(X;Y) alone more iterations never give less. With targets they cool the
annealing more slowly, which usually gives more.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift._compute.kernels import is_short, is_small, kernels
from loglift._compute.threads import spread
from loglift.joint import FloatArray, IntArray
from loglift.measures.partition import canonical
from loglift.merging.annealing import annealed
from loglift.merging.balancing import capped_partition, short_of
from loglift.merging.greedy import greedy
from loglift.merging.listing import MAX_COMPARISONS, MIN_COMPARISONS
from loglift.merging.packing import MAX_BUILT_SIZE, Effort, Packer
from loglift.merging.problem import Problem
from loglift.merging.wide import is_wide, is_written, wide_partition
from loglift.promise.bound import Bound
from loglift.promise.lift import LiftPromise
from loglift.promise.limits import TOLERANCE
from loglift.promise.together import Together
from loglift.sparse import any_row

# At most 24 values: 500 iterations, then `exact`. With at most 5 sensitive values `exact` ends with
# a proof, and 125 iterations are enough before it.
MAX_FEW_VALUES, FEW_VALUES_ITERATIONS = 24, 500
MAX_EASY_SENSITIVE, EASY_ITERATIONS = 5, 125
MAX_CHEAP_SENSITIVE = 32  # with more sensitive values there are fewer iterations
MAX_GREEDY_VALUES = 3000  # Algorithm 1 is quadratic
MAX_BUILD_VALUES = 32_768  # values to build from at a time; fewer run out of donors
MAX_SHARD_VALUES, MIN_SHARD_BLOCKS = 8192, 24  # values to improve at a time, in at least 24 blocks
MIN_SHARDS = 2  # if there are enough blocks: for two cores
ROUND_ITERATIONS = 2500  # until shards are dealt again
ROUND_SEED_STEP = 1_000_003  # between the seeds of two rounds
MAX_NUMBERS = 2**23  # gains that are written out at a time
POOL_VALUES = 512  # torn down values that count as one iteration, where there are several shards
MIN_CHUNKS, MAX_REGROUP_OPERATIONS = 5, 200_000  # of one regrouping
MAX_SMALL_VALUES = 32  # values of which more chunks are regrouped
# Of annealing: for each iteration and value, and for many values.
STEPS_PER_ITERATION, MAX_STEPS_PER_VALUE = 240, 16_000
MANY_STEPS, MANY_STEPS_PER_VALUE = 6_000_000, 110
WIDE_OPERATIONS = 200_000_000  # of improving a problem with many inequalities: about a second
# Of packing: values of a group where small blocks are built, and where they are chosen, too.
MAX_GROUP_VALUES, MAX_CHOSEN_GROUP_VALUES, MAX_CHOSEN_VALUES = 1000, 300, 10_000
MIN_TRIES, MAX_TRIES, MAX_BUILDS = 4, 64, 8
BUILD_OPERATIONS, LOOK_OPERATIONS, LOOK_OVERHEAD = 2_000_000_000, 10_000_000_000, 20
CHOICES_PER_INEQUALITY, MOVES_PER_VALUE, CHOICE_MOVES = 4, 1000, 5_000_000
MAX_HARDER, MAX_ROUND_GROWTH = 5, 3  # doublings of the work; time of a round against the last
MAX_PLAIN_STEPS = 1_500_000  # of the iterations on a small problem in plain Python: half a second


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
    n, seed = whole.size, options.seed
    if is_wide(whole):
        return _searched_wide(whole, start, seed)
    if whole.is_capped:
        free = search(replace(whole, largest=math.inf), options, start=start)
        if whole.blocks(free).counted.max() <= whole.largest:
            return free
    starts = _starts(whole, start, seed)
    iterations = options.iterations
    if iterations is None:
        iterations = default_iterations((n, sensitive_values(whole)))
    rows = whole.of_rows
    best = best_partition(rows, starts, builds=_builds(n), iterations=iterations, seed=seed)
    if _packs(rows, iterations):  # apart from `best`: more iterations then never give less
        packed = _packed(rows, _dealt(n, _packed_values(n), seed), seed)
        if packed is not None:
            tried = [best, _improved(rows, packed, iterations, seed)]
            best = max(tried, key=lambda labels: _utility(rows, labels))
    if whole is not rows:
        begun = [best] if start is None else [best, _repaired(rows, start, seed)]
        best = max(begun, key=lambda labels: _utility(whole, labels))
        best = annealed(whole, best, _steps(iterations, n), seed)
        tried = [best, *(_repaired(rows, each, seed) for each in starts)]
        best = max(tried, key=lambda labels: _utility(whole, labels))
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
    n, seed, harder = whole.size, options.seed, 0
    if is_wide(whole):
        return labels
    iterations = options.iterations
    if iterations is None:
        iterations = default_iterations((n, sensitive_values(whole)))
    while time.monotonic() < deadline and labels.max() + 1 < n:
        seed, begun = seed + 1, time.monotonic()
        if whole is not whole.of_rows:
            labels = annealed(whole, labels, _steps(max(iterations, 1), n), seed)
            continue
        if _packs(whole, iterations):
            groups = shards_of(labels, seed, _packed_values(n), least=1)
            packed = _packed(whole, groups, seed, labels=labels, harder=harder)
            labels = labels if packed is None else packed
            now = time.monotonic()
            long = MAX_ROUND_GROWTH * (now - begun) > deadline - now
            harder = max(0, harder - 1) if long else min(harder + 1, MAX_HARDER)
        if time.monotonic() < deadline:
            labels = _improved(whole, labels, max(iterations, 1), seed)
    return labels


def _packs(whole: Problem, iterations: int) -> bool:
    """Whether packing follows: not where `exact` does, nor where few iterations are wanted.

    Nor where a rare sensitive value allows few blocks only, which are not small.
    """
    n, asked = whole.size, iterations >= FEW_VALUES_ITERATIONS
    return n > MAX_FEW_VALUES and asked and n <= MAX_BUILT_SIZE * whole.promise.most_blocks()[0]


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
        best = max(found, key=lambda labels: _utility(whole.of_rows, labels))
        found.append(_improved(whole.of_rows, best, iterations, seed))
        best = max(found, key=lambda labels: _utility(whole, labels))
        steps = min(_steps(iterations, whole.size), WIDE_OPERATIONS // whole.inequalities)
        found.append(annealed(whole, best, steps, seed))
    return max(found, key=lambda labels: _utility(whole, labels))


def best_partition(
    whole: Problem, starts: Iterable[IntArray], *, builds: int, iterations: int, seed: int = 0
) -> IntArray:
    """Build some partitions, make the given ones safe, and improve the best one; canonical."""
    candidates = spread(lambda trial: _built(whole, trial, seed), range(builds))
    candidates += [_repaired(whole, start, seed) for start in starts]
    best = max(candidates, key=lambda labels: _utility(whole, labels))
    if _utility(whole, best) == -math.inf:
        return best
    return _improved(whole, best, iterations, seed)


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


def is_easy(n: int, m: int) -> bool:
    """Return whether `exact` is expected to end with a proof for n public, m sensitive values."""
    return n <= MAX_FEW_VALUES and m <= MAX_EASY_SENSITIVE


def sensitive_values(whole: Problem) -> int:
    """Return the number of sensitive values, or of pairs of inequalities of other promises."""
    promise = whole.promise
    if isinstance(promise, LiftPromise):
        return promise.prior.size
    return max(1, promise.inequalities // 2)


def _builds(n: int) -> int:
    """Return how many partitions to build from single values."""
    return 8 if n <= MAX_GREEDY_VALUES else 2


def _steps(iterations: int, n: int) -> int:
    """Return how many steps of annealing go with some iterations on n values."""
    many = MANY_STEPS + MANY_STEPS_PER_VALUE * n
    return min(STEPS_PER_ITERATION * iterations, MAX_STEPS_PER_VALUE * n, many)


def _chunks(n: int, k: int) -> int:
    """Return how many chunks to regroup at a time: more for few values and few inequalities.

    Where `exact` follows with a proof, a start that is nearly as good is enough.
    """
    small = n <= MAX_SMALL_VALUES and not is_easy(n, k // 2)
    chunks = 12 if small else 9 if n <= MAX_GREEDY_VALUES else 8
    while chunks > MIN_CHUNKS and k << chunks > MAX_REGROUP_OPERATIONS:
        chunks -= 1
    return chunks


def _dealt(n: int, most: int, seed: int) -> list[IntArray]:
    """Deal n rows at random into groups of at most `most` rows, each in row order."""
    if n <= most:
        return [np.arange(n)]
    shuffled = np.random.default_rng(seed).permutation(n)
    return [np.sort(group) for group in np.array_split(shuffled, math.ceil(n / most))]


def _affordable(most: int, width: int) -> int:
    """Return `most`, or as many values of `width` numbers each as are written out at a time."""
    return max(1, min(most, MAX_NUMBERS // width))


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
    most = _affordable(MAX_GREEDY_VALUES, promise.prior.size)
    groups = _dealt(whole.size, most, seed)

    def merged(rows: IntArray) -> IntArray:
        return greedy(whole.only(rows), absorb=whole.size <= most)

    return [_joined(groups, spread(merged, groups))]


def _joined(groups: list[IntArray], parts: list[IntArray]) -> IntArray:
    """Join the partitions of groups of rows into one; canonical."""
    labels, used = np.empty(sum(rows.size for rows in groups), dtype=np.int64), 0
    for rows, part in zip(groups, parts, strict=True):
        labels[rows] = part + used
        used += int(part.max()) + 1
    return canonical(labels)


def _built(whole: Problem, trial: int, seed: int) -> IntArray:
    """Build a partition: the first one without randomness, the others with some.

    Donors are drawn at random, so values are built in groups that fit into the cache.
    """
    random = np.random.default_rng([seed, trial])
    noise, discount = (0.0, 1.0) if trial == 0 else (0.5, random.random())
    most = _affordable(MAX_BUILD_VALUES, whole.inequalities)
    coarse = np.arange(whole.size)
    if most < MAX_BUILD_VALUES:
        coarse = _paired(whole, most, random)
    paired = whole if coarse.max() + 1 == whole.size else whole.blocks(coarse)
    loops, seeded = _building(whole)
    groups, parts = _dealt(paired.size, most, seed), []
    for rows in groups:
        part = paired.arrays(rows)
        short = short_of(part, part.gain)
        keys = short * (1 + noise * random.random(short.size))
        seeds = np.argsort(-keys, kind="stable")[: np.count_nonzero(short)]
        state = seeded(int(random.integers(2**31)))
        grown = loops.grow(seeds, short, discount, part, state)
        alone = np.arange(rows.size) + rows.size
        parts.append(np.where(grown < 0, alone, grown))
    return _repaired(whole, canonical(_joined(groups, parts)[coarse]), seed)


def _paired(whole: Problem, most: int, random: np.random.Generator) -> IntArray:
    """Merge unsafe values in random pairs until at most `most` blocks are unsafe.

    Where values have many gains and few records, a block needs many of them.
    """
    labels = np.arange(whole.size)
    while True:
        unsafe = random.permutation(np.flatnonzero(_shortfalls(whole) > 0))
        if unsafe.size <= most:
            return labels
        into = np.arange(whole.size)
        half = unsafe.size // 2
        into[unsafe[:half]] = unsafe[half : 2 * half]
        into = canonical(into)
        whole, labels = whole.blocks(into), into[labels]


def _repaired(whole: Problem, labels: IntArray, seed: int) -> IntArray:
    """Merge unsafe blocks until all are safe, or one is left."""
    loops, seeded = _building(whole)
    while True:
        blocks = whole.blocks(labels)
        chosen = _to_repair(_shortfalls(blocks) > 0, blocks.inequalities, seed)
        if chosen.size <= 1:
            return labels
        part = blocks.arrays(chosen)
        heaviest = np.argsort(-part.sums[:, 0], kind="stable")
        into = loops.repair(part.gain, part.sums, heaviest, part, seeded(seed))
        while (into[into] != into).any():
            into = into[into]
        merged = np.arange(blocks.size)
        merged[chosen] = chosen[into]
        if np.array_equal(merged, np.arange(merged.size)):  # safe, but for rounding
            return labels
        labels = canonical(merged[labels])


def _to_repair(unsafe: NDArray[np.bool_], width: int, seed: int) -> IntArray:
    """Return the numbers of the blocks to repair, unsafe ones first; empty if all are safe.

    All blocks, or as many as are written out at a time.
    """
    most = _affordable(unsafe.size, width)
    if not unsafe.any() or most == unsafe.size:
        return np.arange(unsafe.size if unsafe.any() else 0)
    shuffled, most = np.random.default_rng(seed).permutation(unsafe.size), max(most, 2)
    first = shuffled[unsafe[shuffled]][: most // 2 + 1]
    wanted = np.concatenate([first, shuffled[~unsafe[shuffled]]])
    return np.sort(wanted[:most])


def _improved(whole: Problem, labels: IntArray, iterations: int, seed: int) -> IntArray:
    """Improve the blocks in rounds until all iterations are done."""
    done, length = 0, max(ROUND_ITERATIONS, labels.size)
    while done < iterations:
        effort = min(length, iterations - done)
        round_seed = seed + (done // length) * ROUND_SEED_STEP
        labels = _improved_once(whole, labels, effort, round_seed)
        done += effort
    return labels


def _improved_once(whole: Problem, labels: IntArray, iterations: int, seed: int) -> IntArray:
    """Improve all shards at once, with iterations in proportion to the values of each."""
    n, k = labels.size, whole.inequalities
    most = _affordable(MAX_SHARD_VALUES, k)
    slack = 1 / n  # nats: what a single move is worth shrinks with the number of values
    shards = shards_of(labels, seed, most)
    chunks, size = _chunks(n, k), n if n <= MAX_SHARD_VALUES else POOL_VALUES
    steps = iterations * (3 ** (chunks - 1) + (k << chunks))
    plain = is_small(n, k) and steps <= MAX_PLAIN_STEPS
    loops = kernels("merging._regroup_kernels", plain=plain)

    def improved(shard: tuple[int, IntArray]) -> IntArray:
        random, rows = shard
        begin, effort = canonical(labels[rows]), math.ceil(iterations * rows.size / n)
        if rows.size * k <= 2 * MAX_NUMBERS:
            part, of = whole.arrays(rows), np.arange(rows.size)
        else:
            of = _bundled(begin, most, random)
            part, begin = whole.only(rows).blocks(of).arrays(), begin[any_row(of)]
        best, work = begin.copy(), loops.workspace(part, chunks, random)
        conditions = part.conditions if part.conditions.kind.size else None
        loops.improve(
            loops.linked(begin), part, conditions, effort, chunks, slack, size, work, best
        )
        return best[of]

    return _joined(shards, spread(improved, enumerate(shards, start=seed)))


def _packed_values(n: int) -> int:
    """Return how many of n values are packed at a time."""
    few = n <= MAX_GROUP_VALUES or n > MAX_CHOSEN_VALUES
    return MAX_GROUP_VALUES if few else MAX_CHOSEN_GROUP_VALUES


def _packed(
    whole: Problem,
    groups: list[IntArray],
    seed: int,
    *,
    labels: IntArray | None = None,
    harder: int = 0,
) -> IntArray | None:
    """Pack small blocks in each group of values; None where it does not pay.

    Never worse than `labels`, a partition whose blocks are within the groups. The values of a group
    are at most a thousand, so that the cost is linear in all values. It doubles with `harder`.
    """
    n = whole.size
    choosing = n <= MAX_CHOSEN_VALUES
    values, share = math.ceil(n / len(groups)), len(groups) if choosing else 1
    width = whole.inequalities + LOOK_OVERHEAD
    size = values * values * width
    tries = max(MIN_TRIES, min(MAX_TRIES, BUILD_OPERATIONS // (size * share)))
    builds = max(1, min(MAX_BUILDS, BUILD_OPERATIONS // (tries * size * share)))
    choices = CHOICES_PER_INEQUALITY * whole.inequalities
    effort = Effort(
        builds=builds,
        tries=tries << harder if choosing else MIN_TRIES,
        looks=(LOOK_OPERATIONS << harder) // (builds * share * width),
        choices=max(2, min(choices, CHOICE_MOVES // (MOVES_PER_VALUE * n))) * choosing,
        moves=MOVES_PER_VALUE << harder,
        comparisons=max(MAX_COMPARISONS // len(groups), MIN_COMPARISONS),
    )
    if not Packer(whole.only(groups[0]), effort.comparisons).pays:
        return None

    def packed(rows: IntArray) -> IntArray:
        part = whole.only(rows)
        packer = Packer(part, effort.comparisons, pairs=choosing)
        tried = [_repaired(part, found, seed) for found in packer.partitions(effort, seed)]
        if labels is not None:
            tried.append(canonical(labels[rows]))
        return max(tried, key=lambda found: _utility(part, found))

    return _repaired(whole, _joined(groups, spread(packed, groups)), seed)


def _bundled(labels: IntArray, most: int, seed: int) -> IntArray:
    """Bundle the values of each block at random, for about `most` bundles in all; canonical.

    Blocks with too many values to write out are improved bundle by bundle.
    """
    shuffled = np.random.default_rng(seed).permutation(labels.size)
    order = shuffled[np.argsort(labels[shuffled], kind="stable")]
    sizes = np.bincount(labels)
    share = np.maximum(1, sizes * most // labels.size)  # bundles of each block
    place = np.arange(labels.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    bundles = np.empty_like(labels)
    bundles[order] = place % share[labels[order]] + (np.cumsum(share) - share)[labels[order]]
    return canonical(bundles)


def shards_of(labels: IntArray, seed: int, most: int, least: int = MIN_SHARDS) -> list[IntArray]:
    """Deal whole blocks at random into shards of about `most` values; return the rows of each.

    At least `least` shards, if there are enough blocks.

    Shards of a few thousand values fit into the cache and contain good partners.
    """
    sizes = np.bincount(labels)
    wanted = max(least, math.ceil(labels.size / most))
    count = max(1, min(wanted, sizes.size // MIN_SHARD_BLOCKS))
    if count == 1:
        return [np.arange(labels.size)]
    shuffled = np.random.default_rng(seed).permutation(sizes.size)
    before = np.cumsum(sizes[shuffled]) - sizes[shuffled]
    shard_of = np.empty_like(sizes)
    shard_of[shuffled] = before * count // labels.size
    of = shard_of[labels]
    order = np.argsort(of, kind="stable")
    shards = np.split(order, np.searchsorted(of[order], np.arange(1, count)))
    return [rows for rows in shards if rows.size]


def _shortfalls(whole: Problem) -> FloatArray:
    """Return what each value lacks on its own, the least mass included."""
    short = whole.promise.shortfalls()
    if whole.least > 0:
        short = short + np.maximum(whole.least - whole.sizes, 0) / whole.least
    if whole.is_capped:
        short = short + np.maximum(whole.counted - whole.largest, 0) / whole.largest
    return short


def _utility(whole: Problem, labels: IntArray) -> float:
    """Return the utility; minus infinity when a block is unsafe by more than rounding."""
    blocks = whole.blocks(labels)
    if (_shortfalls(blocks) > TOLERANCE * blocks.p).any():
        return -math.inf
    return float(blocks.worth.values().sum())


def _building(whole: Problem) -> tuple[Any, Any]:
    """Return the loops that build blocks, and the function that makes the random state of a seed.

    Each value that joins a block is the best of at most `MAX_SCANNED` values.
    """
    loops = kernels("merging._build_kernels", plain=True)
    steps = whole.size * min(whole.size, loops.MAX_SCANNED) * whole.inequalities
    if is_short(steps):
        return loops, kernels("_compute._random_kernels", plain=True).seeded
    loops = kernels("merging._build_kernels", plain=False)
    return loops, kernels("_compute._random_kernels", plain=False).seeded
