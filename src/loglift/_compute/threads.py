"""Independent work on all cores: the compiled kernels release the interpreter's lock.

Results come in the order of the work and do not depend on the number of cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import Event
from typing import Any, Generic, TypeVar

MAX_BATCHES_PER_CORE = 16  # in which work is handed over: handing over takes time

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class StoppedError(Exception):
    """Work that was begun is no longer wanted."""


class Begun(Generic[Result]):
    """Work that goes on in a thread of its own, for `.result()`.

    Copies, and what is pickled, have the result.
    """

    def __init__(self, work: Callable[[], Result]) -> None:
        pool = ThreadPoolExecutor(1)
        self._future: Future[Result] = pool.submit(copy_context().run, work)
        pool.shutdown(wait=False)

    def result(self) -> Result:
        """Wait for the work, and return its result or raise what it raised."""
        return self._future.result()

    def done(self) -> bool:
        """Return whether the work has ended."""
        return self._future.done()

    def __deepcopy__(self, _: dict[int, Any]) -> Begun[Result]:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _done, (self.result(),)


def _done(result: Result) -> Begun[Result]:
    return Begun(lambda: result)


_unwanted: ContextVar[tuple[Event, ...]] = ContextVar("unwanted", default=())


@contextmanager
def stop_on_error() -> Iterator[None]:
    """If this ends with an error, stop all work that was begun meanwhile, in any thread."""
    event = Event()
    token = _unwanted.set((*_unwanted.get(), event))
    try:
        yield
    except BaseException:
        event.set()
        raise
    finally:
        _unwanted.reset(token)


def stop_if_unwanted() -> None:
    """Raise `StoppedError` if this work is no longer wanted."""
    if any(event.is_set() for event in _unwanted.get()):
        raise StoppedError


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
        stop_if_unwanted()
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
