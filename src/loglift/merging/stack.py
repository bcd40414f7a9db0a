"""Merging of many joints at once: the paper's experiment, and `merge` of a stack.

Algorithm 1 and complete merging of thousands of small joints take a few milliseconds: they and all
figures work on arrays of shape (joints, public values, sensitive values).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loglift.display.frame import frame
from loglift.errors import InputError
from loglift.joint import FloatArray, IntArray, Joint, frozen
from loglift.joint.stack import Stacked, as_stack, is_list_of_joints, joint_of
from loglift.measures.entropy import plogp
from loglift.measures.lift import largest_log
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.greedy import greedy_many
from loglift.promise.bound import Bound
from loglift.sparse import Cells

MAX_CELLS = 2**16  # of the joints that are merged at a time: they stay in the processor's cache

Published: TypeAlias = Literal["greedy", "complete"]  # methods that merge as the papers say
Solve: TypeAlias = Callable[[Joint, Bound], Mechanism]


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of one partition of each joint of a stack.

    `found` is n n(s,B) and `expected` is n(s) n(B), (k, n, m); `weight` is n(B), (k, n). There are
    as many places as public values: those without a block have no weight, and lifts of one.
    """

    found: FloatArray
    expected: FloatArray
    weight: FloatArray

    def safe(self, bound: Bound) -> NDArray[np.bool_]:
        """Return which blocks are within a bound, (k, n)."""
        return bound.is_safe(self.found, self.expected)

    def omega(self) -> FloatArray:
        """Return omega of each block in nats, (k, n); zero for places without one."""
        return largest_log(self.found / self.expected)

    def information(self) -> FloatArray:
        """Return I(X;Y) = H(Y) of each partition in nats, (k,)."""
        p = self.weight / self.weight.sum(axis=1, keepdims=True)
        found: FloatArray = -plogp(p).sum(axis=1)
        return found + 0.0  # no negative zero


@dataclass(frozen=True, eq=False)
class Stack:
    """Joints p(x,s) of one shape, on any scale, with the figures that every method needs.

    `mass` is n(s,x), (k, n, m), and `values` are the public values as blocks of their own.
    `entropy` is H(X) in nats, (k,). In memory, public values stand side by side in `by_sensitive`
    (k, m, n) and in all blocks: that makes the maximum over s fast.
    """

    mass: FloatArray
    by_sensitive: FloatArray
    values: Blocks
    entropy: FloatArray

    @classmethod
    def of(cls, mass: FloatArray) -> Stack:
        """Measure trusted masses (k, n, m) once."""
        by_sensitive = np.ascontiguousarray(mass.transpose(0, 2, 1))
        values = _blocks(by_sensitive, by_sensitive)
        return cls(mass, by_sensitive, values, values.information())

    def merged(self, method: Published, bound: Bound) -> IntArray:
        """Return the canonical block numbers (k, n) of Algorithm 1, or of complete merging."""
        if method == "greedy":
            return _canonical(
                greedy_many(self.mass, self.values.found, self.values.expected, bound)
            )
        n = self.mass.shape[1]
        return _canonical(np.where(self.values.safe(bound), np.arange(n), n))

    def blocks(self, labels: IntArray) -> Blocks:
        """Return the blocks of partitions, given as canonical block numbers (k, n)."""
        k, m, n = self.by_sensitive.shape
        place = labels[:, np.newaxis, :] + (np.arange(k * m) * n).reshape(k, m, 1)
        sums: Any = np.bincount(place.ravel(), self.by_sensitive.ravel(), minlength=k * m * n)
        return _blocks(sums.reshape(k, m, n), self.by_sensitive)

    def nmil(self, information: FloatArray) -> FloatArray:
        """Return 1 - I(X;Y)/H(X), zero where H(X) is, (k,)."""
        kept = np.divide(
            information, self.entropy, out=np.ones_like(information), where=self.entropy > 0
        )
        return np.asarray(np.maximum(0.0, 1 - kept))


@dataclass(frozen=True, eq=False, repr=False)
class MergedStack:
    """What `merge` returns for a stack of k joints and e bounds.

    `merged[i, j]` is the ordinary `Mechanism` of joint i at bound j.

    Attributes
    ----------
    method
        How all of them were chosen.
    bounds
        The e bounds.
    joints
        The stack, as it was given.
    labels
        The block number of each public value, (k, e, n); blocks are numbered by their first values.
    leakage, utility, nmil, safe
        Those of each `Mechanism`, (k, e).

    Examples
    --------
    >>> import loglift
    >>> merged = loglift.merge([[[30, 10], [10, 30]], [[3, 1], [1, 3]]], [0.5, 1.2])
    >>> merged
    MergedStack(search: 2 joints of 2 public values, 2 bounds, 4 of 4 safe)
    >>> merged.nmil.tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    >>> merged[0, 1].blocks
    ((0,), (1,))
    """

    method: str
    bounds: tuple[Bound, ...]
    labels: IntArray
    leakage: FloatArray
    utility: FloatArray
    nmil: FloatArray
    safe: NDArray[np.bool_]
    joints: Stacked
    _solve: Solve = field(repr=False)
    _made: dict[tuple[int, int], Mechanism] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        k, e, n = self.labels.shape
        return (
            f"MergedStack({self.method}: {k} joints of {n} public values, {e} "
            f"bound{'' if e == 1 else 's'}, {int(self.safe.sum())} of {k * e} safe)"
        )

    def __len__(self) -> int:
        return int(self.labels.shape[0])

    def to_frame(self) -> Any:
        """Return the figures as a dataframe, with one row for each joint and bound."""
        k, e = self.safe.shape
        return frame(
            {
                "joint": np.repeat(np.arange(k), e).tolist(),
                "lower": [bound.lower for bound in self.bounds] * k,
                "upper": [bound.upper for bound in self.bounds] * k,
                "leakage": self.leakage.ravel().tolist(),
                "utility": self.utility.ravel().tolist(),
                "nmil": self.nmil.ravel().tolist(),
                "safe": self.safe.ravel().tolist(),
            }
        )

    def __getitem__(self, place: tuple[int, int]) -> Mechanism:
        if not isinstance(place, tuple) or len(place) != self.safe.ndim:
            raise InputError(
                f"a mechanism is at merged[i, j], joint i and bound j, got {place!r}: write "
                "merged[0, 0]"
            )
        i, j = (range(size)[at] for size, at in zip(self.safe.shape, place, strict=True))
        if (i, j) not in self._made:  # as `merge` makes it of this joint alone
            self._made[i, j] = self._solve(joint_of(self.joints, (i,)), self.bounds[j])
        return self._made[i, j]


