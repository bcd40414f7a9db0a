"""The paper's experiment: many random joints, two methods, ten bounds, three statistics.

It works on stacks of joints, arrays of shape (draws, public values, sensitive values).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.merging.stack import Published, Stack
from loglift.promise.bound import Bound

PUBLIC_VALUES = 20
SENSITIVE_VALUES = 13
MAX_STACK = 250  # joints held in memory at a time

Statistic: TypeAlias = Literal["max_omega_high_risk", "nmil", "max_omega_all"]
METHODS: tuple[Published, ...] = ("greedy", "complete")
STATISTICS: tuple[Statistic, ...] = ("max_omega_high_risk", "nmil", "max_omega_all")


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of one method at one eps; each array has one entry per draw.

    `max_omega_high_risk` is the largest omega(y), in nats, of the blocks with high-risk values, NaN
    for a draw without high-risk values; `max_omega_all` is the largest of all blocks; `nmil` is the
    share of information lost.
    """

    max_omega_high_risk: FloatArray
    nmil: FloatArray
    max_omega_all: FloatArray


def draw_joints(
    draws: int, seed: int, public: int = PUBLIC_VALUES, sensitive: int = SENSITIVE_VALUES
) -> FloatArray:
    """Return joints with independent entries, uniform on (0,1), normalised.

    Their shape is (draws, public, sensitive), (draws, 20, 13) by default. They are drawn as the
    paper writes them, one row per sensitive value, and then transposed. The first joints are the
    same however many are drawn.

    Parameters
    ----------
    draws
        How many joints.
    seed
        The seed of the random numbers.
    public, sensitive
        How many values of each kind.

    Returns
    -------
    numpy.ndarray
        Shape (draws, public, sensitive).

    Examples
    --------
    >>> from loglift import paper
    >>> paper.draw_joints(2, seed=0).shape
    (2, 20, 13)
    """
    return np.concatenate(list(draw_stacks(draws, seed, public, sensitive)))


def draw_stacks(
    draws: int, seed: int, public: int = PUBLIC_VALUES, sensitive: int = SENSITIVE_VALUES
) -> Iterator[FloatArray]:
    """Yield the joints of `draw_joints` in stacks of at most `MAX_STACK`.

    Parameters
    ----------
    draws, seed, public, sensitive
        As in `draw_joints`.

    Yields
    ------
    numpy.ndarray
        Shape (stack, public, sensitive).

    Examples
    --------
    >>> from loglift import paper
    >>> [stack.shape for stack in paper.draw_stacks(3, seed=0)]
    [(3, 20, 13)]
    """
    generator = np.random.default_rng(seed)
    for start in range(0, draws, MAX_STACK):
        shape = (min(MAX_STACK, draws - start), sensitive, public)
        entries = generator.random(shape)
        entries /= entries.sum(axis=(1, 2), keepdims=True)
        yield np.ascontiguousarray(entries.transpose(0, 2, 1))


def run(
    stacks: Iterable[FloatArray],
    eps_values: list[float],
    advance: Callable[[int], None] = lambda _: None,
) -> dict[tuple[Published, float], Outcomes]:
    """Return the outcomes of every method at every eps.

    Calls `advance` with the number of joints of each stack that is done.
    """
    parts: dict[tuple[Published, float], list[Outcomes]] = {}
    for joints in stacks:
        stack = Stack.of(joints)
        for eps in eps_values:
            for method in METHODS:
                parts.setdefault((method, eps), []).append(outcomes(stack, method, eps))
        advance(joints.shape[0])
    return {key: _joined(several) for key, several in parts.items()}


def outcomes(stack: Stack, method: Published, eps: float) -> Outcomes:
    """Return the outcomes of one method at one eps on a stack of joints."""
    bound = Bound.symmetric(eps)
    return outcomes_of(stack, stack.merged(method, bound), bound)


def outcomes_of(stack: Stack, labels: IntArray, bound: Bound) -> Outcomes:
    """Return the outcomes of any partitions, given as canonical block numbers (draws, n)."""
    blocks, high_risk = stack.blocks(labels), ~stack.values.safe(bound)
    omegas = blocks.omega()
    of_values = np.take_along_axis(omegas, labels, axis=1)
    in_high_risk = np.where(high_risk, of_values, -np.inf).max(axis=1)
    return Outcomes(
        max_omega_high_risk=np.where(high_risk.any(axis=1), in_high_risk, np.nan),
        nmil=stack.nmil(blocks.information()),
        max_omega_all=omegas.max(axis=1),
    )


def _joined(parts: list[Outcomes]) -> Outcomes:
    return Outcomes(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in STATISTICS)
    )
