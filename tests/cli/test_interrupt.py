"""Ctrl-C at any moment, from the first one on: one line, exit code 2, no traceback."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time

import duckdb
import polars as pl
import pytest

from loglift.cli._interrupt import MESSAGE, ExitOnSignal, RaiseOnSignal
from loglift.tables import write
from loglift.tables.faults import explained

LINE = f"Error: {MESSAGE}\n"
RUN = "from loglift.cli import run\nrun()"
# Interrupts the program when it imports a module for the first time.
INTERRUPTED = """
import os, sys
name, number = sys.argv.pop(1), int(sys.argv.pop(1))
def at(event, arguments):
    if event == "import" and arguments[0] == name and name not in sys.modules:
        sys.stdout.write("interrupted\\n")
        sys.stdout.flush()
        os.kill(os.getpid(), number)
sys.addaudithook(at)
"""
MODULES = [
    "loglift.cli._interrupt",
    "signal",
    "loglift.cli._main",
    "click",
    "click.core",
    "uuid",
    "loglift.errors",
    "loglift.cli._options",
    "loglift.release.audit",
    "numpy",
    "numpy._core._multiarray_umath",
    "rich.console",
    "duckdb",
    "narwhals",
    "loglift.tables.counting",
]


@pytest.fixture
def audit(tmp_path):
    (tmp_path / "t.csv").write_text("x,s\n" + "a,0\nb,1\na,1\n" * 20)
    return ["audit", str(tmp_path / "t.csv"), "-s", "s", "-p", "x"]


@pytest.mark.parametrize("module", MODULES)
def test_an_interrupt_while_a_module_is_imported_is_one_line(audit, module):
    number = str(int(signal.SIGINT))
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED + RUN, module, number, *audit],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "interrupted" in done.stdout, "the module is not imported any more: take it off the list"
    assert (done.returncode, done.stderr) == (2, LINE)


def test_a_request_to_end_while_modules_are_imported_is_one_line(audit):
    number = str(int(signal.SIGTERM))
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED + RUN, "click", number, *audit],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, LINE)


@pytest.mark.parametrize("delay", [*range(10, 100, 10), *range(100, 500, 50)])
def test_an_interrupt_at_any_moment_is_one_line(audit, delay):
    """Before the command has begun, Python says in its own words that it was interrupted."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *audit],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(delay / 1000)
    process.send_signal(signal.SIGINT)
    error = process.communicate()[1]
    if "Traceback" in error:
        assert not re.search(r"click|_main\.py|cli/audit\.py|release/|numpy", error)
    else:
        assert (process.returncode, error) in ((2, LINE), (0, ""), (-signal.SIGINT, ""))


@pytest.mark.parametrize("module", ["signal", "click", "loglift.tables.counting"])
def test_an_interrupt_that_the_process_is_told_to_ignore_is_ignored(audit, module):
    """As a shell tells a process in the background."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED + RUN, module, str(int(signal.SIGINT)), *audit],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert "interrupted" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_once_the_work_is_done_changes_nothing(audit, number):
    late = f"import atexit, os\natexit.register(os.kill, os.getpid(), {int(number)})\n"
    done = subprocess.run(
        [sys.executable, "-c", late + RUN, *audit], capture_output=True, text=True, check=False
    )
    assert "Riskiest values" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "error",
    [
        duckdb.IOException("IO Error: Traceback (most recent call last):\nKeyboardInterrupt"),
        duckdb.InvalidInputException("Traceback (most recent call last):\nKeyboardInterrupt: "),
        RuntimeError("Query interrupted"),
    ],
    ids=["quoted by a writer", "quoted by a reader", "said"],
)
def test_an_interrupt_that_duckdb_words_is_no_fault_of_the_table(tmp_path, monkeypatch, error):
    def stopped(*_):
        raise error

    table = pl.DataFrame({"x": [1, 2]})
    monkeypatch.setattr("loglift.tables.export._copy", stopped)
    with pytest.raises(KeyboardInterrupt):
        write(table, tmp_path / "released.parquet")
    with pytest.raises(KeyboardInterrupt), explained("the table"):
        raise error
    assert list(tmp_path.iterdir()) == []


def test_an_error_after_an_interrupt_is_told_as_the_interrupt(audit):
    """Whatever a library made of it, in whatever words."""
    stopped = """
import os, signal
from loglift.errors import TableError
def count(*_, **__):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except KeyboardInterrupt:
        pass
    raise TableError("the table cannot be read: Traceback (most recent call last):")
import loglift.tables
loglift.tables.count = count
"""
    done = subprocess.run(
        [sys.executable, "-c", stopped + RUN, *audit], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, LINE)


def test_an_interrupt_that_a_callback_swallows_comes_again():
    """Python can only report an exception in a callback, such as a finaliser, and go on."""

    class Final:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.001)

    before, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    waited = []

    def work():
        Final()
        gc.collect()
        for _ in range(500):
            waited.append(True)
            time.sleep(0.01)

    try:
        with ExitOnSignal(), RaiseOnSignal() as signals, pytest.raises(KeyboardInterrupt):
            work()
        assert signals.came
        assert len(waited) < 500
        assert sys.unraisablehook is hook
    finally:
        assert signal.getsignal(signal.SIGINT) is before


def test_other_exceptions_in_callbacks_are_reported_as_ever(monkeypatch):
    class Final:
        def __del__(self):
            raise ValueError

    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: reported.append(found.exc_type))
    with ExitOnSignal(), RaiseOnSignal():
        Final()
    assert reported == [ValueError]


def test_in_another_thread_signals_are_left_alone():
    before, found = signal.getsignal(signal.SIGINT), []

    def work():
        with ExitOnSignal(), RaiseOnSignal():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [before]
    assert signal.getsignal(signal.SIGINT) is before
