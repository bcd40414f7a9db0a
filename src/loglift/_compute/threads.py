"""Independent work on all cores at once: the compiled kernels let go of the interpreter's lock.

Results come in the order of the work and do not depend on the number of cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

HANDS = 16  # in which the work for a core is handed over, at most

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def spread(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Do the work for each item, in threads if there are cores for it.

    After an error, or Ctrl-C, what has begun is ended and the rest is not begun.
    """
    todo = list(items)
    workers = min(cores(), len(todo))
    if workers <= 1:
        return [work(item) for item in todo]
    hands = min(len(todo), HANDS * workers)  # handing over takes time, too
    pool = ThreadPoolExecutor(workers)
    try:
        done = pool.map(lambda hand: [work(item) for item in todo[hand::hands]], range(hands))
        return _dealt_back(list(done))
    finally:
        pool.shutdown(cancel_futures=True)


def _dealt_back(hands: list[list[Result]]) -> list[Result]:
    """Results in the order of the items, which were dealt into hands one after the other."""
    return [hands[i % len(hands)][i // len(hands)] for i in range(sum(map(len, hands)))]