def merge_at_once(
    joints: Stacked, bounds: Sequence[Bound], method: Published, solve: Solve
) -> MergedStack:
    """Merge by Algorithm 1 or completely, some joints at a time; `solve` makes one mechanism.

    O(k e h^2 m) at worst for h high-risk values, as one joint at a time, without its overhead.
    """
    mass = as_stack(joints)
    k, n, m = mass.shape
    labels = np.empty((k, len(bounds), n), dtype=np.int64)
    figures = {name: np.empty((k, len(bounds))) for name in ("leakage", "utility", "nmil")}
    safe = np.empty((k, len(bounds)), dtype=bool)
    step = max(1, MAX_CELLS // (n * m))
    for start in range(0, k, step):
        part = slice(start, start + step)
        stack = Stack.of(mass[part])
        for j, bound in enumerate(bounds):
            labels[part, j] = found = stack.merged(method, bound)
            blocks = stack.blocks(found)
            figures["leakage"][part, j] = blocks.omega().max(axis=1)
            figures["utility"][part, j] = information = blocks.information()
            figures["nmil"][part, j] = stack.nmil(information)
            safe[part, j] = blocks.safe(bound).all(axis=1)
    return _merged(joints, bounds, method, solve, labels, safe, figures)


def merge_one_by_one(
    joints: Stacked, bounds: Sequence[Bound], method: str, solve: Solve
) -> MergedStack:
    """Merge each joint at each bound by `solve`, which is `merge` of one joint."""
    size = as_stack(joints).shape[0]
    made = {
        (i, j): solve(joint_of(joints, (i,)), bound)
        for i in range(size)
        for j, bound in enumerate(bounds)
    }
    shape = (size, len(bounds))
    labels = np.array([found.partition for found in made.values()]).reshape(*shape, -1)
    figures = {
        name: np.array([getattr(found, name) for found in made.values()]).reshape(shape)
        for name in ("leakage", "utility", "nmil")
    }
    safe = np.array([found.safe for found in made.values()]).reshape(shape)
    return _merged(joints, bounds, method, solve, labels, safe, figures, made)


def fits_at_once(joints: Stacked) -> bool:
    """Return whether a stack has plain joints only: one sensitive variable, no survey, not sparse.

    Joints of an array are.
    """
    return not is_list_of_joints(joints) or all(
        len(one.variables) == 1 and one.survey is None and not isinstance(one.mass, Cells)
        for one in joints
    )


def _merged(
    joints: Stacked,
    bounds: Sequence[Bound],
    method: str,
    solve: Solve,
    labels: IntArray,
    safe: NDArray[np.bool_],
    figures: dict[str, FloatArray],
    made: dict[tuple[int, int], Mechanism] | None = None,
) -> MergedStack:
    arrays: dict[str, Any] = {name: frozen(array) for name, array in figures.items()}
    return MergedStack(
        method=method,
        bounds=tuple(bounds),
        labels=frozen(labels),
        safe=frozen(safe),
        **arrays,
        joints=joints,
        _solve=solve,
        _made={} if made is None else made,
    )


def _blocks(masses: FloatArray, values: FloatArray) -> Blocks:
    """Return blocks with masses (k, m, n) of the public values with masses `values`, alike."""
    prior = values.sum(axis=2, keepdims=True)
    found, weight = masses * prior.sum(axis=1, keepdims=True), masses.sum(axis=1)
    expected = weight[:, np.newaxis, :] * prior
    empty = (weight == 0)[:, np.newaxis, :]  # 0 + 1 there: lifts of one
    found += empty
    expected += empty
    return Blocks(found.transpose(0, 2, 1), expected.transpose(0, 2, 1), weight)


def _canonical(labels: IntArray) -> IntArray:
    """Number the blocks of each row (k, n) of labels in the order of their first values."""
    same = labels[:, :, np.newaxis] == labels[:, np.newaxis, :]
    first = same.argmax(axis=2)  # the first value of the block of each value
    rank = np.cumsum(first == np.arange(labels.shape[1]), axis=1) - 1
    return np.take_along_axis(rank, first, axis=1)
