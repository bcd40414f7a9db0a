"""DuckDB relations over files: imported without interruption, and read as numbers."""

import signal
import threading
from pathlib import Path

import pytest

from loglift.errors import TableError
from loglift.tables.relations import (
    _uninterrupted,
    connect,
    ending_of,
    literal,
    numeric,
    quoted,
)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_waits_while_duckdb_is_imported(number):
    def stop(_number, _frame):
        raise KeyboardInterrupt

    def imported():
        with _uninterrupted():
            signal.raise_signal(number)
            done.append("imported")

    before, done = signal.signal(number, stop), []
    try:
        with pytest.raises(KeyboardInterrupt):
            imported()
        assert done == ["imported"]
        assert signal.getsignal(number) is stop
    finally:
        signal.signal(number, before)


def test_in_a_thread_signals_are_left_alone():
    handler, found = signal.getsignal(signal.SIGINT), []

    def work():
        with _uninterrupted():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [handler]


def test_texts_are_integers_only_if_all_are_written_so():
    made = connect().sql("SELECT unnest(['1', '-2', NULL]) AS a, unnest(['1', '02', '3']) AS b")
    found = numeric(made, ["a", "b"], ["first", "second"])
    assert list(map(str, found.types)) == ["BIGINT", "DOUBLE"]
    assert found.fetchall() == [(1, 1.0), (-2, 2.0), (None, 3.0)]
    texts = connect().sql("SELECT unnest(['1', 'x', 'y']) AS a")
    with pytest.raises(TableError, match="'age' cannot be cut into bins: 2 of its values are not"):
        numeric(texts, ["a"], ["age"])


def test_a_connection_is_silent_and_bounded():
    settings = "current_setting('enable_progress_bar'), current_setting('TimeZone')"
    assert connect().sql(f"SELECT {settings}").fetchall() == [(False, "UTC")]
    assert literal("it's") == "'it''s'"
    assert quoted([Path("a[1]*.csv")]) == "['a[[]1][*].csv']"
    assert ending_of(Path("t.CSV.gz")) == ".csv"
    assert ending_of(Path("t")) == ""
