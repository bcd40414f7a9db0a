"""The certificate of a release: what was found by the exact check, and its JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from loglift._version import __version__
from loglift.confidence.population import Population
from loglift.cuts import Cut
from loglift.mechanism.columns import EarlierRelease
from loglift.mechanism.kept import WHOLE_ROWS, KeptColumn, KeptTarget
from loglift.promise.bound import Bound
from loglift.values import encoded, pieces

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


@dataclass(frozen=True, slots=True)
class ReleasedValue:
    """One released value: what it shows, how many records have it, and its largest log-lift.

    The records of a random one are their expected number, rounded.
    """

    shows: dict[str, Any]
    records: int
    leakage: float
    tightest: dict[str, Any]
    direction: str
    safe: bool


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
    `bins` says how columns were cut before they were counted. `weights` is the column of survey
    weights, if any: lifts, shares and information are then about the population that the survey
    stands for, and `unweighted_leakage` is that of the records, each counted the same. With `both`
    the bound holds for these, too. `beside` are other columns, released
    with them (`protect`) or in the table (`verify`), which the check does not cover. `unseen` is
    what `verify` took `apply` to do with values that the mechanism does not know. `population` says
    what holds beyond the table, where a confidence was asked for. `show` says whether blocks are
    shown as "groups" or as "values", and `draws` how that, or a randomized release, was drawn. What
    is certified of values is what their blocks tell. `known` are columns that readers may know,
    `given` the earlier releases of the same records, and `readers` what such readers are told;
    `kept_without` is the share of the goal that would be kept without them. `absent` has the number
    of records that each earlier release does not know. `beliefs` has every sensitive value, and is
    empty where the bound does not hold. Leakages are those of the sensitive values that the bound
    limits.

    `entropy`, `utility` and `nmil` are about whole rows: H(X), I(X;Y) and 1 - I(X;Y)/H(X).
    `columns` says what became of each public column, and `rows_unchanged` is the share of records
    that are unchanged in all of them. `goal` names what was to be kept ("joint", "columns" or
    "targets"), `goal_words` says it in words, and `targets` lists it with weights; `importance` has
    the weight that was asked for columns which do not have the usual one, 1. `goal_kept`,
    `goal_most` and `upper_bound` have its unit, nats for "joint": what is kept, what the table as
    it is has, and the most that is proven possible, for the releases that `upper_bound_scope`
    names. All these are None, and `targets` is empty, for a mechanism from a file, which does not
    say what its goal was.
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
    values: tuple[ReleasedValue, ...]
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
        return pieces({**document, "values": map(encoded, self.values)})

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


def direction_of(log_lift: float) -> str:
    """Say in a word what a log-lift does to belief in the sensitive value."""
    if log_lift == -math.inf:
        return "rules out"
    return "raises" if log_lift > 0 else "lowers"
