"""Compile the hot loops with numba, cached on disk where that is possible.

Imported only by the kernels, which solvers import when they run: `import loglift` stays instant.

A loop that Python calls is `compiled`; a function that only other loops call is a `compiled_part`
of them (or a `compiled_sum`), which spares a quarter of the time that compiling takes. All of it
takes seconds, once on a machine; what is over sooner than that need not wait for it (`_plain`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile on first call; keep the machine code for the next process if a cache is writable.

    What is compiled lets go of the interpreter's lock, so that threads run it at once. With
    cache=True numba raises at decoration when neither the install nor the home directory can be
    written (a read-only container).
    """
    try:
        return _made(function, cache=True)
    except RuntimeError:
        return _made(function)


def compiled_part(function: Function) -> Function:
    """Compile as a part of the loops that call it; Python cannot call it."""
    return _made(function, no_cpython_wrapper=True)


def compiled_sum(function: Function) -> Function:
    """Compile a part that adds up numbers in any order, several at a time."""
    return _made(function, no_cpython_wrapper=True, fastmath={"reassoc"})


def _made(function: Function, **options: Any) -> Function:
    njit: Any = numba.njit  # its stubs do not know all options
    return cast("Function", njit(nogil=True, no_cfunc_wrapper=True, **options)(function))
