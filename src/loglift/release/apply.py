"""A mechanism on tables other than the one it was made for: apply it to new rows, verify it.

mechanism.json --load--> Recoding --apply--> released table
--count--> certificate
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from loglift.certify.certificate import Certificate
from loglift.errors import InputError
from loglift.mechanism.channel import DENOMINATOR, Channel
from loglift.mechanism.naming import ReleasedColumn, with_suppressed
from loglift.mechanism.recoding import Recoding
from loglift.release.certified import verify_population
from loglift.release.counted import as_columns, counted, refuse_index, refuse_key, refuse_sensitive
from loglift.release.drawn import drawing_of
from loglift.release.learning import Names, Protected, certify_counts, sensitive_tables

Unseen: TypeAlias = Literal["refuse", "suppress", "merge"]


def apply(
    mechanism: Recoding | Protected | str | PathLike[str],
    table: Any,
    *,
    keep: Names = (),
    keep_order: bool = False,
    unseen: Unseen = "refuse",
    key: str | None = None,
    seed: int | None = None,
) -> Any:
    """Apply a mechanism to new rows, which need not have the sensitive columns.

    Values that were not there when the mechanism was made are refused, or with
    unseen="suppress" released as one suppressed value (public columns are then texts, and the
    number of its block is 0), or with unseen="merge" released as the block that a certificate for
    the population counts them in. Columns to `keep` are passed through as they are.

    A randomized mechanism draws anew at every call; `key` and `seed` are as in `protect`. Two
    releases of the same records give more away than one.
    """
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    recoding = for_unseen(as_recoding(mechanism), unseen)
    sensitive = [column.name for column in recoding.sensitive]
    # The table that the mechanism was made from may have been of an engine that folds case.
    refuse_sensitive(as_columns(keep), sensitive, fold=True)
    refuse_key(key, [*recoding.columns, *sensitive], fold=True)
    opened = engine.open_table(table)
    if keep_order:
        refuse_index(opened, [*recoding.columns, *sensitive])
    return engine.apply(
        opened,
        recoding.columns,
        recoding.lookup,
        outputs_of(recoding.released),
        types=[column.type for column in recoding.public],
        bins=recoding.bins,
        keep=as_columns(keep),
        keep_order=keep_order,
        unseen="refuse" if recoding.unseen is None else recoding.unseen,
        drawing=drawing_of(recoding, key, seed),
    )


def for_unseen(recoding: Recoding, unseen: str) -> Recoding:
    """Return the recoding with the block (or row of the channel) that unseen values get.

    None where they are refused, one more where they are suppressed, the file's own where merged.
    """
    if unseen not in get_args(Unseen):
        raise InputError(f"unseen must be 'refuse', 'suppress' or 'merge', got {unseen!r}")
    if unseen == "refuse":
        return replace(recoding, unseen=None)
    if unseen == "merge":
        if recoding.unseen is None:
            raise InputError(
                "this mechanism has no block for unseen values, which only a confidence gives it, "
                "and not for an ordered column: refuse or suppress them"
            )
        return recoding
    channel, row = recoding.channel, recoding.size
    if channel is not None:
        row = len(channel.rows)
        suppressed = ((recoding.size, DENOMINATOR),)
        channel = Channel((*channel.rows, suppressed), (*channel.posteriors, ()))
    released = tuple(with_suppressed_block(recoding))
    return replace(recoding, released=released, unseen=row, channel=channel)


def unseen_records(mechanism: Recoding | str | PathLike[str], table: Any) -> int:
    """Return how many records of a table have values that the mechanism does not know."""
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
    unseen: Unseen = "refuse",
    confidence: float | None = None,
) -> Certificate:
    """Count a table again and check a mechanism on it in exact arithmetic; `.holds` tells.

    What is checked is what `apply` with the same `unseen` would release; `.sensitive`, `.public`
    and `.beside` tell which columns it is about, and which others of the table it is not about.

    With a confidence, `.population` tells what the table, a random sample of records that had no
    say in the mechanism, proves about the population.
    """
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    recoding, opened = for_unseen(as_recoding(mechanism), unseen), engine.open_table(table)
    if confidence is not None and recoding.channel is not None:
        raise InputError(
            "a randomized mechanism cannot be certified for the population: leave the confidence "
            "(--confidence) out"
        )
    types = [column.type for column in recoding.public]
    counts = counted(
        opened,
        recoding.columns,
        tuple(column.name for column in recoding.sensitive),
        recoding.bins | recoding.sensitive_bins,
        types=types,
    )
    engine.refuse_types(
        recoding.columns,
        [column.type for column in counts.columns],
        types,
        [column.values for column in counts.columns],
    )
    tables = sensitive_tables(counts, each=recoding.each)
    used = {*counts.column_names, *(column.name for column in counts.sensitive_columns)}
    known = np.array([value in recoding.lookup for value in counts.tuples])
    certificate = replace(
        certify_counts(recoding, counts, tables),
        beside=tuple(name for name in opened.columns if name not in used),
        unseen=unseen,
        unseen_records=int(counts.weight[~known].sum()),
    )
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
    """Return the released columns with one more block, for values never seen; its number is 0."""
    originals = dict(zip(recoding.columns, zip(*recoding.values, strict=True), strict=True))
    return [
        with_suppressed(column, originals[column.name])
        if column.name in originals
        else replace(column, values=(*column.values, 0))
        for column in recoding.released
    ]
