"""Compile the hot loops with numba, cached on disk where that is possible.

Imported only by the kernels, which solvers import when they run: `import loglift` stays instant.

A loop that Python calls is `compiled`; a function that only other loops call is a `compiled_part`
of them (or a `compiled_sum`), which spares a quarter of the time that compiling takes. All of it
takes seconds, once on a machine: work that is over sooner than that is done by `plain` loops.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, TypeVar, cast

import numba

FEW = 64  # values that plain loops are through with in hundredths of a second

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile on first call; keep the machine code for the next process if a cache is writable.

    What is compiled lets go of the interpreter's lock, so that threads run it at once. With
    cache=True numba raises at decoration when neither the install nor the home directory can be
    written (a read-only container).
    """
    try:
        made = numba.njit(cache=True, nogil=True, no_cfunc_wrapper=True)(function)
    except RuntimeError:
        made = numba.njit(nogil=True, no_cfunc_wrapper=True)(function)
    return cast("Function", made)


def compiled_part(function: Function) -> Function:
    """Compile as a part of the loops that call it; Python cannot call it."""
    return _part(function, fastmath=False)


def compiled_sum(function: Function) -> Function:
    """Compile a part that adds up numbers in any order, several at a time."""
    return _part(function, fastmath={"reassoc"})


def _part(function: Function, *, fastmath: bool | set[str]) -> Function:
    options = {"nogil": True, "fastmath": fastmath}
    made = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)
    return cast("Function", made)


def fitting(loop: Function, values: int) -> Function:
    """Return a loop that draws no random numbers for few values as plain Python, or compiled."""
    return cast("Function", plain(loop)) if values <= FEW else loop


@cache
def plain(loop: Any) -> Any:
    """Return what a compiled loop was made of, with its parts plain as well.

    The same numbers come out of it, as long as it draws no random ones and has no `compiled_sum`.
    """
    function = getattr(loop, "py_func", loop)  # NUMBA_DISABLE_JIT leaves functions as they are
    known = function.__globals__
    parts = [name for name in function.__code__.co_names if hasattr(known.get(name), "py_func")]
    around = known | {name: plain(known[name]) for name in parts}
    return FunctionType(function.__code__, around, function.__name__, function.__defaults__)
