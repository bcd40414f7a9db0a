"""A loop that does nothing: numba loads most of itself with the first loop that runs."""

from __future__ import annotations

from loglift._compute.compiling import compiled_lean


@compiled_lean
def nothing() -> None:
    """Do nothing."""
