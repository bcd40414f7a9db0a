"""The check of several releases of the same records, each on its own and all together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loglift.certify.certificate import Certificate, ReaderCheck
from loglift.values import encoded


@dataclass(frozen=True)
class TogetherCheck:
    """Several releases of the same records, and what they tell together.

    Attributes
    ----------
    holds
        Whether each of them is within its bound, and all together are within the bounds that are
        promised for the whole.
    certificates
        The check of each on its own; `given` has the earlier releases that are not checked here.
    together
        For each, what all of them together tell about its sensitive columns, against its bound.
    promised
        Which of their bounds the whole is held against: those of mechanisms that were made with all
        others given. A mechanism is left out where such a one bounds the same sensitive columns,
        and where it is a coarser edition of another one, to which it adds nothing.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> people = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "n"), ("c", "n")]
    >>> table = pl.DataFrame(people, schema=["job", "ill"], orient="row")
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.5)
    >>> found = loglift.verify_together([release], table)
    >>> found.holds, found.promised
    (True, (True,))
    """

    holds: bool
    certificates: tuple[Certificate, ...]
    together: tuple[ReaderCheck, ...]
    promised: tuple[bool, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "holds": self.holds,
            "together": encoded(self.together),
            "promised": list(self.promised),
            "certificates": [certificate.as_dict() for certificate in self.certificates],
        }
