"""The recipe of comparing two mechanisms.

two mechanisms, or their files --> difference
"""

from __future__ import annotations

from loglift.mechanism.difference import Difference, difference
from loglift.release.apply import MechanismLike, as_mechanism


def diff(first: MechanismLike, second: MechanismLike) -> Difference:
    """Compare two mechanisms over the same public columns: what changed from first to second.

    Each is a `Mechanism` that was made from a table, a `Release`, or the path of a mechanism.json.
    No table is read. Raises `MechanismError` where the names of the public columns differ.
    """
    return difference(as_mechanism(first), as_mechanism(second))
