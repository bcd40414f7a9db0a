"""Stacks: many joints of one shape, taken at once.

A stack is an array of shape (..., public values, sensitive values) with at least three axes, or a
list of `Joint`s of one shape. Every joint of it must pass the checks of `Joint`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.errors import JointError
from loglift.joint.arrays import FloatArray
from loglift.joint.distributions import SMALLEST_SHARE
from loglift.joint.joint import Joint, as_joint
from loglift.sparse import dense

Stacked: TypeAlias = Sequence[Joint] | NDArray[Any]

JOINT_AXES = 2


def axes_of(values: Any) -> int:
    """Return the number of axes of an array, or of nested lists; ragged ones have none."""
    try:
        return int(np.ndim(values))
    except ValueError:
        return 0


def is_list_of_joints(joints: Any) -> TypeGuard[Sequence[Joint]]:
    """Return whether this is a list, or a tuple, of `Joint`s."""
    listed = isinstance(joints, (list, tuple)) and len(joints) > 0
    return listed and all(isinstance(one, Joint) for one in joints)


def is_stack(joints: Any) -> TypeGuard[Stacked]:
    """Return whether this is a stack of joints rather than one joint."""
    if isinstance(joints, Joint):
        return False
    return is_list_of_joints(joints) or axes_of(joints) > JOINT_AXES


def as_stack(joints: Stacked | ArrayLike) -> FloatArray:
    """Return the masses (..., n, m) of a stack on the scale of `Joint.scaled`.

    Raises `JointError` for what `Joint` refuses, and says which joint of the stack it is. O(cells).
    """
    if is_list_of_joints(joints):
        given = joints
        shapes = sorted({one.mass.shape for one in given})
        if len(shapes) > 1:
            raise JointError(
                f"the joints of a stack must have one shape, got {shapes[0]} and {shapes[1]}: "
                "call the function for each joint"
            )
        return np.stack([dense(one.scaled) for one in given])
    if np.ma.is_masked(joints):
        raise JointError("the stack has masked entries: fill them, or leave them out")
    array = np.asarray(joints)
    if array.size == 0:
        raise JointError(f"the stack is empty, shape {array.shape}: it needs at least one joint")
    if array.dtype.kind in "iuf" and _all_are_joints(array):
        return _scaled(array)
    # Each joint says for itself what is wrong with it, or holds numbers of another type.
    each = [dense(joint_of(array, place).scaled) for place in np.ndindex(array.shape[:-2])]
    return np.stack(each).reshape(array.shape)


def joint_of(joints: Stacked | ArrayLike, place: tuple[int, ...]) -> Joint:
    """Return one joint of a stack."""
    if is_list_of_joints(joints):
        return joints[place[0]]
    try:
        return as_joint(np.asarray(joints)[place])
    except JointError as error:
        shown = ", ".join(map(str, place))
        raise JointError(f"joint {shown} of the stack: {error}") from None


def masses_of(joint: Joint | ArrayLike | Sequence[Joint]) -> FloatArray:
    """Return `Joint.scaled` of one joint (n, m), or of a stack (..., n, m), as an array."""
    if is_stack(joint):
        return as_stack(joint)
    return dense(as_joint(joint).scaled)  # type: ignore[arg-type]  # no stack, so one joint


def _all_are_joints(array: NDArray[Any]) -> bool:
    """Return whether `Joint` would take every joint of an array of numbers as it is."""
    if not np.isfinite(array).all() or (array < 0).any():
        return False
    with np.errstate(over="ignore"):
        total = array.sum(axis=(-2, -1), keepdims=True, dtype=np.float64)
    whole = array.dtype.kind in "iu"
    most = np.iinfo(np.int64).max if whole else np.inf
    empty = ~array.any(axis=-1).all() or ~array.any(axis=-2).all()
    if empty or not (total < most).all():
        return False
    return whole or bool(((array == 0) | (array >= SMALLEST_SHARE * total)).all())


def _scaled(array: NDArray[Any]) -> FloatArray:
    """Return checked masses as `Joint.scaled` has them: counts, or a total in [1/2, 1)."""
    mass = np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.kind in "iu":
        return mass
    _, exponent = np.frexp(mass.sum(axis=(-2, -1), keepdims=True))
    return np.asarray(np.ldexp(mass, -exponent))
