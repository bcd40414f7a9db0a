"""The band of a single value."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date, datetime, time
from typing import Any

from loglift.cuts.cut import Cut
from loglift.cuts.dates import date_name, moment, number_of_date
from loglift.cuts.edges import NOT_A_NUMBER, text_of


def band_of(value: Any, cut: Cut) -> Any:
    """Return the name of the band of one canonical value; NULL stays NULL."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None if value is None else NOT_A_NUMBER
    if cut.unit is not None:
        return date_name(number_of_date(value, cut.unit), cut.unit)
    value, ends = comparable(value, cut.ends)
    if cut.points:
        return cut.names[sum(value >= end for end in ends)]
    if cut.low is not None and value < ends[0]:
        return f"< {text_of(cut.low)}"
    above = cut.high is not None and value > ends[-1]
    return f"> {text_of(cut.high)}" if above else text_of(value)


def comparable(value: Any, ends: Iterable[Any]) -> tuple[Any, list[Any]]:
    """Return a value and edges in types that Python compares exactly; dates begin at midnight."""
    if not isinstance(value, date):
        whole = isinstance(value, int)
        return (value, list(ends)) if whole else (float(value), [float(end) for end in ends])
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    return value, [moment(end, zoned=value.tzinfo is not None) for end in ends]
