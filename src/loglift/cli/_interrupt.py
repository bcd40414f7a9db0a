"""Signals that stop the command: one line, exit code 2, and no half-written output.

The command imports this module before all others, so it imports only what it needs at once.
"""

import os
import signal
import sys

EXIT_CODE = 2
MESSAGE = "interrupted; no half-written output is left behind"
# A shell tells a process in the background, or under nohup, to ignore some signals: leave those.
_SIGNALS = tuple(
    number
    for number in (signal.SIGINT, signal.SIGTERM)
    if signal.getsignal(number) is not signal.SIG_IGN
)
_RETRY_SECONDS = 0.01


class ExitOnSignal:
    """Before the work begins: a signal ends the process at once.

    An exception would not do: the module that is being imported may catch it.
    """

    def __enter__(self) -> None:
        self._before: dict[signal.Signals, object] = {n: signal.getsignal(n) for n in _SIGNALS}
        set_handlers(dict.fromkeys(_SIGNALS, _end))

    def __exit__(self, *_: object) -> None:
        set_handlers(self._before)


class RaiseOnSignal:
    """During the work: a signal raises `KeyboardInterrupt`, so that unfinished output is removed.

    Attributes
    ----------
    came
        Whether a signal came. Libraries turn the exception into errors of their own.

    """

    def __init__(self) -> None:
        self.came = False

    def __enter__(self) -> "RaiseOnSignal":  # noqa: PYI034, typing is slow to import
        self._hook = sys.unraisablehook
        sys.unraisablehook = self._send_again
        set_handlers(dict.fromkeys(_SIGNALS, self._stop))
        return self

    def __exit__(self, *_: object) -> None:
        sys.unraisablehook = self._hook
        ignore()  # the work is done

    def _stop(self, _number: int, _frame: object) -> None:
        self.came = True
        raise KeyboardInterrupt

    def _send_again(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """Send the signal again soon: Python drops an exception raised in a callback."""
        if not isinstance(unraisable.exc_value, KeyboardInterrupt):
            self._hook(unraisable)
            return
        from threading import Timer  # noqa: PLC0415, slow to import

        again = Timer(_RETRY_SECONDS, os.kill, (os.getpid(), signal.SIGINT))
        again.daemon = True
        again.start()


def ignore() -> None:
    """Ignore signals from now on."""
    set_handlers(dict.fromkeys(_SIGNALS, signal.SIG_IGN))


def set_handlers(handlers: dict[signal.Signals, object]) -> None:
    """Set the handler of each signal; does nothing outside the main thread."""
    for number, handler in handlers.items():
        try:
            signal.signal(number, handler)  # type: ignore[arg-type]
        except (TypeError, ValueError):  # not the main thread, or not a Python handler
            return


def _end(_number: int, _frame: object) -> None:
    try:
        os.write(2, f"Error: {MESSAGE}\n".encode())
    finally:
        os._exit(EXIT_CODE)
