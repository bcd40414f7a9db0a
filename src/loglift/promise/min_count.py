"""The least mass of every released value: k-anonymity over the released values."""

from __future__ import annotations

from typing import Any

from loglift.errors import MechanismError, UnsafeError
from loglift.joint import Joint
from loglift.values import checked_number


def checked_min_count(joint: Joint, min_count: Any) -> float:
    """Return the least mass of a released value, on the scale of the joint; zero for None.

    Raises `MechanismError` if it is not a positive number, `UnsafeError` if it is more than the
    whole table has.
    """
    if min_count is None:
        return 0
    checked_number(min_count, "min_count", above=0, error=MechanismError)
    if joint.records.sum() < min_count:
        raise UnsafeError(
            f"no release can have {min_count} records for every value: there are "
            f"{joint.records.sum().item()} in all, ask for fewer"
        )
    least: float = min_count
    return least
