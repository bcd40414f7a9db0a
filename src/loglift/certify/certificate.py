"""The certificate of a release: an independent, exact re-check against the counts."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift._version import __version__
from loglift.confidence.population import Population
from loglift.joint import IntArray
from loglift.measures.entropy import entropy, mutual_information, nmil
from loglift.mechanism.channel import DENOMINATOR, Channel
from loglift.mechanism.recoding import Recoding
from loglift.promise.bound import Bound
from loglift.promise.integers import exactly_safe
from loglift.sparse import Cells, Mass, block_sums, dense, in_parts, take_rows
from loglift.values import encoded, in_chunks, joined, pieces

_NOTHING = 1e-9  # of the information: what rounding leaves
NOTE = "For the custodian only: it contains sensitive values and counts."
EXPECTED = (
    "The bound is on what a reader of the released values can infer from the mechanism, p(s|y). "
    "The records of each are expected numbers: those of one draw fluctuate around them."
)


@dataclass(frozen=True)
class SensitiveTable:
    """Counts of public (or released) values against the values of one sensitive variable.

    `names` are the columns whose joint value is the variable, `labels` its values as tuples over
    them; `counts` has one row per public value and one column per label.
    """

    names: tuple[str, ...]
    labels: tuple[tuple[Any, ...], ...]
    counts: Mass

    @cached_property
    def weight(self) -> IntArray:
        """How many records have each public value."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def prior(self) -> IntArray:
        """How many records have each sensitive value."""
        return np.asarray(self.counts.sum(axis=0))

    def merged(self, labels: IntArray) -> SensitiveTable:
        """Return the counts of the blocks that canonical labels number."""
        return SensitiveTable(self.names, self.labels, block_sums(self.counts, labels))

    def label(self, column: int) -> dict[str, Any]:
        """Return the sensitive value of a column of the counts, by name."""
        return dict(zip(self.names, self.labels[column], strict=True))


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
    """What a reader may believe about a sensitive value: its share p(s) in the table, before.

    `least` and `most` are what the bound leaves for p(s|y) of any released value y, by its limits
    on this value and on the others of its variable (`Bound.belief_range`).
    """

    sensitive: dict[str, Any]
    before: float
    least: float
    most: float


