"""Kernel modules, compiled or as plain Python.

Compiling the loops takes seconds, once on a machine, and loading compiled loops takes a second in
every process. A small problem takes less than that in plain Python. So kernel modules can be loaded
a second time with decorators that return every function as it is; numba is not imported then.

Which of the two a solver takes depends on the size of the problem, and on whether it is one of many
(`many_problems`), never on what the process or the machine did before: equal inputs give equal
results in every process. Plain and compiled loops may differ in the last digit of a `compiled_sum`.
"""

from __future__ import annotations

import builtins
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any

MAX_PLAIN_VALUES = 24  # public values of a problem that is solved in plain Python
MAX_PLAIN_INEQUALITIES = 7  # and its inequalities: two for each of 3 sensitive values, one for mass
MAX_PLAIN_STEPS = 100_000  # of a loop that is not repeated: a thirtieth of a second if plain

_DECORATORS = "loglift._compute.compiling"
_NAMES = (
    "compiled",
    "compiled_lean",
    "compiled_part",
    "compiled_lean_part",
    "compiled_lean_call",
    "compiled_sum",
)


# None for a single problem; for one of many, the most steps of a loop that is still plain.
_many: ContextVar[int | None] = ContextVar("many", default=None)


@contextmanager
def many_problems(*, plain_steps: int = 0) -> Iterator[None]:
    """Solve all problems of the block with compiled loops, also the small ones.

    For work that solves dozens of problems, such as a sweep: there compiled loops pay. It is the
    kind of work that decides, not what the process did before. Short loops of at most `plain_steps`
    steps stay plain.
    """
    token = _many.set(plain_steps)
    try:
        yield
    finally:
        _many.reset(token)


def is_small(values: int, inequalities: int) -> bool:
    """Return whether a problem of this size is solved in plain Python."""
    small = values <= MAX_PLAIN_VALUES and inequalities <= MAX_PLAIN_INEQUALITIES
    return small and _many.get() is None


def is_short(steps: int) -> bool:
    """Return whether a loop of this many steps, which a solver runs once or a few times, is plain.

    For loops whose plain and compiled results are the same to the last digit.
    """
    plain_steps = _many.get()
    return steps <= (MAX_PLAIN_STEPS if plain_steps is None else plain_steps)


def load_compiler() -> None:
    """Load numba, which takes a third of a second: for a thread beside an engine at work.

    By running a loop, as every other thread does: numba has locks of its own.
    """
    kernels("_compute._loading_kernels", plain=False).nothing()


def kernels(name: str, *, plain: bool) -> Any:
    """Return a kernel module of loglift by its name: compiled, or as plain Python."""
    full = f"loglift.{name}"
    return _plain(full) if plain else importlib.import_module(full)


@cache
def _plain(name: str) -> ModuleType:
    """Execute a kernel module once more, with an import statement that finds plain modules."""
    spec = find_spec(name)
    loader: Any = spec.loader if spec else None
    if loader is None:
        raise ModuleNotFoundError(f"no kernel module {name}")
    module = ModuleType(name)
    vars(module)["__builtins__"] = vars(builtins) | {"__import__": _import}
    exec(loader.get_code(name), vars(module))  # noqa: S102, our own module
    return module


def _import(name: str, *arguments: Any, **keywords: Any) -> Any:
    """Import a module for a plain kernel module: kernels are plain, decorators do nothing."""
    if name == _DECORATORS:
        return SimpleNamespace(**dict.fromkeys(_NAMES, _same))
    if name.endswith("_kernels"):
        return _plain(name)
    return builtins.__import__(name, *arguments, **keywords)


def _same(function: Callable[..., object]) -> Callable[..., object]:
    return function
