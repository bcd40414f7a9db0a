"""The command line, one file for each command: parse, call, print, map errors to exit codes."""

import sys

try:
    from loglift.cli import _interrupt

    with _interrupt.ExitOnSignal():
        from loglift.cli._main import main
except KeyboardInterrupt:  # it came before the handler was set
    sys.stderr.write("Error: interrupted; no half-written output is left behind\n")
    raise SystemExit(2) from None

__all__ = ["main", "run"]


def run() -> None:
    """Run the command, then ignore signals: one that comes after the work changes nothing."""
    try:
        main()
    finally:
        _interrupt.ignore()
