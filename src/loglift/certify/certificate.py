"""The certificate of a release: what was found by the exact check, and its JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from loglift._version import __version__
from loglift.certify.released_values import ReleasedValue, ReleasedValues
from loglift.confidence.population import Population
from loglift.cuts import Cut
from loglift.mechanism.columns import EarlierRelease
from loglift.mechanism.kept import WHOLE_ROWS, KeptColumn, KeptTarget
from loglift.promise.bound import Bound
from loglift.values import Parts, encoded, json_text, pieces

_ROUNDING_SHARE = 1e-9  # of the information
NOTE = "For the custodian only: it contains sensitive values and counts."
EXPECTED = (
    "The bound is on what a reader of the released values can infer from the mechanism, p(s|y). "
    "The records of each are expected numbers: those of one draw fluctuate around them."
)
OF_BLOCKS = (
    "Each record shows a value of its block, drawn at random. The bound is on what the block "
    "tells, and the value that is shown tells no more."
)


@dataclass(frozen=True)
class ReaderCheck:
    """What a release tells readers who know more, checked in exact arithmetic.

    Attributes
    ----------
    readers, before
        Who they are, in words: "readers who know region"; and what their belief is compared with:
        "what region tells alone", or "the whole table".
    holds
        Whether every released value is within the bound for them.
    leakage
        The largest |log p(s|c,y)/r(s|c)| in nats, where c is what they know of a record.
    contexts
        The number of different things they may know.
    knows, released, sensitive, direction
        Where it is largest: what they know, what is released, and what that does to belief in
        which sensitive value.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> people = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "n"), ("c", "n")]
    >>> table = pl.DataFrame(people, schema=["job", "ill"], orient="row")
    >>> table = table.with_columns(town=pl.Series(["t", "u", "t", "u", "t", "u"]))
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.5, known="town")
    >>> check = release.certificate.readers[0]
    >>> check.readers, check.holds
    ('readers who know town', True)
    """

    readers: str
    before: str
    holds: bool
    leakage: float
    contexts: int
    knows: Any
    released: dict[str, Any]
    sensitive: dict[str, Any]
    direction: str


@dataclass(frozen=True)
class Draws:
    """How the released values of a randomized release were drawn.

    `key` is the column whose value decides the draw, `seeded` whether the draw can be repeated by
    anyone who knows the seed.
    """

    source: str
    key: str | None
    seeded: bool
    note: str


@dataclass(frozen=True, slots=True)
class Belief:
    """What a reader believes about a sensitive value `before` a release, and may believe after it.

    `before` is its share p(s) in the table. `least` and `most` limit p(s|y) for every released
    value y: the limits on s and on the other values of its variable count (`Bound.belief_range`).
    """

    sensitive: dict[str, Any]
    before: float
    least: float
    most: float


@dataclass(frozen=True, repr=False)
class Certificate:
    """What a release gives away and keeps, checked in exact arithmetic against the counts.

    It names sensitive values and counts: it is for the custodian, not for publication. It is about
    what the released values of the `public` columns tell about the `sensitive` ones in the table;
    what is certified of values is what their blocks tell. With survey weights, lifts, shares and
    information are about the population that the survey stands for.

    Attributes
    ----------
    holds
        Whether every released value is within the bound, for all readers.
    sensitive, public, bins
        The columns, and how they were cut before they were counted.
    bound, method, each, min_count, intact
        What was asked for, as in `protect`.
    records, public_values
        How many records and public values there are.
    leakage
        The largest |log-lift| of the sensitive values that the bound limits, nats.
    entropy, utility, nmil
        Of whole rows: H(X), I(X;Y) and 1 - I(X;Y)/H(X).
    goal, goal_words, targets, importance
        What was to be kept: "joint", "columns" or "targets", the same in words, and the list of
        targets with their weights; `importance` has the weights that were asked for.
    goal_kept, goal_most, upper_bound, upper_bound_scope
        What is kept of the goal, what the table as it is has, and the most that is proven possible,
        for which releases. Nats for "joint". None for a mechanism from a file.
    counts_sha256
        A hash of the counts.
    values
        Every released value with its records, leakage and tightest sensitive value.
    columns, rows_unchanged
        What became of each public column, and the share of records unchanged in all of them.
    drawn, draws
        Whether values are drawn at random, and how.
    show
        Whether blocks are shown as "groups" or as "values".
    beside
        Other columns, released with them (`protect`) or in the table (`verify`), not covered.
    unseen, unseen_records
        What `verify` took `apply` to do with values that the mechanism does not know, and how many
        records have them.
    population
        What holds beyond the table, where a confidence was asked for.
    beliefs
        What belief in each sensitive value can become; empty where the bound does not hold.
    weights, both, unweighted_leakage
        The column of survey weights, whether the bound holds for the records as well, and the
        leakage of the records, each counted the same.
    known, given, readers, kept_without
        Columns that readers may know, earlier releases, what such readers are told, and the share
        of the goal that would be kept without them.
    combined
        The sensitive values that count as one, by column.
    absent
        The number of records that each earlier release does not know.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> people = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "n"), ("c", "n")]
    >>> table = pl.DataFrame(people, schema=["job", "ill"], orient="row")
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.5)
    >>> found = release.certificate
    >>> found.holds, found.records, len(found.values)
    (True, 6, 2)
    >>> round(1 - found.nmil, 2)
    0.58
    """

    holds: bool
    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    bins: dict[str, Cut]
    bound: Bound
    method: str
    each: bool
    min_count: float | None
    intact: tuple[str, ...] | None
    records: int
    public_values: int
    leakage: float
    entropy: float
    utility: float
    nmil: float
    goal: str | None
    goal_words: str | None
    goal_kept: float | None
    goal_most: float | None
    upper_bound: float | None
    upper_bound_scope: str | None
    counts_sha256: str
    values: Sequence[ReleasedValue]
    columns: tuple[KeptColumn, ...]
    rows_unchanged: float
    targets: tuple[KeptTarget, ...] = ()
    importance: Mapping[str, float] = field(default_factory=dict)
    drawn: bool = False
    show: str = "groups"
    beside: tuple[str, ...] = ()
    unseen: str | None = None
    unseen_records: int = 0
    population: Population | None = None
    draws: Draws | None = None
    beliefs: tuple[Belief, ...] = ()
    combined: dict[str, tuple[tuple[Any, ...], ...]] = field(default_factory=dict)
    weights: str | None = None
    both: bool = False
    unweighted_leakage: float | None = None
    known: tuple[str, ...] = ()
    given: tuple[EarlierRelease, ...] = ()
    readers: tuple[ReaderCheck, ...] = ()
    kept_without: float | None = None
    absent: tuple[int, ...] = ()

    def __repr__(self) -> str:
        holds = "holds" if self.holds else "does NOT hold"
        return (
            f"Certificate({holds}: {', '.join(self.public)} about {', '.join(self.sensitive)}, "
            f"{self.records} records, {len(self.values)} released values, leakage "
            f"{self.leakage:.4g} nats)"
        )

    @property
    def block_records(self) -> Sequence[int]:
        """The records of each released value."""
        if isinstance(self.values, ReleasedValues):
            return self.values.records
        return [value.records for value in self.values]

    @property
    def keeps_nothing(self) -> bool:
        """Whether there are several public values, and the release tells nothing about them."""
        return self.public_values > 1 and self.utility <= _ROUNDING_SHARE * self.entropy

    @property
    def keeps_rows(self) -> bool:
        """Whether the goal is the information in whole rows, I(X;Y), and nothing else."""
        return self.goal_words in (None, WHOLE_ROWS)

    @property
    def goal_share(self) -> float:
        """The share of the goal that is kept; of I(X;Y) where no goal is known."""
        if self.goal_kept is None or self.goal_most is None or self.goal == "joint":
            return 1 - self.nmil
        everything = self.goal_kept >= self.goal_most * (1 - _ROUNDING_SHARE)
        return 1.0 if everything else self.goal_kept / self.goal_most

    @property
    def at_most(self) -> float:
        """The largest share of the goal that is proven possible; 1 where nothing is proven."""
        if self.upper_bound is None or not self.goal_most:
            return 1.0
        return self.upper_bound / self.goal_most

    def written(self) -> Iterator[str]:
        """Yield the text of certificate.json, piece by piece: it names every released value."""
        document = replace(self, values=()).as_dict()
        if isinstance(self.values, ReleasedValues):
            texts = self.values.texts()
        else:
            texts = (json_text(encoded(value)) for value in self.values)
        return pieces({**document, "values": Parts(texts)})

    @property
    def _note(self) -> str:
        """What the certificate is about."""
        if self.drawn:
            return f"{NOTE} {EXPECTED}"
        return f"{NOTE} {OF_BLOCKS}" if self.show == "values" else NOTE

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form of certificate.json; infinite numbers are written as "inf"."""
        head = {
            "format": "loglift certificate",
            "version": 2,
            "note": self._note,
            "made_by": f"loglift {__version__}",
        }
        return {**head, **encoded(self)}
