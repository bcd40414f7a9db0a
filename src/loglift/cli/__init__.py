"""The command line, one file a command: parse, call, print, map errors to exit codes."""

import sys

try:
    from loglift.cli import _interrupt

    with _interrupt.AtOnce():
        from loglift.cli._main import main
except KeyboardInterrupt:  # before there was a handler
    sys.stderr.write("Error: interrupted; no half-written output is left behind\n")
    raise SystemExit(2) from None

__all__ = ["main", "run"]


def run() -> None:
    """Run the command, and end: a signal that comes once the work is done changes nothing."""
    try:
        main()
    finally:
        _interrupt.ignore()
