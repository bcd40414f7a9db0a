"""Being told to stop: one line, exit code 2, and no output or a whole one, whenever it happens.

This module is imported before all others of the command, so it imports next to nothing itself.
"""

import os
import signal
import sys

EXIT_CODE = 2
MESSAGE = "interrupted; no half-written output is left behind"
# A process in the background, or under nohup, is told to ignore some signals; it goes on doing so.
_SIGNALS = tuple(
    number
    for number in (signal.SIGINT, signal.SIGTERM)
    if signal.getsignal(number) is not signal.SIG_IGN
)
_SOON = 0.01  # seconds


class AtOnce:
    """While nothing has been begun: a signal ends the process where it stands.

    An exception would be of no use there: whatever is being imported could make something else
    of it.
    """

    def __enter__(self) -> None:
        self._before: dict[signal.Signals, object] = {n: signal.getsignal(n) for n in _SIGNALS}
        set_handlers(dict.fromkeys(_SIGNALS, _end))

    def __exit__(self, *_: object) -> None:
        set_handlers(self._before)


class Told:
    """While there is something to clean up: a signal raises `KeyboardInterrupt`.

    Attributes
    ----------
    to_stop
        Whether a signal came: libraries make errors of their own out of an interrupt.

    """

    def __init__(self) -> None:
        self.to_stop = False

    def __enter__(self) -> "Told":  # noqa: PYI034, typing is slow to import
        self._hook = sys.unraisablehook
        sys.unraisablehook = self._lost
        set_handlers(dict.fromkeys(_SIGNALS, self._stop))
        return self

    def __exit__(self, *_: object) -> None:
        sys.unraisablehook = self._hook
        ignore()  # the work is done: there is nothing to stop

    def _stop(self, _number: int, _frame: object) -> None:
        self.to_stop = True
        raise KeyboardInterrupt

    def _lost(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """Come again soon where the exception was lost, as it is in callbacks of imports."""
        if not isinstance(unraisable.exc_value, KeyboardInterrupt):
            self._hook(unraisable)
            return
        from threading import Timer  # noqa: PLC0415, slow to import

        again = Timer(_SOON, os.kill, (os.getpid(), signal.SIGINT))
        again.daemon = True
        again.start()


def ignore() -> None:
    """Take no more notice of signals."""
    set_handlers(dict.fromkeys(_SIGNALS, signal.SIG_IGN))


def set_handlers(handlers: dict[signal.Signals, object]) -> None:
    """Set what is to be done about each signal; only the main thread can."""
    for number, handler in handlers.items():
        try:
            signal.signal(number, handler)  # type: ignore[arg-type]
        except (TypeError, ValueError):  # another thread, or a handler that is not Python's
            return


def _end(_number: int, _frame: object) -> None:
    try:
        os.write(2, f"Error: {MESSAGE}\n".encode())
    finally:
        os._exit(EXIT_CODE)
