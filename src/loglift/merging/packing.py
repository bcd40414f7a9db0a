"""Packing: partitions made of small safe blocks.

At a tight bound a block balances many inequalities, and the blocks of a good partition have few
members, about equally many each: what counts is how many blocks there are. There are two ways to
small blocks.

*Building*: around one value after the other, by coordinate descent among the values that are still
free, with as few members as a few tries allow.

*Choosing*: small safe blocks are listed (`listing`), and disjoint ones are chosen by simulated
annealing. A block is weighed by

    v(B) - p(B) v'(t),    v(p) = -p log p,

with t the mass of a typical block: what it is worth beyond adding its mass to the others.

Values that are left over stay alone, unsafe or not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from loglift._compute.kernels import kernels
from loglift._compute.threads import spread
from loglift.joint import IntArray
from loglift.measures.entropy import plogp
from loglift.measures.partition import canonical
from loglift.merging.building import joined, repaired, utility_if_safe
from loglift.merging.listing import (
    MAX_COMPARISONS,
    MIN_COMPARISONS,
    longer,
    pairs_of,
    singles_of,
)
from loglift.merging.problem import Problem

MAX_BUILT_SIZE = 32  # members of a block that is built
HOTTEST, COLDEST = 0.3, 0.03  # of annealing: shares of the weight of a typical block
COVERS = (0.02, 0.1, 0.2)  # the same: what covering one more value is worth
MAX_CHOICES_PER_VALUE = 400  # listed blocks of one size to choose from
MIN_CHOICES_PER_VALUE = 4  # listed blocks of all sizes: with fewer, a good choice is unlikely
# Values of a group: where small blocks are built, and where they are chosen, too. Of more than
# 10,000 values in all, they are only built.
MAX_GROUP_VALUES, MAX_CHOSEN_GROUP_VALUES, MAX_CHOSEN_VALUES = 1000, 300, 10_000
MIN_TRIES, MAX_TRIES, MAX_BUILDS = 4, 64, 8  # of `Effort`
# Of building: in all, looks at free values in all, and what a look costs beside its inequalities.
BUILD_OPERATIONS, LOOK_OPERATIONS, LOOK_OVERHEAD = 2_000_000_000, 10_000_000_000, 20
# Of choosing: how often, moves of annealing for each value, and moves in all.
CHOICES_PER_INEQUALITY, MOVES_PER_VALUE, CHOICE_MOVES = 4, 1000, 5_000_000
MANY_PARTNERS = 0.15  # share of all values that make a safe pair with a value, on average


@dataclass(frozen=True)
class Effort:
    """How much work to do.

    Partitions are built `builds` times, each time with `tries` for each size of a block and `looks`
    at free values in all. They are chosen `choices` times, each time with `moves` for each value.
    Listing the blocks of one size takes at most `comparisons`.
    """

    builds: int
    tries: int
    looks: int
    choices: int
    moves: int
    comparisons: int

    @classmethod
    def of(cls, whole: Problem, groups: int, harder: int) -> Effort:
        """Return the work for each of some groups of values; `harder` is how often it is doubled.

        Of many values small blocks are only built, not chosen.
        """
        n, choosing = whole.size, whole.size <= MAX_CHOSEN_VALUES
        values, share = math.ceil(n / groups), groups if choosing else 1
        width = whole.inequalities + LOOK_OVERHEAD
        size = values * values * width
        tries = max(MIN_TRIES, min(MAX_TRIES, BUILD_OPERATIONS // (size * share)))
        builds = max(1, min(MAX_BUILDS, BUILD_OPERATIONS // (tries * size * share)))
        choices = CHOICES_PER_INEQUALITY * whole.inequalities
        return cls(
            builds=builds,
            tries=tries << harder if choosing else MIN_TRIES,
            looks=(LOOK_OPERATIONS << harder) // (builds * share * width),
            choices=max(2, min(choices, CHOICE_MOVES // (MOVES_PER_VALUE * n))) * choosing,
            moves=MOVES_PER_VALUE << harder,
            comparisons=max(MAX_COMPARISONS // groups, MIN_COMPARISONS),
        )


class Packer:
    """The small blocks of a problem; without `pairs`, they are not listed."""

    def __init__(self, problem: Problem, comparisons: int, *, pairs: bool = True) -> None:
        self._p = problem.p[problem.chosen]
        gain, self._need = problem.scaled_inequalities(problem.chosen)
        self._gain = np.ascontiguousarray(gain)
        self._listing = pairs_of(problem) if pairs else singles_of(problem)
        self._comparisons = comparisons

    @property
    def pays(self) -> bool:
        """Whether small blocks are worth looking for: not where most values have many partners."""
        unsafe = self._p.size - self._listing.blocks[0].shape[0]
        pairs = self._listing.blocks[-1].shape[0] if self._listing.depth > 1 else math.inf
        return bool(2 * pairs < MANY_PARTNERS * unsafe * self._p.size)

    def partitions(self, effort: Effort, seed: int) -> list[IntArray]:
        """Return partitions, canonical, in which values that are left over are alone."""
        return self._built(effort, seed) + self._chosen(effort, seed)

    def _built(self, effort: Effort, seed: int) -> list[IntArray]:
        """Build around the values that lack most first, then in other orders."""
        short = np.maximum(self._need - self._gain, 0).sum(axis=1)
        smallest = max(2, int(self._listing.fewest.min()))

        def built(number: int) -> IntArray:
            loops, random = _loops(), np.random.default_rng([seed, number])
            n, noise = short.size, 0.0 if number == 0 else 3.0 * random.random()
            order = np.argsort(-short * (1 + noise * random.random(n)), kind="stable")
            labels, free = np.full(n, -1), np.empty(n, dtype=np.int64)
            members = np.empty(min(n, MAX_BUILT_SIZE), dtype=np.int64)
            loops.build(
                self._gain,
                self._need,
                order,
                smallest,
                effort.tries,
                free,
                np.empty(self._need.size),
                members,
                np.array([effort.looks]),
                _state(int(random.integers(2**31))),
                labels,
            )
            return canonical(np.where(labels < 0, np.arange(n) + n, labels))

        return spread(built, range(effort.builds))

    def _chosen(self, effort: Effort, seed: int) -> list[IntArray]:
        """Choose from the listed blocks; the first choice tells the mass of a typical block."""
        if not effort.choices:
            return []
        self._listing = longer(self._listing, self._gain, self._need, self._comparisons)
        n, random = self._p.size, np.random.default_rng(seed)
        found = [_some(blocks, n, random) for blocks in self._listing.blocks if blocks.shape[0]]
        if sum(map(np.size, found)) < MIN_CHOICES_PER_VALUE * n:
            return []
        members, moves = _table(found), effort.moves * n
        inside, holding = members >= 0, _holding(members, n)
        mass = np.where(inside, self._p[members], 0).sum(axis=1)

        def chosen(number: int, t: float) -> IntArray:
            loops, cover = _loops(), COVERS[number % len(COVERS)]
            weight = (mass * (1 + math.log(t)) - plogp(mass)) / t + cover * inside.sum(axis=1)
            choices = loops.Choices(members, weight, *holding)
            packing = loops.Packing(np.full(n, -1), np.arange(n), np.arange(n))
            best, torn = np.full(n, -1), np.empty(members.shape[1], dtype=np.int64)
            state = _state(seed + number)
            loops.pack(choices, packing, moves, HOTTEST, COLDEST, torn, state, best)
            return best

        first = chosen(0, float(self._p.sum()) / self._listing.most_blocks)
        if (first < 0).all():
            return []
        t = float(mass[np.unique(first[first >= 0])].mean())
        others = range(1, effort.choices)
        found = [first, *spread(lambda number: chosen(number, t), others)]
        alone = np.arange(n) + members.shape[0]
        return [canonical(np.where(blocks < 0, alone, blocks)) for blocks in found]


def packed_values(n: int) -> int:
    """Return how many of n values are packed at a time."""
    few = n <= MAX_GROUP_VALUES or n > MAX_CHOSEN_VALUES
    return MAX_GROUP_VALUES if few else MAX_CHOSEN_GROUP_VALUES


def packed(
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
    effort = Effort.of(whole, len(groups), harder)
    if not Packer(whole.only(groups[0]), effort.comparisons).pays:
        return None

    def of_group(rows: IntArray) -> IntArray:
        part = whole.only(rows)
        packer = Packer(part, effort.comparisons, pairs=effort.choices > 0)
        tried = [repaired(part, found, seed) for found in packer.partitions(effort, seed)]
        if labels is not None:
            tried.append(canonical(labels[rows]))
        return max(tried, key=lambda found: utility_if_safe(part, found))

    return repaired(whole, joined(groups, spread(of_group, groups)), seed)


def _loops() -> Any:
    return kernels("merging._packing_kernels", plain=False)


def _state(seed: int) -> Any:
    return kernels("_compute._random_kernels", plain=False).seeded(seed)


def _some(blocks: IntArray, n: int, random: np.random.Generator) -> IntArray:
    """Return the blocks, or as many random ones as are chosen from."""
    most = MAX_CHOICES_PER_VALUE * n // blocks.shape[1]
    if blocks.shape[0] <= most:
        return blocks
    chosen: IntArray = np.sort(random.choice(blocks.shape[0], most, replace=False))
    return blocks[chosen]


def _table(blocks: list[IntArray]) -> IntArray:
    """Return blocks of several sizes, smaller ones first, as one table filled up with -1."""
    width = blocks[-1].shape[1]
    wide = [np.pad(b, ((0, 0), (0, width - b.shape[1])), constant_values=-1) for b in blocks]
    return np.concatenate(wide)


def _holding(members: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Return the blocks that hold each value by size, and where those of a size begin; (n, c+1)."""
    inside = members >= 0
    sizes, kind = np.unique(inside.sum(axis=1), return_inverse=True)
    block = np.nonzero(inside)[0]
    key = members[inside] * sizes.size + kind[block]
    order = np.argsort(key, kind="stable")
    first = np.searchsorted(key[order], np.arange(n * sizes.size + 1))
    places = np.arange(n)[:, np.newaxis] * sizes.size + np.arange(sizes.size + 1)
    return block[order], first[places]
