"""Linear and integer programs, solved by HiGHS, which loads when the first one is made."""

from __future__ import annotations

from typing import Any


def new_program(*, maximise: bool = False, **options: float | bool) -> Any:
    """Return an empty program that prints nothing, with these options of HiGHS."""
    import highspy  # noqa: PLC0415, loads when used

    made: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    made.setOptionValue("output_flag", False)
    for name, value in options.items():
        made.setOptionValue(name, value)
    if maximise:
        made.changeObjectiveSense(highspy.ObjSense.kMaximize)
    return made
