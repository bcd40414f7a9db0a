"""DuckDB relations over files: imported without interruption, and read as numbers."""

import signal
import threading
from datetime import date, datetime
from pathlib import Path

import pytest

from loglift.cuts import Cut
from loglift.errors import TableError
from loglift.tables.relations import (
    _uninterrupted,
    connect,
    ending_of,
    literal,
    quoted,
    readable,
)

TENS = Cut.steps(10)


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
    found = readable(made, dict.fromkeys("ab", TENS), {"a": "first", "b": "second"}, "text")
    assert list(map(str, found.types)) == ["BIGINT", "DOUBLE"]
    assert found.fetchall() == [(1, 1.0), (-2, 2.0), (None, 3.0)]
    texts = connect().sql("SELECT unnest(['1', 'x', 'y']) AS a")
    with pytest.raises(TableError, match="'age' cannot be cut into bins: 2 of its values are not"):
        readable(texts, {"a": TENS}, {"a": "age"}, "text")


def test_texts_are_dates_or_times_and_codes_of_missing_values_are_null():
    made = connect().sql(
        "SELECT unnest(['2021-03-01', '1899-12-31', 'NA']) AS a, "
        "unnest(['2021-03-01 04:05', '2021-03-02', '2021-03-01T00:00:00+02:00']) AS b"
    )
    year = Cut.dates("year")
    cuts = {"a": year.with_missing(["NA"]), "b": year}
    found = readable(made, cuts, {"a": "a", "b": "b"}, "text")
    assert list(map(str, found.types)) == ["DATE", "TIMESTAMP"]
    first, second = zip(*found.fetchall(), strict=True)
    assert first == (date(2021, 3, 1), date(1899, 12, 31), None)
    assert second[2] == datetime(2021, 2, 28, 22)
    with pytest.raises(TableError, match="'born' cannot be cut into bins: 1 of its values are not"):
        readable(made, {"a": year}, {"a": "born"}, "text")
    numbers = connect().sql("SELECT unnest(['5', '-9', '-9.0', 'NA']) AS a")
    found = readable(numbers, {"a": TENS.with_missing(["NA", "-9"])}, {"a": "a"}, "text")
    assert found.fetchall() == [(5,), (None,), (None,), (None,)]


def test_a_connection_is_silent_and_bounded():
    settings = "current_setting('enable_progress_bar'), current_setting('TimeZone')"
    assert connect().sql(f"SELECT {settings}").fetchall() == [(False, "UTC")]
    assert literal("it's") == "'it''s'"
    assert quoted([Path("a[1]*.csv")]) == "['a[[]1][*].csv']"
    assert ending_of(Path("t.CSV.gz")) == ".csv"
    assert ending_of(Path("t")) == ""
