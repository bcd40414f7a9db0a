"""Dask dataframes: pandas in parts. A frame stays lazy; only distinct keys are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from loglift.joint import IntArray
from loglift.mechanism.naming import ReleasedColumn
from loglift.tables.engines import Gathered, LikeKey, pandas as parts, places
from loglift.tables.noise import Drawing, Exchange, Noise

_NULLABLE = {"i": "Int64", "u": "UInt64", "b": "boolean"}  # for kinds without a missing value

folds_case = False
in_utc = None
tally = None


def names(frame: Any) -> list[str]:
    """Return the column names."""
    return list(frame.columns)


def empty(frame: Any) -> pd.DataFrame:
    """Return the empty pandas frame by which Dask knows the dtypes."""
    return frame._meta  # noqa: SLF001 - Dask documents it and has no other name for it


def pick(frame: Any, positions: Sequence[int]) -> Any:
    """Return the columns at these positions, named c0, c1, ..."""
    # Divisions are values of the index, which may be sensitive: they are dropped, and every part
    # gets a new index.
    meta = parts.pick(empty(frame), positions)
    return frame.clear_divisions().map_partitions(parts.pick, list(positions), meta=meta)


def orders(frame: Any, positions: Sequence[int]) -> list[Sequence[Any]]:
    """Return the ordered categories; parts of unknown categories may have different ones."""
    found: list[Sequence[Any]] = []
    for at in positions:
        dtype = empty(frame).dtypes.iloc[at]
        ordered = isinstance(dtype, pd.CategoricalDtype) and dtype.ordered
        known = ordered and frame.iloc[:, at].cat.known
        found.append(list(dtype.categories) if known else ())
    return found


def check(frame: Any, columns: Sequence[str]) -> None:
    """Raise for object columns of mixed types, in any part."""
    objects = [i for i, dtype in enumerate(frame.dtypes) if dtype.kind == "O" and i < len(columns)]
    if objects:
        picked = frame[[f"c{i}" for i in objects]]
        named = [columns[i] for i in objects]
        picked.map_partitions(
            _checked, named, meta=pd.DataFrame({"c0": pd.Series(dtype=bool)})
        ).compute()


def gather(frame: Any) -> Gathered:
    """Compute a small frame."""
    return parts.gather(frame.compute())


def attach(
    frame: Any,
    small: pd.DataFrame,
    keys: Sequence[str],
    added: Sequence[ReleasedColumn],
    *,
    ordered: bool,
) -> Any:
    """Join every part with the mapping; the parts and their order stay the same."""
    mapping = parts.mapping_of(small, keys, added).astype(_arrow_types(added))
    meta = parts.joined(empty(frame), mapping.iloc[:0], list(keys))
    result = frame.map_partitions(parts.joined, mapping, list(keys), meta=meta)
    return result if ordered else shuffle(result)


def draw(
    frame: Any,
    small: pd.DataFrame,
    keys: Sequence[str],
    drawing: Drawing,
    added: Sequence[ReleasedColumn],
    *,
    ordered: bool,
) -> Any:
    """Draw part by part; every part has random numbers of its own."""
    from dask.dataframe import from_delayed  # noqa: PLC0415 - slow to import
    from dask.delayed import delayed  # noqa: PLC0415

    mapping, delayed_parts = parts.mapping_of(small, keys, [places(len(small))]), frame.to_delayed()
    hands: Sequence[Drawing] = [drawing] * len(delayed_parts)
    if isinstance(drawing, Exchange):
        hands = _dealt(delayed_parts, mapping, list(keys), drawing)
    drawn = delayed(_drawn, pure=False)
    made = [
        drawn(part, mapping, list(keys), hand, added, i)
        for i, (part, hand) in enumerate(zip(delayed_parts, hands, strict=True))
    ]
    meta = _drawn(empty(frame), mapping, list(keys), drawing, added, 0)
    result = from_delayed(made, meta=meta)
    return result if ordered else shuffle(result)


@dataclass(frozen=True, eq=False)
class _Hand(Drawing):
    """What the records of one part show in an exchange, in the order of their public values."""

    shown: IntArray = field(kw_only=True)

    def drawn(self, places: IntArray, numbers: IntArray) -> IntArray:  # noqa: ARG002, as others
        """Return what each record of the part shows."""
        found = np.empty_like(self.shown)
        found[np.argsort(places, kind="stable")] = self.shown
        return found


def _dealt(
    delayed_parts: Sequence[Any], mapping: pd.DataFrame, keys: list[str], exchange: Exchange
) -> list[Drawing]:
    """Deal what all records show to the parts; the driver holds a number for every record.

    Records of one part and one public value are alike, so only their counts are computed first.
    """
    from dask.delayed import delayed  # noqa: PLC0415 - slow to import

    counted = delayed(_place_counts, pure=False)
    counts = delayed(list)([counted(part, mapping, keys) for part in delayed_parts]).compute()
    size = len(mapping)
    placed = [np.repeat(np.arange(size), found) for found in counts]
    everyone = np.concatenate(placed)
    numbers = exchange.noise.numbers(everyone.size, len(placed))  # no part has this number
    shown = exchange.drawn(everyone, numbers)
    ends = np.cumsum([found.size for found in placed])[:-1]
    return [
        _Hand(exchange.lots, exchange.row_of, exchange.noise, shown=hand)
        for hand in np.split(shown, ends)
    ]


def _place_counts(part: pd.DataFrame, mapping: pd.DataFrame, keys: list[str]) -> IntArray:
    """Return how many records of a part have each row of the mapping."""
    found = parts.joined(part[keys], mapping, keys)["place"].to_numpy(dtype=np.int64)
    return np.bincount(found, minlength=len(mapping))


def _drawn(
    part: pd.DataFrame,
    mapping: pd.DataFrame,
    keys: list[str],
    drawing: Drawing,
    added: Sequence[ReleasedColumn],
    number: int,
) -> pd.DataFrame:
    made = [column for column in added if not isinstance(column, LikeKey)]
    return parts.drawn(part, mapping, keys, drawing, added, number).astype(_arrow_types(made))


def shuffle(frame: Any) -> Any:
    """Send every row to a random part, then permute each part."""
    from dask.dataframe import from_delayed  # noqa: PLC0415 - slow to import
    from dask.delayed import delayed  # noqa: PLC0415

    noise = Noise.of(None)
    keyed = [delayed(_keyed)(part, noise, i) for i, part in enumerate(frame.to_delayed())]
    mixed = from_delayed(keyed, meta=_keyed(empty(frame), noise, 0))
    mixed = mixed.shuffle(on="loglift_order")
    return mixed.map_partitions(_permuted, meta=_permuted(_keyed(empty(frame), noise, 0)))


def _arrow_types(added: Sequence[ReleasedColumn]) -> dict[str, pd.ArrowDtype]:
    """Return Arrow dtypes for the columns for which pandas has only objects.

    Dask would turn objects into text. It depends on PyArrow itself.
    """
    from loglift.tables.engines.arrow import type_of  # noqa: PLC0415 - only where needed

    objects = [column for column in added if column.type in ("date", "time", "bytes", "decimal")]
    return {column.name: pd.ArrowDtype(type_of(column)) for column in objects}


def _keyed(part: pd.DataFrame, noise: Noise, number: int) -> pd.DataFrame:
    # Keys are a function of the noise: a part that is computed twice gets the same keys.
    return part.assign(loglift_order=noise.numbers(len(part), number))


def _permuted(part: pd.DataFrame) -> pd.DataFrame:
    """Sort by the random keys; categories, whose order may be the input's, become plain values."""
    rows = parts.decoded(part).sort_values("loglift_order").drop(columns="loglift_order")
    plain = {name: rows[name].cat.categories.dtype for name in parts.unordered(rows)}
    nullable = {n: _NULLABLE.get(dtype.kind, dtype) for n, dtype in plain.items()}
    return rows.astype(nullable).reset_index(drop=True)


def _checked(part: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    parts.check(part.set_axis([f"c{i}" for i in range(part.shape[1])], axis=1), columns)
    return pd.DataFrame({"c0": pd.Series(dtype=bool)})
