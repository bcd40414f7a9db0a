"""The recipe of comparing two mechanisms.

two mechanisms, or their files --> difference
"""

from __future__ import annotations

from loglift.mechanism.difference import Difference, difference
from loglift.release.apply import MechanismLike, as_mechanism


def diff(first: MechanismLike, second: MechanismLike) -> Difference:
    """Compare two mechanisms over the same public columns: what changed from first to second.

    No table is read.

    Parameters
    ----------
    first, second
        Each is a `Mechanism` that was made from a table, a `Release`, or the path of a
        mechanism.json.

    Returns
    -------
    Difference
        The values, blocks and settings that differ.

    Raises
    ------
    MechanismError
        When the names of the public columns differ.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> people = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "n"), ("c", "n")]
    >>> table = pl.DataFrame(people, schema=["job", "ill"], orient="row")
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.5)
    >>> later = loglift.protect(table, sensitive="ill", public="job", eps=0.1)
    >>> change = loglift.diff(release, later)
    >>> change.blocks.relation, change.settings[0].name
    ('same', 'bound')
    """
    return difference(as_mechanism(first), as_mechanism(second))
