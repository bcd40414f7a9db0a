"""Independent work on all cores at once."""

from __future__ import annotations

import copy
import pickle
import threading

import pytest

from loglift._compute import threads as _threads
from loglift._compute.threads import Begun, StoppedError, spread, stop_if_unwanted, stop_on_error


@pytest.mark.parametrize("cores", [1, 2, 3])
@pytest.mark.parametrize("items", [0, 1, 2, 7, 100])
def test_results_come_in_the_order_of_the_items(cores, items, monkeypatch):
    monkeypatch.setattr(_threads, "cores", lambda: cores)
    assert spread(lambda i: i * i, range(items)) == [i * i for i in range(items)]


@pytest.mark.parametrize("cores", [1, 2, 3])
def test_it_tells_in_the_thread_of_the_caller_how_many_items_are_done(cores, monkeypatch):
    monkeypatch.setattr(_threads, "cores", lambda: cores)
    told, tellers = [], set()

    def tell(done):
        told.append(done)
        tellers.add(threading.get_ident())

    spread(lambda i: i, range(200), tell)
    assert told == sorted(set(told))
    assert told[-1] == 200
    assert len(told) == (200 if cores == 1 else 16 * cores)
    assert tellers == {threading.get_ident()}


def test_several_cores_work_at_once(monkeypatch):
    monkeypatch.setattr(_threads, "cores", lambda: 2)
    meeting = threading.Barrier(2, timeout=10)
    assert len(spread(lambda _: meeting.wait(), range(2))) == 2


def test_after_an_error_the_rest_is_not_begun(monkeypatch):
    monkeypatch.setattr(_threads, "cores", lambda: 2)
    begun = []

    def work(item):
        begun.append(item)
        if item == 0:
            raise ValueError("the first")

    with pytest.raises(ValueError, match="the first"):
        spread(work, range(100_000))
    assert len(begun) < 100_000


def test_work_is_begun_in_a_thread_of_its_own_and_its_error_is_raised_where_it_is_waited_for():
    meeting = threading.Barrier(2, timeout=10)
    working = Begun(meeting.wait)
    meeting.wait()
    assert working.result() in {0, 1}
    failing = Begun(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        failing.result()


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copy_of_work_has_its_result(copied):
    meeting = threading.Barrier(2, timeout=10)
    working = Begun(lambda: (meeting.wait(), [1, 2])[1])
    assert not working.done()
    meeting.wait()
    assert copied(working).result() == [1, 2]


@pytest.mark.parametrize("nested", [False, True])
def test_unwanted_work_ends_when_it_asks(nested):
    begun, stopped = threading.Event(), threading.Event()

    def endless():
        begun.set()
        while True:
            spread(lambda _: stopped.wait(0.001), range(2))

    works = []

    @stop_on_error()
    def fails():
        works.append(Begun(lambda: stopped.wait(10)))  # asks nobody
        with stop_on_error():
            works.append(Begun(lambda: Begun(endless).result()) if nested else Begun(endless))
        begun.wait(10)
        stop_if_unwanted()
        raise ValueError("of this function")

    other = Begun(lambda: spread(lambda _: stopped.wait(0.01), range(20)))
    with pytest.raises(ValueError, match="of this function"):
        fails()
    asking_nobody, working = works
    with pytest.raises(StoppedError):
        working.result()
    assert len(other.result()) == 20
    stopped.set()
    assert asking_nobody.result()
    stop_if_unwanted()
    assert Begun(stop_if_unwanted).result() is None
