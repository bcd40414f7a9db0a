"""Compile the hot loops with numba, cached on disk where that is possible.

Imported only by the kernels, which solvers import when they run: `import loglift` stays instant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile on first call; keep the machine code for the next process if a cache is writable.

    What is compiled lets go of the interpreter's lock, so that threads run it at once.
    """
    return _compiled(function, fastmath=False)


def compiled_sum(function: Function) -> Function:
    """Compile a sum that may be added up in any order, several numbers at a time."""
    return _compiled(function, fastmath={"reassoc"})


def _compiled(function: Function, *, fastmath: bool | set[str]) -> Function:
    """Compile, without a cache where there can be none.

    With cache=True numba raises at decoration when neither the install nor the home directory
    can be written (a read-only container).
    """
    try:
        made = numba.njit(cache=True, nogil=True, fastmath=fastmath)(function)
    except RuntimeError:
        made = numba.njit(nogil=True, fastmath=fastmath)(function)
    return cast("Function", made)
