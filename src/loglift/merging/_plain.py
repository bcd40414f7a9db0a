"""The compiled loops as plain Python, for work that is over before they would be compiled.

Compiling a loop takes seconds, once on a machine. A small table need not wait for it: the same
loops do their work as they are written. The same numbers come out of both, but for the last digit
of a `compiled_sum`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

FEW = 64  # values that plain loops are through with in hundredths of a second

Function = TypeVar("Function", bound=Callable[..., object])


def fitting(loop: Function, values: int) -> Function:
    """Return a loop for so many values: plain for few, else compiled."""
    return plain(loop) if values <= FEW else loop


@cache
def plain(loop: Function) -> Function:
    """Return what a compiled loop was made of, with its parts plain as well."""
    made: Any = loop
    function = getattr(made, "py_func", made)  # NUMBA_DISABLE_JIT leaves functions as they are
    known = function.__globals__
    parts = [name for name in function.__code__.co_names if hasattr(known.get(name), "py_func")]
    around = known | {name: plain(known[name]) for name in parts}
    return cast("Function", FunctionType(function.__code__, around, function.__name__))


@dataclass
class Allowance:
    """How many steps, or seconds, a loop may still take as plain Python in this process."""

    left: float

    def covers(self, loop: Callable[..., object]) -> bool:
        """Whether the loop may be plain: not where it is at hand, compiled."""
        return self.left > 0 and not getattr(loop, "signatures", True) and not _kept(loop)

    @contextmanager
    def timed(self, loop: Function, *, few: bool) -> Iterator[Function]:
        """Give the loop, plain for few values while seconds are left; they are counted."""
        if few and self.covers(loop):
            start = time.perf_counter()
            yield plain(loop)
            self.left -= time.perf_counter() - start
        else:
            yield loop


@cache
def _kept(loop: Any) -> bool:
    """Whether an earlier process left the compiled loop on the disk."""
    folder = loop.stats.cache_path
    return folder is not None and any(Path(folder).glob(f"*.{loop.__name__}-*.nbi"))
