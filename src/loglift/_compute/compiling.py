"""Decorators that compile the hot loops with numba, cached on disk where that is possible.

Only kernel modules import this, and solvers load these when they run (`loglift._compute.kernels`):
`import loglift` stays instant.

A loop that Python calls is `compiled`. A function that only other loops call is a `compiled_part`
or a `compiled_sum`: without a wrapper for Python, compiling takes a quarter less time. A `lean` one
allocates no memory, and calls others that do not: then numba need not count who uses an array,
which in a loop of short parts takes longer than the work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from loglift._compute.progress import tell_compiling

Function = TypeVar("Function", bound=Callable[..., object])


class _Watched(event.Listener):
    """Tells of loops that numba compiles because it does not find them on disk."""

    def on_start(self, event: object) -> None:  # noqa: ARG002, numba calls it so
        tell_compiling(1)

    def on_end(self, event: object) -> None:  # noqa: ARG002
        tell_compiling(-1)


event.register("numba:compile", _Watched())  # type: ignore[no-untyped-call]


def compiled(function: Function) -> Function:
    """Compile on first call; keep the machine code for the next process if a cache is writable.

    Compiled loops release the interpreter's lock, so that threads run them at the same time. With
    cache=True numba raises at decoration when neither the install nor the home directory can be
    written (a read-only container).
    """
    return _cached(function)


def compiled_lean(function: Function) -> Function:
    """Compile a loop that allocates no memory."""
    return _cached(function, _nrt=False)


def compiled_part(function: Function) -> Function:
    """Compile as a part of the loops that call it; Python cannot call the result."""
    return _made(function, no_cpython_wrapper=True)


def compiled_lean_part(function: Function) -> Function:
    """Compile as a part of lean loops; Python cannot call the result."""
    return _made(function, no_cpython_wrapper=True, forceinline=True, _nrt=False)


def compiled_lean_call(function: Function) -> Function:
    """Compile as a part of lean loops that is called, not copied into them: it is long."""
    return _made(function, no_cpython_wrapper=True, _nrt=False)


def compiled_sum(function: Function) -> Function:
    """Compile a lean part that adds up numbers in any order, several at a time."""
    return _made(function, no_cpython_wrapper=True, fastmath={"reassoc"}, _nrt=False)


def _cached(function: Function, **options: Any) -> Function:
    try:
        return _made(function, cache=True, **options)
    except RuntimeError:
        return _made(function, **options)


def _made(function: Function, **options: Any) -> Function:
    njit: Any = numba.njit  # its stubs do not know all options
    return cast("Function", njit(nogil=True, no_cfunc_wrapper=True, **options)(function))
