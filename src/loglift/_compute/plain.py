"""The compiled loops as plain Python, for work that is over before they would be compiled.

Compiling a loop takes seconds, once on a machine. A small table need not wait for it: the same
loops do their work as they are written. The same numbers come out of both, but for the last digit
of a `compiled_sum`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

SMALL = 64  # values that plain loops are through with in hundredths of a second

Function = TypeVar("Function", bound=Callable[..., object])


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
    """How many steps a loop may still take as plain Python in this process."""

    left: int

    def covers(self, loop: Callable[..., object], steps: int = 1) -> bool:
        """Whether so many steps may be plain: not where the loop is at hand, compiled."""
        return steps <= self.left and not getattr(loop, "signatures", True) and not _kept(loop)


@cache
def _kept(loop: Any) -> bool:
    """Whether an earlier process left the compiled loop on the disk, perhaps one of older code."""
    folder = loop.stats.cache_path
    return folder is not None and any(Path(folder).glob(f"*.{loop.__name__}-*.nbi"))


_calls = Allowance(500)


def fitting(loop: Function, values: int) -> Function:
    """Return a loop for so many values: compiled, or plain for few where it is not at hand."""
    if values > SMALL or not _calls.covers(loop):
        return loop
    _calls.left -= 1
    return cast("Function", plain(loop))
