"""The recipe of applying a mechanism to new rows.

mechanism --apply--> released table
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from loglift import tables
from loglift._compute.progress import OnProgress, Progress, silent
from loglift.errors import InputError, MechanismError, UnsafeError
from loglift.mechanism.mechanism import Mechanism
from loglift.release.draws import noise_of
from loglift.release.origin import Input
from loglift.release.result import Release
from loglift.tables.columns import Names, as_names, refuse_index, refuse_key, refuse_sensitive

Unseen: TypeAlias = Literal["refuse", "suppress", "merge"]
MechanismLike: TypeAlias = Mechanism | Release | str | PathLike[str]


def apply(
    mechanism: MechanismLike,
    table: Any,
    *,
    passthrough: Names = (),
    keep_order: bool = False,
    unseen: Unseen = "refuse",
    key: str | None = None,
    draw_seed: int | None = None,
) -> Any:
    """Apply a mechanism to new rows, which need not have the sensitive columns.

    Values that were not there when the mechanism was made are refused, or with unseen="suppress"
    released as one suppressed value (public columns are then texts, and the number of its block is
    0), or with unseen="merge" released as the block that a certificate for the population counts
    them in. A randomized mechanism draws anew at every call: two releases of the same records give
    more away than one.

    Parameters
    ----------
    mechanism
        A `Mechanism` that was made from a table, a `Release`, or the path of a mechanism.json.
    table
        The new rows: a path or a dataframe, as in `audit`. It needs the public columns only.
    passthrough
        Other columns to release as they are.
    keep_order
        Keep the order of the rows, which may link them to the input.
    unseen
        What to do with public values that the mechanism does not know: "refuse", "suppress" or
        "merge".
    key, draw_seed
        As in `protect`.

    Returns
    -------
    Any
        The same kind of dataframe as came in; for a path, a DuckDB relation.

    Raises
    ------
    TableError
        When the table, or a column that is named, cannot be read.
    MechanismError
        When the mechanism was not made from a table.
    InputError
        When unseen="merge" and the mechanism has no block for unseen values.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> people = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "n"), ("c", "n")]
    >>> table = pl.DataFrame(people, schema=["job", "ill"], orient="row")
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.5)
    >>> new = pl.DataFrame({"job": ["c", "a", "b"]})
    >>> sorted(loglift.apply(release, new)["job"])
    ['a', 'b | c', 'b | c']
    """
    given = for_unseen(as_mechanism(mechanism), unseen)
    if given.figures is not None and not given.safe:
        raise UnsafeError(
            f"this mechanism leaks {given.leakage:.4g} nats, which is not within its bound: "
            "nothing is released"
        )
    beside = as_names(passthrough, "passthrough", optional=True)
    sensitive = given.sensitive_names
    # The table that the mechanism was made from may have been of an engine that folds case.
    refuse_sensitive(beside, sensitive, fold=True)
    refuse_key(key, [*given.column_names, *sensitive], fold=True)
    opened = tables.open_table(table)
    if keep_order:
        refuse_index(opened, [*given.column_names, *sensitive])
    return tables.apply(
        opened,
        given,
        passthrough=beside,
        keep_order=keep_order,
        noise=noise_of(given, key, draw_seed),
        key=key,
    )


@dataclass(frozen=True)
class Applied:
    """What `apply_to_file` wrote: columns with spreadsheet formulas, and records never seen."""

    formulas: tuple[str, ...]
    unseen_records: int


def apply_to_file(
    mechanism: MechanismLike,
    table: Any,
    path: Path,
    *,
    unseen: Unseen = "refuse",
    replace: bool = False,
    escape_formulas: bool = False,
    on_progress: OnProgress = silent,
    **options: Any,
) -> Applied:
    """Apply a mechanism to a table and write what is released, all of it or nothing.

    With `replace`, an existing file is replaced. Other options are those of `apply`.
    """
    given = as_mechanism(mechanism)
    on_progress(Progress("applying"))
    opened = tables.open_table(table)  # once: all that follows is about the same records
    released = apply(given, opened, unseen=unseen, **options)
    records = 0 if unseen == "refuse" else tables.unseen_records(opened, given)
    on_progress(Progress("writing"))
    source = Input.of(opened, keeps_order=bool(options.get("keep_order")))
    formulas = tables.write(
        released,
        path,
        replace=replace,
        escape_formulas=escape_formulas,
        labels=opened.labels,
        check=source.refuse_changed,
    )
    return Applied(tuple(formulas), records)


def as_mechanism(mechanism: MechanismLike) -> Mechanism:
    """Return the mechanism of a release, of a mechanism.json, or itself; it must know a table."""
    if isinstance(mechanism, Release):
        return mechanism.mechanism
    found = Mechanism.load(mechanism) if isinstance(mechanism, (str, PathLike)) else mechanism
    if not isinstance(found, Mechanism):
        raise InputError(
            f"a {type(mechanism).__name__} is not a mechanism: give a Mechanism, the result of "
            "protect, or the path of a mechanism.json"
        )
    if not found.columns:
        raise MechanismError(
            "this mechanism was made from a joint without a table, so it knows no columns: make "
            "the joint with Joint.from_table"
        )
    return found


def mechanisms_of(given: MechanismLike | Sequence[MechanismLike]) -> tuple[Mechanism, ...]:
    """Return one mechanism, or several, as a tuple."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        return tuple(as_mechanism(each) for each in given)
    return (as_mechanism(given),)


def for_unseen(mechanism: Mechanism, unseen: str) -> Mechanism:
    """Return the mechanism with the block (or row of the channel) that unseen values get.

    "refuse": no block. "suppress": one more block. "merge": the block that the file names.
    """
    if unseen not in get_args(Unseen):
        raise InputError(f"unseen must be 'refuse', 'suppress' or 'merge', got {unseen!r}")
    if unseen == "refuse":
        return dataclasses.replace(mechanism, unseen=None)
    if unseen == "suppress":
        return mechanism.with_suppressed()
    if mechanism.unseen is None:
        raise InputError(
            "this mechanism has no block for unseen values: only a release with a confidence has "
            "one, unless its column is ordered. Refuse or suppress unseen values"
        )
    return mechanism.with_unseen()
