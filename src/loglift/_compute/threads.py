"""Independent work on all cores: the compiled kernels release the interpreter's lock.

Results come in the order of the work and do not depend on the number of cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

MAX_BATCHES_PER_CORE = 16  # in which work is handed over: handing over takes time

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def spread(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Do the work for each item, in as many threads as there are cores.

    After an error, or Ctrl-C, work that has begun is finished and the rest is not begun.
    """
    todo = list(items)
    workers = min(cores(), len(todo))
    if workers <= 1:
        return [work(item) for item in todo]
    count = min(len(todo), MAX_BATCHES_PER_CORE * workers)
    pool = ThreadPoolExecutor(workers)
    try:
        # A copy of the caller's context for each batch: `many_problems` holds in threads, too.
        contexts = [copy_context() for _ in range(count)]
        done = list(
            pool.map(
                lambda b: contexts[b].run(lambda: [work(item) for item in todo[b::count]]),
                range(count),
            )
        )
    finally:
        pool.shutdown(cancel_futures=True)
    return [done[i % count][i // count] for i in range(len(todo))]
