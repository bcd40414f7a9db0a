"""The command line, one file a command: parse, call, print, map errors to exit codes."""

from __future__ import annotations

from loglift.cli._main import main

__all__ = ["main"]
