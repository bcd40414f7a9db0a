"""The table of what happened to each column: the same lines on a terminal and on a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from loglift.certify.certificate import Certificate
from loglift.display.numbers import percent
from loglift.mechanism.kept import WHOLE_ROWS

HEAD = ("cells unchanged", "information kept", "labels before", "labels after")
PAGE_HEAD = (*HEAD[:2], "labels")


@dataclass(frozen=True)
class ColumnLine:
    """A public column, whole rows, or another column that the release is to say something about.

    The last has neither cells nor labels. `ends_section` tells where lines of another kind follow.
    """

    name: str
    unchanged: float | None
    information: float
    labels_before: int | None
    labels_after: int | None
    ends_section: bool = False

    @property
    def texts(self) -> tuple[str, str, str, str]:
        """The figures as texts, in the order of `HEAD`."""
        numbers = (self.labels_before, self.labels_after)
        before, after = ("" if number is None else f"{number:,}" for number in numbers)
        unchanged = "" if self.unchanged is None else percent(self.unchanged)
        return unchanged, percent(self.information), before, after

    @property
    def label_shares(self) -> tuple[float, float]:
        """The labels before and after as shares of the larger number, for bars."""
        before, after = self.labels_before or 0, self.labels_after or 0
        return before / max(before, after, 1), after / max(before, after, 1)


def column_lines(certificate: Certificate) -> Iterator[ColumnLine]:
    """Yield a line for each public column, one for whole rows, and one for each purpose.

    A single column is the whole row, and needs no line for it.
    """
    several = len(certificate.columns) > 1
    about = [target for target in certificate.targets[:-1] if target.column is None]
    for place, column in enumerate(certificate.columns, 1):
        yield ColumnLine(
            column.name,
            column.unchanged,
            column.information,
            column.labels_before,
            column.labels_after,
            ends_section=place == len(certificate.columns) and bool(several or about),
        )
    if several:
        yield ColumnLine(
            WHOLE_ROWS,
            certificate.rows_unchanged,
            1 - certificate.nmil,
            certificate.public_values,
            len(certificate.values),
            ends_section=bool(about),
        )
    for target in about:
        yield ColumnLine(f"about {target.name}", None, target.kept, None, None)
