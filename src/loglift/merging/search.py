"""Search: a good safe partition of the whole alphabet, at any size.

Whether a block is safe is a set of linear inequalities, so a block that is not safe has a
shortfall, finite even where omega is infinite. Search first builds partitions by growing blocks
around the values that lack most, adding whatever ends the shortfall with the least mass, and
merging what stays unsafe where it loses least; then it improves the best of them by tearing down
a few blocks at a time and putting their values together in the best way there is (dynamic
programming over subsets of chunks of them), with random kicks to leave dead ends.

Never worse than Algorithm 1 with absorb (which it tries, on random groups beyond 3000 values), nor
than a partition to start from; deterministic for a seed; more iterations never give less. Each
iteration costs the same whatever the number of values, as many values are dealt into shards that
stay in the cache and are worked on by all cores, and the default number of them is linear in it: so
are time and memory. Constraints are written out for some values at a time (`problem.Alphabet`);
where there are many sensitive values and a shard of whole blocks would not fit, unsafe values are
paired first, and large blocks are improved in bundles of values. Up to 24 values, where the best
partition may be one of its kind and chance does not find it, a first node of `exact` follows (see
`searching`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loglift._compute.plain import Allowance, fitting, plain
from loglift._compute.threads import spread
from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.measures.partition import canonical
from loglift.merging.greedy import greedy
from loglift.merging.problem import Alphabet, Problem, Whole
from loglift.promise.bound import TOLERANCE, Bound
from loglift.sparse import Mass, any_row

FEW, EFFORT = 24, 500  # up to so few values blocks are rebuilt so often: exact takes over then
EASY, BRIEF = 5, 125  # sensitive values up to which exact proves the best of a few, after so often
USUAL = 32  # sensitive values that take as many iterations as fewer do
GREEDY_SIZE = 3000  # values up to which quadratic Algorithm 1 is worth its time
YARD = 32_768  # values to build from at a time: fewer have fewer donors left at the end
SHARD, FEWEST_BLOCKS = 8192, 24  # values, and blocks at least, to improve at a time
SHARDS = 2  # where there are blocks enough, for two cores
ROUND, LATER = 2500, 1_000_003  # iterations until shards are dealt anew; how far apart seeds are
ROOM = 2**23  # numbers to hold at a time: fewer values are looked at together where each has many
POOL = 512  # values torn down in one iteration, of more than a shard; more count for more
FEWEST_CHUNKS, REGROUPING = 5, 200_000  # of a regrouping, and about how many operations it may take

_plainly = Allowance(15_000_000)  # steps, for the searches that a release of a few values takes


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
    mass: Mass,
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
    whole = Alphabet.of(mass, bound, options.least)
    if rows is not None:
        whole = whole.only(rows)
    n, seed = whole.weight.size, options.seed
    starts = [_greedy_in_groups(whole, seed)]
    if start is not None:
        starts.append(start)
    iterations = options.iterations
    if iterations is None:
        iterations = default_iterations((n, whole.columns.size))
    deadline = time.monotonic() + options.time_limit
    best = best_partition(whole, starts, builds=_builds(n), iterations=iterations, seed=seed)
    while options.time_limit > 0 and time.monotonic() < deadline and best.max() + 1 < n:
        seed += 1
        best = _improved(whole, best, max(iterations, 1), seed)
    return best


def best_partition(
    whole: Whole, starts: Iterable[IntArray], *, builds: int, iterations: int, seed: int = 0
) -> IntArray:
    """Build some partitions, make the given ones safe, and improve the best of all; canonical."""
    candidates = spread(lambda trial: _built(whole, trial, seed), range(builds))
    candidates += [_repaired(whole, start, seed) for start in starts]
    best = max(candidates, key=lambda labels: _utility(whole, labels))
    if _utility(whole, best) == -math.inf:
        return best
    return _improved(whole, best, iterations, seed)


def default_iterations(shape: tuple[int, int]) -> int:
    """Return how many times blocks are rebuilt for so many public and sensitive values.

    Linear in the public values from 12,500 on; fewer where many sensitive values make each one
    costly: the first ones gain by far the most.
    """
    n, m = shape
    if n <= FEW:
        return EFFORT
    usual = max(3000, min(120 * n, 50_000), 4 * n)
    return max(2 * EFFORT, usual * USUAL // max(m, USUAL))


def is_easy(n: int, m: int) -> bool:
    """Whether there are so few public and sensitive values that `exact` ends with a proof."""
    return n <= FEW and m <= EASY


def _builds(n: int) -> int:
    """Return how many partitions to build from nothing."""
    return 8 if n <= GREEDY_SIZE else 2


def _chunks(n: int, k: int) -> int:
    """Return how many chunks to regroup at a time: few values and few constraints afford more.

    Where `exact` proves what it finds, a start that is nearly as good will do.
    """
    small = n <= 32 and not is_easy(n, k // 2)  # noqa: PLR2004, so and below sizes of effort
    chunks = 12 if small else 9 if n <= GREEDY_SIZE else 8
    while chunks > FEWEST_CHUNKS and k << chunks > REGROUPING:
        chunks -= 1
    return chunks


def _dealt(n: int, most: int, seed: int) -> list[IntArray]:
    """Deal n rows at random into groups of at most `most`, each in row order; all if that few."""
    if n <= most:
        return [np.arange(n)]
    shuffled = np.random.default_rng(seed).permutation(n)
    return [np.sort(group) for group in np.array_split(shuffled, math.ceil(n / most))]


def _affordable(most: int, width: int) -> int:
    """As many values as wanted, or as there is room for, each with so many numbers."""
    return max(1, min(most, ROOM // width))


def _greedy_in_groups(whole: Alphabet, seed: int) -> IntArray:
    """Algorithm 1 with absorb on the whole, or on random groups where it would be too slow.

    It is quadratic, but among a few thousand values there are partners as good as among more.
    """
    n, most = whole.weight.size, _affordable(GREEDY_SIZE, whole.columns.size)
    groups = _dealt(n, most, seed)

    def fused(rows: IntArray) -> IntArray:
        return greedy(whole.mass[rows], whole.bound, absorb=n <= most, prior=whole.columns)

    return _joined(groups, spread(fused, groups))


def _joined(groups: list[IntArray], parts: list[IntArray]) -> IntArray:
    """Put partitions of groups of rows together; canonical."""
    labels, used = np.empty(sum(rows.size for rows in groups), dtype=np.int64), 0
    for rows, part in zip(groups, parts, strict=True):
        labels[rows] = part + used
        used += int(part.max()) + 1
    return canonical(labels)


def _built(whole: Whole, trial: int, seed: int) -> IntArray:
    """Build a partition: the first one plainly, the others with some randomness.

    Donors are drawn at random, so a yard at a time is built in, which stays in the cache.
    """
    from loglift._compute.random import seeded  # noqa: PLC0415
    from loglift.merging import _build_kernels as kernels  # noqa: PLC0415, numba loads when used

    random = np.random.default_rng([seed, trial])
    noise, discount = (0.0, 1.0) if trial == 0 else (0.5, random.random())
    most = _affordable(YARD, whole.need.size)
    coarse = _paired(whole, most, random) if most < YARD else np.arange(whole.p.size)
    paired = whole if coarse.max() + 1 == whole.p.size else whole.blocks(coarse)
    yards, parts = _dealt(paired.p.size, most, seed), []
    for rows in yards:
        part = paired.part(rows)
        short = _lacking(part)
        keys = short * (1 + noise * random.random(short.size))
        seeds = np.argsort(-keys, kind="stable")[: np.count_nonzero(short)]
        grow = fitting(kernels.grow, rows.size)
        state = seeded(int(random.integers(2**31)))
        grown = grow(seeds, short, discount, part, state)
        alone = np.arange(rows.size) + rows.size
        parts.append(np.where(grown < 0, alone, grown))
    return _repaired(whole, canonical(_joined(yards, parts)[coarse]), seed)


def _paired(whole: Whole, most: int, random: np.random.Generator) -> IntArray:
    """Merge unsafe values in pairs at random until there is room to look at all of them at once.

    Where values have many numbers each, and few records, it takes many of them to make a block.
    """
    labels = np.arange(whole.p.size)
    while True:
        unsafe = random.permutation(np.flatnonzero(_shortfalls(whole) > 0))
        if unsafe.size <= most:
            return labels
        into = np.arange(whole.p.size)
        half = unsafe.size // 2
        into[unsafe[:half]] = unsafe[half : 2 * half]
        into = canonical(into)
        whole, labels = whole.blocks(into), into[labels]


def _repaired(whole: Whole, labels: IntArray, seed: int) -> IntArray:
    """Merge unsafe blocks until all are safe, or one is left."""
    from loglift._compute.random import seeded  # noqa: PLC0415
    from loglift.merging import _build_kernels as kernels  # noqa: PLC0415, numba loads when used

    while True:
        blocks = whole.blocks(labels)
        chosen = _to_repair(_shortfalls(blocks) > 0, blocks.need.size, seed)
        if chosen.size <= 1:
            return labels
        part = blocks.part(chosen)
        repair = fitting(kernels.repair, part.p.size)
        heaviest, state = np.argsort(-part.p, kind="stable"), seeded(seed)
        into = repair(part.gain, part.p, heaviest, part, state)
        while (into[into] != into).any():
            into = into[into]
        merged = np.arange(blocks.p.size)
        merged[chosen] = chosen[into]
        if np.array_equal(merged, np.arange(merged.size)):  # safe but for a rounding
            return labels
        labels = canonical(merged[labels])


def _to_repair(unsafe: NDArray[np.bool_], width: int, seed: int) -> IntArray:
    """The numbers of all blocks, or of as many as there is room for, unsafe ones first; or none."""
    most = _affordable(unsafe.size, width)
    if not unsafe.any() or most == unsafe.size:
        return np.arange(unsafe.size if unsafe.any() else 0)
    shuffled, most = np.random.default_rng(seed).permutation(unsafe.size), max(most, 2)
    first = shuffled[unsafe[shuffled]][: most // 2 + 1]
    wanted = np.concatenate([first, shuffled[~unsafe[shuffled]]])
    return np.sort(wanted[:most])


def _improved(whole: Whole, labels: IntArray, iterations: int, seed: int) -> IntArray:
    """Improve the blocks shard by shard, round by round until all iterations are done."""
    done, length = 0, max(ROUND, labels.size)
    while done < iterations:
        effort = min(length, iterations - done)
        labels = _improved_once(whole, labels, effort, seed + (done // length) * LATER)
        done += effort
    return labels


def _improved_once(whole: Whole, labels: IntArray, iterations: int, seed: int) -> IntArray:
    """Improve all shards at once, with iterations in proportion to the values of each."""
    from loglift.merging import _regroup_kernels as kernels  # noqa: PLC0415, numba loads when used

    n, most = labels.size, _affordable(SHARD, whole.need.size)
    slack = 1 / n  # nats: what a single move is worth shrinks with the number of values
    shards = shards_of(labels, seed, most)
    chunks, size = _chunks(n, whole.need.size), n if n <= SHARD else POOL

    def improved(shard: tuple[int, IntArray]) -> IntArray:
        random, rows = shard
        begin, effort = canonical(labels[rows]), math.ceil(iterations * rows.size / n)
        if rows.size * whole.need.size <= 2 * ROOM:
            part, of = whole.part(rows), np.arange(rows.size)
        else:
            of = _bundled(begin, most, random)
            part, begin = whole.only(rows).blocks(of).part(slice(None)), begin[any_row(of)]
        room = kernels.room_for(begin.size, whole.need.size, chunks, random)
        best, linked = begin.copy(), kernels.linked(begin)
        improve, steps = kernels.improve, effort * (3 ** (chunks - 1) + (part.need.size << chunks))
        if n <= FEW and _plainly.covers(improve, steps):
            _plainly.left -= steps
            improve = plain(improve)
        improve(linked, part, effort, chunks, slack, size, room, best)
        return best[of]

    return _joined(shards, spread(improved, enumerate(shards, start=seed)))


def _bundled(labels: IntArray, most: int, seed: int) -> IntArray:
    """Bundle the values of each block at random, for about `most` bundles in all; canonical.

    Blocks too large to look at value by value are improved bundle by bundle.
    """
    shuffled = np.random.default_rng(seed).permutation(labels.size)
    order = shuffled[np.argsort(labels[shuffled], kind="stable")]
    sizes = np.bincount(labels)
    share = np.maximum(1, sizes * most // labels.size)  # bundles of each block
    place = np.arange(labels.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    bundles = np.empty_like(labels)
    bundles[order] = place % share[labels[order]] + (np.cumsum(share) - share)[labels[order]]
    return canonical(bundles)


def shards_of(labels: IntArray, seed: int, most: int) -> list[IntArray]:
    """Deal whole blocks at random into shards of about as many values; the rows of each shard.

    Shards of a few thousand values stay in the cache, and have partners as good as any.
    """
    sizes = np.bincount(labels)
    wanted = max(SHARDS, math.ceil(labels.size / most))
    count = max(1, min(wanted, sizes.size // FEWEST_BLOCKS))
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


def _shortfalls(whole: Whole) -> FloatArray:
    """What each value lacks, on its own; some at a time are written out."""
    n, step = whole.p.size, _affordable(whole.p.size, 4 * whole.need.size)
    parts = (whole.part(slice(start, start + step)) for start in range(0, n, step))
    return np.concatenate([_lacking(part) for part in parts])


def _lacking(problem: Problem) -> FloatArray:
    shorts: FloatArray = np.maximum(problem.need - problem.gain, 0) @ problem.scale
    return shorts


def _utility(whole: Whole, labels: IntArray) -> float:
    """H(Y); minus infinity when a block is unsafe by more than a rounding."""
    blocks = whole.blocks(labels)
    if (_shortfalls(blocks) > TOLERANCE * blocks.p).any():
        return -math.inf
    return float(-plogp(blocks.p).sum())
