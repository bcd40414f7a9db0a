"""Settings shared by all tests."""

from __future__ import annotations

from hypothesis import settings

# Deterministic, and no deadline: the first call of a kernel compiles it.
settings.register_profile("loglift", derandomize=True, deadline=None, max_examples=200)
settings.load_profile("loglift")
