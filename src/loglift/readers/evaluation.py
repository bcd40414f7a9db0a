"""The evaluation of a release: what readers can do with it, and what an attacker can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from loglift.display.chart import SHAPES, Chart
from loglift.display.frame import frame_of
from loglift.mechanism.columns import EarlierRelease
from loglift.promise.bound import Bound
from loglift.readers.attack import AttackReading
from loglift.readers.columns import ColumnReading
from loglift.readers.learner import ModelReading
from loglift.readers.pairs import PairReading
from loglift.readers.queries import QueryErrors
from loglift.values import encoded

Shows: TypeAlias = Literal["groups", "values", "random values"]


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What readers can do with a release, and what an attacker can.

    Every figure is a `Compared`: of the release (`.released`), of the table as it is (`.original`)
    and of a trivial release, each public column shuffled on its own (`.shuffled`).

    Attributes
    ----------
    public, sensitive
        The names of the columns.
    passthrough
        Columns that are released as they are.
    purposes
        Other columns that were named to be predicted.
    sensitive_released
        Whether the sensitive columns are released, too.
    shows
        What a released cell shows: "groups", "values" or "random values".
    bound
        The bound of the mechanism.
    records
        The records of the table.
    evaluated
        The records that cross-tables, queries and models were measured on: all, or a random sample.
    seed
        The seed of draws, shuffles, samples and queries.
    columns
        What became of each public column.
    pairs
        What became of each pair of columns, the worst first.
    queries
        Errors of count queries: of all, then of those on one column, on two, and on three.
    models
        How well each passthrough column and each purpose is predicted.
    attacks
        What an attacker learns about each sensitive variable.
    known
        Columns that an attacker may know of a person, alone or together.
    given
        Earlier releases of the same records that an attacker reads, too.
    not_given
        How many earlier releases the mechanism was made with that were not named: what they add is
        not measured.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> rows = [(job, "y" if i % 5 < 2 + job % 2 else "n") for job in range(4) for i in range(40)]
    >>> table = pl.DataFrame(rows, schema=["job", "ill"], orient="row")
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.2, evaluate=True)
    >>> release.evaluation.public, release.evaluation.evaluated
    (('job',), 160)
    """

    public: tuple[str, ...]
    sensitive: tuple[str, ...]
    passthrough: tuple[str, ...]
    purposes: tuple[str, ...]
    sensitive_released: bool
    shows: Shows
    bound: Bound
    records: int
    evaluated: int
    seed: int
    columns: tuple[ColumnReading, ...]
    pairs: tuple[PairReading, ...]
    queries: tuple[QueryErrors, ...]
    models: tuple[ModelReading, ...]
    attacks: tuple[AttackReading, ...]
    known: tuple[str, ...] = ()
    given: tuple[EarlierRelease, ...] = ()
    not_given: int = 0

    def __repr__(self) -> str:
        return (
            f"Evaluation({', '.join(self.public)} about {', '.join(self.sensitive)}: "
            f"{self.records} records, shown as {self.shows}; pairs: {len(self.pairs)}, models: "
            f"{len(self.models)}, attacks: {len(self.attacks)})"
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows; it is for the custodian."""
        from loglift.readers.card import card_of  # noqa: PLC0415, it shows this class

        return card_of(self).html()

    def to_frame(self) -> Any:
        """Return the figures as a dataframe: those of the table, the release and a shuffled one.

        One row for each figure of a column, a pair, the count queries, a model or an attack.
        """
        from loglift.readers.card import rows_of  # noqa: PLC0415, it shows this class

        return frame_of(list(rows_of(self)))

    def plot(self) -> Chart:
        """Return a chart of what each public column keeps, beside the table and a shuffled one."""
        rows = [
            {"column": column.name, "of": of, "kept": kept}
            for column in self.columns
            for of, kept in vars(column.information).items()
        ]
        names = [column.name for column in self.columns]
        share = {
            "field": "kept",
            "type": "quantitative",
            "title": "information kept of each column",
            "scale": {"domain": [0, 1]},
            "axis": {"format": "%"},
        }
        by = {"field": "of", "type": "nominal", "title": None}
        return Chart(
            {
                "title": {"text": "What readers get of each column", "anchor": "start"},
                "width": 420,
                "height": {"step": 26},
                "data": {"values": rows},
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {
                    "y": {"field": "column", "type": "nominal", "title": None, "sort": names},
                    "x": share,
                    "color": {**by, "scale": {"range": ["#5b8c8c", "#d1703c", "#8a8f98"]}},
                    "shape": {**by, "scale": {"range": list(SHAPES[:3])}},
                },
            }
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form of `loglift evaluate --json`; infinite numbers are "inf"."""
        found: dict[str, Any] = encoded(self)
        return found
