"""What a sweep found: the points of each method, and the least eps that keeps enough.

`loglift.report.frontier` shows them.
"""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, fields
from typing import Any

from loglift.display.chart import Chart
from loglift.display.frame import frame
from loglift.mechanism.kept import WHOLE_ROWS
from loglift.mechanism.mechanism import Mechanism
from loglift.values import encoded


@dataclass(frozen=True)
class FrontierPoint:
    """What one method keeps and gives away at one eps, or at one limit of another measure.

    Attributes
    ----------
    method
        The method of `merge`.
    limit
        The eps, or the limit of another measure.
    kept
        The share that is kept of the utility of the table as it is.
    at_most, at_most_scope
        The most of it that is proven possible, and for which releases, in words.
    utility, information
        What is kept of the goal, and I(X;Y) in nats.
    leakage
        max over y of omega(y), nats.
    values
        The number of released values.
    safe
        Whether every released value is within the limit.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> point = loglift.frontier(joint, eps=[0.5]).points[0]
    >>> point.method, point.limit, round(point.kept, 2), point.safe
    ('search', 0.5, 0.58, True)
    """

    method: str
    limit: float
    kept: float
    at_most: float
    at_most_scope: str
    utility: float
    information: float
    leakage: float
    values: int
    safe: bool


@dataclass(frozen=True, repr=False)
class Frontier:
    """The points of a sweep, method by method from the tightest limit to the loosest.

    Attributes
    ----------
    entropy
        H(X), nats.
    most
        The utility of the table as it is.
    public_values
        The number of public values.
    points
        The points, method by method from the tightest limit to the loosest.
    goal, goal_words
        What was to be kept: "joint", "columns" or "targets", and the same in words.
    measure
        What is limited: "eps", or the name of a requirement such as "t".

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> swept = loglift.frontier(joint, eps=[0.1, 0.5, 1])
    >>> swept.methods, round(swept.entropy, 3)
    (('search',), 1.099)
    """

    entropy: float
    most: float
    public_values: int
    points: tuple[FrontierPoint, ...]
    goal: str = "joint"
    goal_words: str = WHOLE_ROWS
    measure: str = "eps"

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order they were asked for."""
        return tuple(dict.fromkeys(point.method for point in self.points))

    def series(self, method: str) -> tuple[FrontierPoint, ...]:
        """Return the points of one method, from the tightest limit to the loosest."""
        return tuple(point for point in self.points if point.method == method)

    def __repr__(self) -> str:
        limits = [point.limit for point in self.points]
        return (
            f"Frontier({', '.join(self.methods)}: {len(self.points)} points, {self.measure} "
            f"{min(limits):g} to {max(limits):g}, {self.public_values} public values)"
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows; it is for the custodian."""
        from loglift.report.card import frontier_card  # noqa: PLC0415, it shows this class

        return frontier_card(self).html()

    def plot(self, title: str | None = None) -> Chart:
        """Return the chart of what each method keeps against the limit, for a notebook or a file.

        `.spec` is its Vega-Lite specification, `.save("frontier.svg")` writes it.
        """
        from loglift.report.frontier import frontier_chart  # noqa: PLC0415, it shows this class

        return frontier_chart(self, title)

    def to_frame(self) -> Any:
        """Return the points as a dataframe, one row each, with the columns of `FrontierPoint`."""
        names = [field.name for field in fields(FrontierPoint)]
        return frame({name: [getattr(point, name) for point in self.points] for name in names})

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form of frontier.json; an infinite leakage is the text "inf"."""
        return {
            "entropy": self.entropy,
            "most": self.most,
            "public_values": self.public_values,
            "goal": self.goal,
            "goal_words": self.goal_words,
            "measure": self.measure,
            "points": encoded(self.points),
        }

    def to_csv(self) -> str:
        """Return the points as CSV, one line each, with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(field.name for field in fields(FrontierPoint))
        writer.writerows(asdict(point).values() for point in self.points)
        return text.getvalue()


@dataclass(frozen=True, eq=False)
class LeastEps:
    """The least eps found that keeps a share of the goal, and the release for it.

    Attributes
    ----------
    asked
        The share that was asked for.
    eps
        The least eps found that keeps it, nats.
    kept
        The share that it keeps.
    mechanism
        The release for it.
    goal_words
        What is kept, in words.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> found = loglift.least_eps(joint, 0.6)
    >>> found.asked, found.eps, found.mechanism.blocks
    (0.6, 0.694, (('a',), ('b',), ('c',)))
    """

    asked: float
    eps: float
    kept: float
    mechanism: Mechanism
    goal_words: str = WHOLE_ROWS
