"""Settings shared by all tests."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

import servers

# Tests send signals to themselves and to what they start, which would not see them where the tests
# run in the background: a shell tells such processes to ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Deterministic, and no deadline: the first call of a kernel compiles it.
settings.register_profile("loglift", derandomize=True, deadline=None)
settings.load_profile("loglift")


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server of this run, and a role of it that may only read."""
    server, stop = servers.start()
    yield server
    stop()
