"""Independent work on all cores: the compiled kernels release the interpreter's lock.

Results come in the order of the work and do not depend on the number of cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
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


def begun(work: Callable[[], Result]) -> Future[Result]:
    """Begin work in a thread of its own; `.result()` waits for it, or raises what it raised."""
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(copy_context().run, work)
    finally:
        pool.shutdown(wait=False)


def spread(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    on_done: Callable[[int], None] | None = None,
) -> list[Result]:
    """Do the work for each item, in as many threads as there are cores.

    After an error, or Ctrl-C, work that has begun is finished and the rest is not begun. `on_done`
    is called with the number of items that are done, after every batch, in the caller's thread.
    """
    todo = list(items)
    workers = min(cores(), len(todo))
    count = len(todo) if workers <= 1 else min(len(todo), MAX_BATCHES_PER_CORE * workers)
    tell = on_done or (lambda _: None)

    def batch(number: int) -> list[Result]:
        return [work(item) for item in todo[number::count]]

    if workers <= 1:
        done = []
        for number in range(count):
            done.append(batch(number))
            tell(len(done))
    else:
        done = _in_threads(batch, count, workers, tell)
    return [done[i % count][i // count] for i in range(len(todo))]


def _in_threads(
    batch: Callable[[int], list[Result]], count: int, workers: int, tell: Callable[[int], None]
) -> list[list[Result]]:
    """Return all batches, and tell after each how many items are done."""
    pool = ThreadPoolExecutor(workers)
    try:
        # A copy of the caller's context for each batch: `many_problems` holds in threads, too.
        begun = [pool.submit(copy_context().run, batch, number) for number in range(count)]
        items = 0
        for each in as_completed(begun):
            items += len(each.result())
            tell(items)
    finally:
        pool.shutdown(cancel_futures=True)
    return [each.result() for each in begun]
