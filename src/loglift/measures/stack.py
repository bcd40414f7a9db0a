"""Measures of many joints or distributions at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import JointError
from loglift.joint import Joint, as_joint
from loglift.joint.stack import as_stack, axes_of, is_stack, joint_of

Options = ParamSpec("Options")
Found = TypeVar("Found")


def of_joints(
    measure: Callable[Concatenate[Joint | ArrayLike, Options], Found],
) -> Callable[Concatenate[Joint | ArrayLike | Sequence[Joint], Options], Found]:
    """Let a measure of a joint take a stack, too.

    A stack has shape (..., n, m), or is a list of joints of one shape; the figures of its joints
    are put together along the leading axes, so a number becomes an array of shape (...). The
    joints are measured one after another.
    """
    one: Callable[..., Any] = measure

    @wraps(one)
    def of(joint: Any, *args: Any, **options: Any) -> Any:
        if not is_stack(joint):
            return one(joint, *args, **options)
        shape = as_stack(joint).shape[:-2]
        each = [one(joint_of(joint, place), *args, **options) for place in np.ndindex(shape)]
        found = np.array(each)
        return found.reshape(shape + found.shape[1:])

    stacking: Callable[..., Any] = of
    return stacking


def largest(
    measure: Callable[Concatenate[Joint, Options], Found],
) -> Callable[Concatenate[Joint | ArrayLike | Sequence[Joint], Options], Found]:
    """Let a measure of a joint with one sensitive variable take any joint or stack.

    With several variables the figure is the largest over them.
    """
    return _over_variables(
        measure, lambda found: max(found) if isinstance(found[0], float) else np.max(found, axis=0)
    )


def least(
    measure: Callable[Concatenate[Joint, Options], Found],
) -> Callable[Concatenate[Joint | ArrayLike | Sequence[Joint], Options], Found]:
    """Do the same as `largest` for arrays of figures; with several variables, the least."""
    return _over_variables(measure, lambda found: np.min(found, axis=0))


def _over_variables(
    measure: Callable[..., Any], worst: Callable[[list[Any]], Any]
) -> Callable[..., Any]:
    @wraps(measure)
    def of(joint: Joint | ArrayLike, *args: Any, **options: Any) -> Any:
        found = [measure(one, *args, **options) for one in as_joint(joint).by_variable()]
        return found[0] if len(found) == 1 else worst(found)

    return of_joints(of)


def of_distributions(*axes: int) -> Callable[[Callable[Options, Found]], Callable[Options, Found]]:
    """Let a measure of distributions and channels take stacks of them, too.

    `axes` are those of the first arguments: 1 for p(x), 2 for p(y|x). Arguments with more axes are
    stacks: their leading axes are broadcast against each other, and there is one figure for each.
    They are measured one after another.
    """

    def stacking(measure: Callable[Options, Found]) -> Callable[Options, Found]:
        one: Callable[..., Any] = measure

        @wraps(one)
        def of(*args: Any, **options: Any) -> Any:
            given = list(zip(args, axes, strict=False))
            if not any(axes_of(value) > own for value, own in given):
                return one(*args, **options)
            arrays = [(np.asanyarray(value), own) for value, own in given]
            leading = [array.shape[: array.ndim - own] for array, own in arrays]
            try:
                shape = np.broadcast_shapes(*leading)
            except ValueError:
                raise JointError(
                    f"stacks of shapes {' and '.join(map(str, leading))} do not go together: give "
                    "one shape, or a single one and a stack"
                ) from None
            stacks = [
                np.broadcast_to(array, shape + array.shape[array.ndim - own :], subok=True)
                for array, own in arrays
            ]
            others = args[len(axes) :]
            each = [
                one(*(stack[place] for stack in stacks), *others, **options)
                for place in np.ndindex(shape)
            ]
            return np.array(each).reshape(shape)

        return of

    return stacking
