"""A figure of a release, beside the same figure where everything and where nothing is kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Compared:
    """The same figure of three tables.

    Attributes
    ----------
    original
        The table as it is.
    released
        The release.
    shuffled
        The trivial release: each public column shuffled on its own, so that every column is right
        in total and no two columns belong together.

    """

    original: float
    released: float
    shuffled: float

    @property
    def three(self) -> tuple[float, float, float]:
        """The figures in this order."""
        return self.original, self.released, self.shuffled