@dataclass(frozen=True)
class Certificate:
    """What a release gives away and keeps, checked in exact arithmetic against the counts.

    It names sensitive values and counts: it is for the custodian, not for publication. It is about
    what the released values of the `public` columns tell about the `sensitive` ones in the table;
    `bins` has the widths of the intervals that were counted. `beside` are other columns, released
    with them (`protect`) or in the table (`verify`), which the check does not cover. `unseen` is
    what `verify` took `apply` to do with values that the mechanism does not know. `population` says
    what holds beyond the table, where a confidence was asked for; `draws` tells how a randomized
    release was drawn. `beliefs` has every sensitive value, and is empty where the bound
    does not hold. `upper_bound` is the most utility that is proven possible, for the
    releases that `upper_bound_scope` names.
    """

    holds: bool
    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    bins: dict[str, float]
    bound: Bound
    method: str
    each: bool
    min_count: int | None
    groups: tuple[str, ...] | None
    records: int
    public_values: int
    leakage: float
    entropy: float
    utility: float
    nmil: float
    upper_bound: float | None
    upper_bound_scope: str | None
    counts_sha256: str
    values: tuple[ReleasedValue, ...]
    beside: tuple[str, ...] = ()
    unseen: str | None = None
    unseen_records: int = 0
    population: Population | None = None
    draws: Draws | None = None
    beliefs: tuple[Belief, ...] = ()

    @property
    def keeps_nothing(self) -> bool:
        """Whether the released values of several public ones tell nothing about these."""
        return self.public_values > 1 and self.utility <= _NOTHING * self.entropy

    def written(self) -> Iterator[str]:
        """Yield the text of certificate.json, piece by piece: it names every released value."""
        document = replace(self, values=()).as_dict()
        return pieces({**document, "values": map(encoded, self.values)})

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form of certificate.json; infinite numbers are written as "inf"."""
        head = {
            "format": "loglift certificate",
            "version": 1,
            "note": f"{NOTE} {EXPECTED}" if self.method == "randomized" else NOTE,
            "made_by": f"loglift {__version__}",
        }
        return {**head, **encoded(self)}


def certify(
    recoding: Recoding,
    blocks: IntArray,
    tables: Sequence[SensitiveTable],
    *,
    counts_sha256: str,
) -> Certificate:
    """Check a recoding against counts whose rows have the given block numbers (or channel rows).

    Each table is one sensitive variable; all of them must be inside the bound.
    """
    shown = [
        SensitiveTable(t.names, t.labels, _released_counts(recoding, t.counts, blocks))
        for t in tables
    ]
    scale = 1 if recoding.channel is None else DENOMINATOR
    sizes = shown[0].weight
    released = np.flatnonzero(sizes)
    safe = np.all(
        [exactly_safe(take_rows(t.counts, released), recoding.bound) for t in shown], axis=0
    )
    enough = sizes[released] >= (recoding.min_count or 0) * scale
    values = _released_values(recoding, released, shown, safe & enough)
    weight = tables[0].weight
    before, utility = entropy(weight), _utility(recoding, weight, blocks)
    holds = all(value.safe for value in values)
    return Certificate(
        holds=holds,
        sensitive=tuple(column.name for column in recoding.sensitive),
        public=recoding.columns,
        bins=recoding.bins | recoding.sensitive_bins,
        bound=recoding.bound,
        method=recoding.method,
        each=recoding.each,
        min_count=recoding.min_count,
        groups=recoding.groups,
        records=int(sizes.sum()) // scale,
        public_values=len(blocks),
        leakage=max(value.leakage for value in values),
        entropy=before,
        utility=utility,
        nmil=nmil(utility, before),
        upper_bound=None,
        upper_bound_scope=None,
        counts_sha256=counts_sha256,
        values=tuple(values),
        beliefs=tuple(_beliefs(recoding.bound, tables)) if holds else (),
    )


def _beliefs(bound: Bound, tables: Sequence[SensitiveTable]) -> Iterator[Belief]:
    """Yield what a reader may believe about every value of every sensitive variable."""
    for table in tables:
        total = int(table.prior.sum())
        for s, records in enumerate(table.prior.tolist()):
            before = records / total
            yield Belief(table.label(s), before, *bound.belief_range(before))


def hash_counts(values: Sequence[Any], tables: Sequence[SensitiveTable]) -> str:
    """Return the SHA-256 of the counts, the same for the same counts whatever the engine."""
    digest = hashlib.sha256()
    for table in tables:
        head = [list(table.names), encoded(table.labels)]
        digest.update(json.dumps(head, ensure_ascii=False).encode())
        for rows, counts in in_parts(table.counts):
            pairs = zip(values[rows], counts.tolist(), strict=True)
            for chunk in in_chunks([encoded(value), row] for value, row in pairs):
                digest.update(joined(chunk, "").encode())
    return digest.hexdigest()


def _released_values(
    recoding: Recoding,
    released: IntArray,
    shown: Sequence[SensitiveTable],
    safe: NDArray[np.bool_],
) -> list[ReleasedValue]:
    """Describe every released value by its largest log-lift, over all sensitive variables."""
    worst = [_worst(take_rows(table.counts, released)) for table in shown]
    largest, at = np.argmax([np.abs(log) for _, log in worst], axis=0), np.arange(released.size)
    columns = np.stack([columns for columns, _ in worst])[largest, at]
    logs = np.stack([logs for _, logs in worst])[largest, at]
    sizes = shown[0].weight[released].tolist()
    if recoding.channel is not None:
        sizes = [round(Fraction(size, DENOMINATOR)) for size in sizes]
    labels = [[table.label(j) for j in range(len(table.labels))] for table in shown]
    names = [column.name for column in recoding.released]
    shows = list(zip(*(column.values for column in recoding.released), strict=True))
    return [
        ReleasedValue(
            shows=dict(zip(names, shows[y], strict=True)),
            records=records,
            leakage=abs(log),
            tightest=labels[table][column],
            direction=direction_of(log),
            safe=is_safe,
        )
        for y, records, log, table, column, is_safe in zip(
            released.tolist(),
            sizes,
            logs.tolist(),
            largest.tolist(),
            columns.tolist(),
            safe.tolist(),
            strict=True,
        )
    ]


def _worst(counts: Mass) -> tuple[IntArray, NDArray[np.float64]]:
    """The column of the largest log-lift of each row, and that; without the solvers' code."""
    prior = counts.sum(axis=0).astype(np.float64)
    places, sizes = [], []
    for _, rows in in_parts(counts):
        weights = rows.sum(axis=1, dtype=np.float64)[:, np.newaxis]
        with np.errstate(divide="ignore"):
            logs = np.log(rows.astype(np.float64) * prior.sum() / (weights * prior))
        places.append(np.abs(logs).argmax(axis=1))
        sizes.append(logs[np.arange(len(logs)), places[-1]])
    return np.concatenate(places), np.concatenate(sizes)


def direction_of(log_lift: float) -> str:
    """Say in a word what a log-lift does to belief in the sensitive value."""
    if log_lift == -math.inf:
        return "rules out"
    return "raises" if log_lift > 0 else "lowers"


def _released_counts(recoding: Recoding, counts: Mass, blocks: IntArray) -> Mass:
    """Return n(s,y), for a channel times its denominator, one row per released value."""
    if recoding.channel is None:
        return _block_counts(counts, blocks, recoding.size)
    return _channel_counts(dense(counts), blocks, recoding.channel)


def _channel_counts(
    counts: NDArray[np.int64], rows: IntArray, channel: Channel
) -> NDArray[np.object_]:
    """Add up numerator(y|x) n(s,x) in Python's integers, without the solvers' code."""
    sums = np.zeros((channel.size, counts.shape[1]), dtype=object)
    for row, cells in zip(rows.tolist(), counts.astype(object), strict=True):
        for y, numerator in channel.rows[row]:
            sums[y] += numerator * cells
    return sums


def _utility(recoding: Recoding, weight: NDArray[np.int64], blocks: IntArray) -> float:
    """Return I(X;Y); for a partition H(Y)."""
    if recoding.channel is None:
        return entropy(_block_counts(weight[:, np.newaxis], blocks, recoding.size).sum(axis=1))
    probabilities = recoding.channel.probabilities()[blocks]
    return mutual_information(weight / weight.sum(), probabilities)


def _block_counts(counts: Mass, blocks: IntArray, size: int) -> Mass:
    """Add up rows by block without the solvers' code; a block without rows stays zero."""
    if isinstance(counts, Cells):
        return counts.grouped(blocks, size)
    sums = np.zeros((size, counts.shape[1]), dtype=np.int64)
    np.add.at(sums, blocks, counts)
    return sums
