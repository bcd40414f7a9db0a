"""The certificate of a release: an independent, exact re-check against the counts."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift._version import __version__
from loglift.bound import Bound
from loglift.exact import exactly_safe
from loglift.joint import IntArray
from loglift.measures.entropy import entropy, nmil
from loglift.recoding import Recoding, encode


@dataclass(frozen=True)
class SensitiveTable:
    """Counts of public (or released) values against the values of one sensitive variable.

    `names` are the columns whose joint value is the variable, `labels` its values as tuples over
    them; `counts` has one row per public value and one column per label.
    """

    names: tuple[str, ...]
    labels: tuple[tuple[Any, ...], ...]
    counts: NDArray[np.int64]

    def label(self, column: int) -> dict[str, Any]:
        """Return the sensitive value of a column of the counts, by name."""
        return dict(zip(self.names, self.labels[column], strict=True))


@dataclass(frozen=True)
class ReleasedValue:
    """One released value: what it shows, how many records have it, and its largest log-lift."""

    shows: dict[str, Any]
    records: int
    leakage: float
    tightest: dict[str, Any]
    direction: str
    safe: bool


@dataclass(frozen=True)
class Certificate:
    """What a release gives away and keeps, checked in exact arithmetic against the counts.

    It names sensitive values and counts: it is for the custodian, not for publication.
    """

    holds: bool
    bound: Bound
    method: str
    each: bool
    min_count: int | None
    records: int
    public_values: int
    leakage: float
    entropy: float
    utility: float
    nmil: float
    upper_bound: float | None
    counts_sha256: str
    values: tuple[ReleasedValue, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form of certificate.json; infinite numbers are written as "inf"."""
        document = {
            "format": "loglift certificate",
            "version": 1,
            "note": "For the custodian only: it contains sensitive values and counts.",
            "made_by": f"loglift {__version__}",
            **asdict(self),
        }
        form: dict[str, Any] = encoded(document)
        return form


def certify(
    recoding: Recoding,
    blocks: IntArray,
    tables: Sequence[SensitiveTable],
    *,
    counts_sha256: str,
    upper_bound: float | None = None,
) -> Certificate:
    """Check a recoding against counts whose rows have the given block numbers.

    Each table is one sensitive variable; all of them must be inside the bound.
    """
    shown = [
        SensitiveTable(t.names, t.labels, _block_counts(t.counts, blocks, recoding.size))
        for t in tables
    ]
    sizes = shown[0].counts.sum(axis=1)
    safe = np.all([exactly_safe(t.counts[sizes > 0], recoding.bound) for t in shown], axis=0)
    least = recoding.min_count or 0
    values = [
        _released_value(recoding, int(y), shown, safe=bool(ok) and int(sizes[y]) >= least)
        for y, ok in zip(np.flatnonzero(sizes), safe, strict=True)
    ]
    before, utility = entropy(tables[0].counts.sum(axis=1)), entropy(sizes)
    return Certificate(
        holds=all(value.safe for value in values),
        bound=recoding.bound,
        method=recoding.method,
        each=recoding.each,
        min_count=recoding.min_count,
        records=int(sizes.sum()),
        public_values=len(blocks),
        leakage=max(value.leakage for value in values),
        entropy=before,
        utility=utility,
        nmil=nmil(utility, before),
        upper_bound=upper_bound,
        counts_sha256=counts_sha256,
        values=tuple(values),
    )


def hash_counts(values: Sequence[Any], tables: Sequence[SensitiveTable]) -> str:
    """Return the SHA-256 of the counts, the same for the same counts whatever the engine."""
    digest = hashlib.sha256()
    for table in tables:
        head = [list(table.names), encoded(table.labels)]
        digest.update(json.dumps(head, ensure_ascii=False).encode())
        for value, row in zip(values, table.counts.tolist(), strict=True):
            digest.update(json.dumps([encoded(value), row], ensure_ascii=False).encode())
    return digest.hexdigest()


def _released_value(
    recoding: Recoding, y: int, shown: Sequence[SensitiveTable], *, safe: bool
) -> ReleasedValue:
    worst, tightest = 0.0, shown[0].label(0)
    for table in shown:
        expected = table.counts[y].sum() * table.counts.sum(axis=0, dtype=np.float64)
        lifts = table.counts[y] * table.counts.sum(dtype=np.float64) / expected
        with np.errstate(divide="ignore"):
            logs = np.log(lifts)
        s = int(np.abs(logs).argmax())
        if abs(logs[s]) >= abs(worst):
            worst, tightest = float(logs[s]), table.label(s)
    return ReleasedValue(
        shows={column.name: column.values[y] for column in recoding.released},
        records=int(shown[0].counts[y].sum()),
        leakage=abs(worst),
        tightest=tightest,
        direction=direction_of(worst),
        safe=safe,
    )


def direction_of(log_lift: float) -> str:
    """Say in a word what a log-lift does to belief in the sensitive value."""
    if log_lift == -math.inf:
        return "rules out"
    return "raises" if log_lift > 0 else "lowers"


def _block_counts(counts: NDArray[np.int64], blocks: IntArray, size: int) -> NDArray[np.int64]:
    """Add up rows by block without the solvers' code; a block without rows stays zero."""
    sums = np.zeros((size, counts.shape[1]), dtype=np.int64)
    np.add.at(sums, blocks, counts)
    return sums


def encoded(value: Any) -> Any:
    """Return nested results in JSON: values with their types, infinite numbers as "inf"."""
    if isinstance(value, dict):
        return {key: encoded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [encoded(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    return encode(value)
