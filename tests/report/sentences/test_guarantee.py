"""No sentence promises what is not bounded."""

from __future__ import annotations

import math

from loglift.promise.bound import Bound
from loglift.report.sentences.guarantee import (
    CHANNEL_NOTE,
    MECHANISM_NOTE,
    guaranteed,
    not_guaranteed,
)


def test_what_is_not_bounded_is_not_promised():
    upper = Bound(math.inf, 1)
    promised = " ".join(guaranteed(upper, ["ill"], 5, "Beyond."))
    assert "more than 2.72 times as likely" in promised
    assert "less than" not in promised
    assert "at least 5 records" in promised
    assert promised.endswith("Beyond.")
    assert "Every block covers" in " ".join(guaranteed(upper, ["ill"], 5, None, as_values=True))
    options = {"population": False, "note": MECHANISM_NOTE}
    opened = " ".join(not_guaranteed(upper, ["ill"], each=True, **options))
    assert "only rising belief is bounded" in opened
    assert "Combinations" not in opened
    assert MECHANISM_NOTE in opened
    lower = " ".join(not_guaranteed(Bound(1, math.inf), ["a", "b"], each=True, **options))
    assert "only falling belief is bounded" in lower
    assert "Combinations of the sensitive columns" in lower
    drawn = not_guaranteed(upper, ["ill"], each=False, population=True, note=CHANNEL_NOTE)
    assert drawn[-1] == CHANNEL_NOTE
    assert "Other tables" not in " ".join(drawn)
