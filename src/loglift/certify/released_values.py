"""The released values that a certificate lists: as objects one by one, as columns all together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from loglift.joint import IntArray
from loglift.mechanism.naming import ReleasedColumn
from loglift.values import encoded, json_text, texts_of


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


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedValues(Sequence[ReleasedValue]):
    """Released values, of which there may be millions: each becomes an object when it is read.

    Attributes
    ----------
    columns, numbers
        The released columns, and which of their values are listed.
    records
        The records of each.
    events, places, logs
        The sensitive values, the one with the largest |log-lift| in each, and that log-lift, nats.
    safe
        Whether each is within the bound.

    """

    columns: tuple[ReleasedColumn, ...]
    numbers: IntArray
    records: Sequence[int]
    events: Sequence[Any]
    places: IntArray
    logs: NDArray[np.float64]
    safe: NDArray[np.bool_]

    def __len__(self) -> int:
        return self.numbers.size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # as a list, and as what a dict is in

    def __repr__(self) -> str:
        return f"ReleasedValues({len(self)} released values)"

    @overload
    def __getitem__(self, place: int) -> ReleasedValue: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ReleasedValue, ...]: ...
    def __getitem__(self, place: int | slice) -> ReleasedValue | tuple[ReleasedValue, ...]:
        if isinstance(place, slice):
            return tuple(self[i] for i in range(*place.indices(len(self))))
        log, y = float(self.logs[place]), int(self.numbers[place])
        return ReleasedValue(
            shows={column.name: column.values[y] for column in self.columns},
            records=self.records[place],
            leakage=abs(log),
            tightest=self.events[self.places[place]],
            direction=direction_of(log),
            safe=bool(self.safe[place]),
        )

    @property
    def leakage(self) -> float:
        """The largest |log-lift| of all, nats."""
        return float(np.abs(self.logs).max())

    def document(self) -> list[dict[str, Any]]:
        """Return the JSON form."""
        return [encoded(value) for value in self]

    def texts(self) -> Iterator[str]:
        """Yield the JSON of each: what `json_text(encoded(value))` is, written in bulk."""
        names, numbers = list(map(json_text, (c.name for c in self.columns))), self.numbers.tolist()
        fields = ", ".join(f"{name.replace('%', '%%')}: %s" for name in names)
        cells = (texts_of([c.values[y] for y in numbers], encoded) for c in self.columns)
        events = [json_text(encoded(event)) for event in self.events]
        infinite, logs = not np.isfinite(self.logs).all(), np.abs(self.logs).tolist()
        directions = np.where(self.logs > 0, "raises", "lowers").astype(object)
        directions[self.logs == -math.inf] = direction_of(-math.inf)
        return map(
            (
                f'{{"shows": {{{fields}}}, "records": %s, "leakage": %s, "tightest": %s, '
                '"direction": "%s", "safe": %s}'
            ).__mod__,
            zip(
                *cells,
                self.records,
                texts_of(logs, encoded) if infinite else map(float.__repr__, logs),
                map(events.__getitem__, self.places.tolist()),
                directions.tolist(),
                np.where(self.safe, "true", "false").tolist(),
                strict=True,
            ),
        )


def direction_of(log_lift: float) -> str:
    """Say in a word what a log-lift does to belief in the sensitive value."""
    if log_lift == -math.inf:
        return "rules out"
    return "raises" if log_lift > 0 else "lowers"
