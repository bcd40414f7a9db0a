"""Annealing: a safe partition is rearranged for the targets of a utility.

`search` finds blocks of the right sizes for I(X;Y), but among partitions that keep nearly the most
of it there are some that keep most of every target. Values move between blocks, or change places,
as long as the blocks stay safe (`_annealing_kernels`). Proposals are between values that are alike:
neighbours in an order by some targets, which are drawn anew in every round. Losses are taken too,
with a probability that falls to zero (simulated annealing: Kirkpatrick, Gelatt and Vecchi, 1983).

Values are dealt into shards of neighbours that fit into the cache, and all cores work on shards.
Time and memory are linear in the number of values. The result is never worse than the partition at
the start, and is the same for any number of cores.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from loglift._compute.kernels import is_small, kernels
from loglift._compute.threads import spread
from loglift.joint import IntArray
from loglift.measures.entropy import plogp
from loglift.measures.partition import canonical
from loglift.merging.problem import Problem
from loglift.sparse import MAX_DENSE_CELLS, refinement, stable_order
from loglift.utility.weighted import WeightedTargets

# In each round values are sorted and dealt into shards anew; few steps make fewer rounds.
MAX_ROUNDS, MIN_ROUNDS, MIN_ROUND_STEPS = 30, 3, 7  # steps: for each value
MAX_COLD_ROUNDS = 10  # without heat
MAX_SHARD_VALUES, MIN_SHARD_BLOCKS = 1024, 24  # of a shard, annealed by one core
MAX_SHARD_GAINS = 2**23  # gains that are written out at a time
MAX_KEYS = 5  # targets by which values are sorted
# The temperature at the start, in units of the mean mass of a value times what a nat is worth, and
# of a power of the values per block: large blocks are like clusters, which form when it is hot.
TEMPERATURE, CLUSTER_POWER, MAX_TEMPERATURE = 0.2, 0.6, 8.0
COOLING_POWER = 3  # of the share of rounds that are left: the temperature falls with it
# Distances in the order between which moves are proposed: small ones more often, on both sides.
DISTANCES = np.array([sign * int(64 ** (i / 128)) for i in range(128) for sign in (1, -1)])
# Logarithms of 1024 evenly spread probabilities, one of which decides whether a loss is taken.
LOGS = np.log((np.arange(1024) + 0.5) / 1024)
SEED_STEP = 7919  # between the seeds of two tries
MAX_KNOWN = 4096  # whole numbers t of which t log t is looked up
MAX_PLAIN_STEPS = 5000  # of a small problem in plain Python: about half a second


def annealed(
    problem: Problem, labels: IntArray, steps: int, seed: int, *, heat: float = 1.0
) -> IntArray:
    """Rearrange a safe partition of all values of a problem; canonical block numbers.

    `heat` multiplies the temperature: with zero no loss is taken, for a partition that is good
    already; one seed is enough then. Returns the partition as it is if none is found that is worth
    more.
    """
    worth = problem.worth
    if not isinstance(worth, WeightedTargets) or steps <= 0 or labels.max() == 0:
        return labels
    # Where all values are one shard, two cores would have one to do: two seeds are tried.
    order, random = np.arange(labels.size), np.random.default_rng(0)
    single = len(shards_along(labels, order, problem.inequalities, random)) == 1
    seeds = [seed, seed + SEED_STEP] if single and heat > 0 else [seed]
    found = spread(lambda each: _annealed(problem, worth, labels, steps, each, heat), seeds)
    # The sums of a block are kept up to date step by step, so their rounding may add up.
    safe = [each for each in found if problem.is_safe(each)]
    return max([labels, *safe], key=problem.utility_of)


def _annealed(
    problem: Problem,
    worth: WeightedTargets,
    labels: IntArray,
    steps: int,
    seed: int,
    heat: float,
) -> IntArray:
    """Rearrange a partition in rounds."""
    random = np.random.default_rng(seed)
    # What a nat of a target is worth, in the mean over targets and X, weighted by itself.
    nats = np.append(worth.nat_weights, worth.joint_weight)
    per_block = labels.size / (labels.max() + 1)
    hottest = min(TEMPERATURE * per_block**CLUSTER_POWER, MAX_TEMPERATURE)
    hottest *= heat * float(nats @ nats / nats.sum()) * float(worth.weight.mean())
    keys, values = sort_keys(worth), _values(problem, worth)
    if is_small(problem.size, problem.inequalities):
        steps = min(steps, MAX_PLAIN_STEPS)
    most = MAX_ROUNDS if heat > 0 else MAX_COLD_ROUNDS
    rounds = max(MIN_ROUNDS, min(most, steps // (MIN_ROUND_STEPS * labels.size)))
    for number in range(rounds):
        # The last round takes no losses.
        hot, cold = (
            hottest * max(0.0, 1 - turn / (rounds - 1)) ** COOLING_POWER
            for turn in (number, number + 1)
        )
        chosen = random.permutation(keys.shape[1])[:MAX_KEYS]
        order = in_order_of([keys[:, key] for key in chosen])
        shards = shards_along(labels, order, problem.inequalities, random)
        seeds = random.integers(1, 2**31 - 1, size=(len(shards), 1))
        labels = _rearranged(problem, values, labels, shards, steps // rounds, (hot, cold), seeds)
    return canonical(labels)


def _values(problem: Problem, worth: WeightedTargets) -> Any:
    """Return all values as the kernel takes them; without gains if these are many.

    Masses that are whole numbers have 32 bits while their sums fit: the tables take half the cache.
    """
    cells, k = worth.cells, problem.inequalities
    few = worth.weight.size * k <= MAX_SHARD_GAINS
    whole = not (worth.weight % 1).any() and not (cells.values % 1).any()
    largest = max(worth.weight.sum(), worth.prior.max(initial=0))
    kind = np.int32 if whole and largest <= np.iinfo(np.int32).max else np.float64
    return _loops(problem).Values(
        problem.of_rows.arrays().gain if few else np.empty((0, k)),
        problem.need,
        worth.weight.astype(kind),
        cells.starts,
        cells.columns,
        cells.values.astype(kind),
        worth.cell_weights,
        worth.block_weight,
        plogp(np.arange(MAX_KNOWN, dtype=np.float64)),
    )


def _loops(problem: Problem) -> Any:
    """Return the kernel, compiled or as plain Python."""
    plain = is_small(problem.size, problem.inequalities)
    return kernels("merging._annealing_kernels", plain=plain)


def sort_keys(worth: WeightedTargets) -> IntArray:
    """Return a number for what each value is of each target, (n, targets + 1): its likeliest u.

    The last key is the size of its mass, in powers of two of the least: values of about the same
    mass change places more often without breaking a bound.
    """
    cells = worth.cells
    found = np.zeros((worth.weight.size, worth.nat_weights.size + 1), dtype=np.int64)
    likely = np.argsort(cells.values, kind="stable")  # the likeliest is written last
    found[cells.rows[likely], worth.target[cells.columns[likely]]] = cells.columns[likely]
    sizes = np.rint(np.log2(worth.weight))
    found[:, -1] = sizes - sizes.min()
    return found


def in_order_of(keys: list[IntArray]) -> IntArray:
    """Return the rows sorted by the last key, then by the one before: `numpy.lexsort`, in O(n)."""
    order = np.arange(keys[0].size)
    for key in keys:
        order = order[stable_order(key[order], int(key.max()) + 1)]
    return order


def _rearranged(
    problem: Problem,
    values: Any,
    labels: IntArray,
    shards: list[IntArray],
    steps: int,
    temperatures: tuple[float, float],
    seeds: IntArray,
) -> IntArray:
    """Rearrange all shards, with steps in proportion to the values of each.

    Returns block numbers without gaps.
    """
    n, loops, conditions = labels.size, _loops(problem), problem.promise.conditions().if_any

    def rearranged(number: int) -> IntArray:
        rows = shards[number]
        begin = refinement([labels[rows]])
        if rows.size * values.need.size > MAX_DENSE_CELLS:
            return begin  # few blocks of many values: no room for their gains
        gain = values.gain[rows] if values.gain.size else problem.of_rows.arrays(rows).gain
        part = loops.gathered(values, rows, gain)
        if (int(begin.max()) + loops.MAX_NEW_BLOCKS) * part.nats.size > MAX_DENSE_CELLS:
            return begin  # no room for what they hold
        blocks, work = loops.linked(begin, part), loops.workspace(part, seeds[number])
        effort = math.ceil(steps * rows.size / n)
        loops.rearrange(blocks, part, conditions, effort, *temperatures, DISTANCES, LOGS, work)
        return np.asarray(blocks.of)

    found, used = np.empty(n, dtype=np.int64), 0
    for rows, part in zip(shards, spread(rearranged, range(len(shards))), strict=True):
        found[rows] = part + used
        used += int(part.max()) + 1
    return refinement([found])


def shards_along(
    labels: IntArray, order: IntArray, inequalities: int, random: np.random.Generator
) -> list[IntArray]:
    """Deal whole blocks into shards of neighbours in an order; return the rows of each, in order.

    A block stands where one of its members does, drawn at random.
    """
    n, blocks = labels.size, int(labels.max()) + 1
    most = max(1, min(MAX_SHARD_VALUES, MAX_SHARD_GAINS // inequalities))
    count = min(math.ceil(n / most), max(1, blocks // MIN_SHARD_BLOCKS))
    if count == 1:
        return [order]
    anywhere = random.permutation(n)
    stands = np.empty(blocks, dtype=np.int64)
    stands[labels[order[anywhere]]] = anywhere
    sizes = np.bincount(labels)
    in_order = stable_order(stands, n)
    shard = np.empty(blocks, dtype=np.int64)
    shard[in_order] = (np.cumsum(sizes[in_order]) - 1) * count // n
    of = shard[labels[order]]
    rows = stable_order(of, count)
    shards = np.split(order[rows], np.searchsorted(of[rows], np.arange(1, count)))
    return [rows for rows in shards if rows.size]
