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

    With cache=True numba raises at decoration when neither the install nor the home directory
    can be written (a read-only container): then compile without a cache.
    """
    try:
        return cast("Function", numba.njit(cache=True)(function))
    except RuntimeError:
        return cast("Function", numba.njit(function))
