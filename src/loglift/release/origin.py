"""What a report tells of a release besides its figures: its date, its input, and some rows."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from loglift import tables
from loglift.errors import TableError
from loglift.mechanism.naming import text_of
from loglift.report.origin import Origin, Preview
from loglift.tables.addresses import without_password
from loglift.tables.labels import Labels
from loglift.tables.paths import stamps_of
from loglift.tables.preview import some_rows

PREVIEWED_ROWS = 10


@dataclass(frozen=True)
class Input:
    """The table that a release was made from, as it was when it was opened.

    `stamps` are the sizes and the times of change of the files: they tell whether a file is still
    the one that was read. `kind` and `labels` are those of the table, for its release.
    """

    opened_on: date
    name: str | None
    files: tuple[Path, ...]
    stamps: tuple[tuple[int, int], ...]
    keeps_order: bool
    kind: str
    labels: Mapping[str, Labels]

    @classmethod
    def of(cls, opened: tables.Table, *, keeps_order: bool) -> Input:
        """Note what an opened table is; a dataframe has neither name nor files."""
        name = opened.where if opened.is_file else None
        if name is not None and opened.files:
            name = os.path.basename(name)  # noqa: PTH119, a glob
        return cls(
            opened_on=today(),
            name=name,
            files=opened.files,
            stamps=opened.stamps,
            keeps_order=keeps_order,
            kind=opened.kind,
            labels=opened.labels,
        )

    @property
    def changed(self) -> bool:
        """Whether a file is another one than was read, or gone."""
        return stamps_of(self.files) != self.stamps

    def refuse_changed(self) -> None:
        """Raise if a file changed: what is released may be of other records than was counted."""
        if self.changed:
            raise TableError(
                f"{self.name} changed while it was read: nothing is released, run it again"
            )

    @cached_property
    def origin(self) -> Origin:
        """What the report says, with the hash of the files. Reads them once: O(bytes)."""
        sha256 = _sha256(self.files) if self.files else None
        return Origin(
            made_on=self.opened_on,
            name=self.name,
            files=len(self.files),
            sha256=None if self.changed else sha256,
            keeps_order=self.keeps_order,
        )


def shown_table(table: str) -> str:
    """Return how a table is called in what is printed and written: without a password."""
    return without_password(table)


def today() -> date:
    """Return the date in UTC; SOURCE_DATE_EPOCH, in seconds since 1970, sets another one."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)
    return now.date()


def preview_of(result: Any, *, keeps_order: bool) -> Preview | None:
    """Return ten rows of a released table, or of its file; None where an engine is not at hand.

    Released rows are shuffled, so that any ten are; those that keep their order are drawn at
    random.
    """
    found = some_rows(result, PREVIEWED_ROWS, drawn=keeps_order)
    if found is None:
        return None
    return Preview(found.columns, tuple(tuple(map(text_of, row)) for row in found.rows))


def _sha256(files: tuple[Path, ...]) -> str | None:
    """Return the SHA-256 of files, one after the other; None where one cannot be read any more."""
    digest = hashlib.sha256()
    try:
        for file in files:
            with file.open("rb") as bytes_of_file:
                while part := bytes_of_file.read(1 << 20):
                    digest.update(part)
    except OSError:
        return None
    return digest.hexdigest()
