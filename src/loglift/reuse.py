"""A mechanism on tables other than the one it was made for: apply it to new rows, verify it.

mechanism.json --load--> Recoding --apply--> released table
--count--> certificate
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Literal

from loglift.certificate import Certificate
from loglift.certified import verify_population
from loglift.counted import as_columns, counted
from loglift.drawn import drawing_of
from loglift.errors import InputError
from loglift.learning import Names, Protected, certify_counts, sensitive_tables
from loglift.naming import ReleasedColumn, with_suppressed
from loglift.recoding import Recoding


def apply(
    mechanism: Recoding | Protected | str | PathLike[str],
    table: Any,
    *,
    keep: Names = (),
    keep_order: bool = False,
    unseen: Literal["refuse", "suppress", "merge"] = "refuse",
    key: str | None = None,
    seed: int | None = None,
) -> Any:
    """Apply a mechanism to new rows, which need not have the sensitive columns.

    Values that were not there when the mechanism was made are refused, or with
    unseen="suppress" released as one suppressed value (their columns are then texts), or with
    unseen="merge" released as the block that a certificate for the population counts them in.

    A randomized mechanism draws anew at every call; `key` and `seed` are as in `protect`. Two
    releases of the same records give more away than one.
    """
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    recoding = as_recoding(mechanism)
    suppress, other = unseen == "suppress", _block_of_unseen(recoding, unseen)
    columns = with_suppressed_block(recoding) if suppress else recoding.released
    return engine.apply(
        table,
        recoding.columns,
        recoding.lookup,
        outputs_of(columns),
        types=[column.type for column in recoding.public],
        bins=recoding.bins,
        keep=as_columns(keep),
        keep_order=keep_order,
        unseen="refuse" if other is None else other,
        drawing=drawing_of(recoding, key, seed),
    )


def _block_of_unseen(recoding: Recoding, unseen: str) -> int | None:
    """Return the block (or row of the drawing) of unseen values; None to refuse them."""
    if unseen not in ("refuse", "suppress", "merge"):
        raise InputError(f"unseen must be 'refuse', 'suppress' or 'merge', got {unseen!r}")
    if unseen == "merge" and recoding.unseen is None:
        raise InputError(
            "this mechanism has no block for unseen values, which only a confidence gives it: "
            "refuse or suppress them"
        )
    rows = recoding.size if recoding.channel is None else len(recoding.values)
    return {"refuse": None, "suppress": rows, "merge": recoding.unseen}[unseen]


def suppressed_records(mechanism: Recoding | str | PathLike[str], table: Any) -> int:
    """Return how many records of a table `apply` would release as suppressed."""
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    recoding = as_recoding(mechanism)
    types = [column.type for column in recoding.public]
    return engine.unseen_records(
        table, recoding.columns, recoding.lookup, types=types, bins=recoding.bins
    )


def verify(
    mechanism: Recoding | Protected | str | PathLike[str],
    table: Any,
    *,
    confidence: float | None = None,
) -> Certificate:
    """Count a table again and check a mechanism on it in exact arithmetic; `.holds` tells.

    With a confidence, `.population` tells what the table, a random sample of records that had no
    say in the mechanism, proves about the population.
    """
    recoding = as_recoding(mechanism)
    if confidence is not None and recoding.channel is not None:
        raise InputError(
            "a randomized mechanism cannot be certified for the population: leave the confidence "
            "(--confidence) out"
        )
    counts = counted(
        table,
        recoding.columns,
        tuple(column.name for column in recoding.sensitive),
        recoding.bins | recoding.sensitive_bins,
        types=[column.type for column in recoding.public],
    )
    tables = sensitive_tables(counts, each=recoding.each)
    certificate = certify_counts(recoding, counts, tables)
    if confidence is None:
        return certificate
    population = verify_population(recoding, counts, tables, confidence)
    return replace(certificate, population=population)


def as_recoding(mechanism: Recoding | Protected | str | PathLike[str]) -> Recoding:
    """Return the recoding of a protected table, of a mechanism.json, or itself."""
    if isinstance(mechanism, Recoding):
        return mechanism
    if isinstance(mechanism, Protected):
        return mechanism.recoding
    if isinstance(mechanism, (str, PathLike)):
        return Recoding.load(mechanism)
    raise InputError(
        f"a {type(mechanism).__name__} is not a mechanism for tables: give the result of protect, "
        "its .recoding, or the path of a mechanism.json"
    )


def outputs_of(columns: Sequence[ReleasedColumn]) -> list[Any]:
    """Return released columns as an engine takes them."""
    from loglift.tables import Output  # noqa: PLC0415, dataframe engines load only when used

    return [Output(column.name, column.values, column.type) for column in columns]


def with_suppressed_block(recoding: Recoding) -> list[ReleasedColumn]:
    """Return the released columns with one more block, for values never seen."""
    originals = dict(zip(recoding.columns, zip(*recoding.values, strict=True), strict=True))
    return [with_suppressed(column, originals.get(column.name, ())) for column in recoding.released]
