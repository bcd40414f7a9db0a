"""The recipe of verifying a mechanism on a table.

mechanism, table --count--> Joint --certify--> certificate
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from loglift import tables
from loglift._compute.progress import OnProgress, Progress, silent
from loglift.certify.certificate import Certificate
from loglift.certify.certify import certify
from loglift.certify.digest import seed_of
from loglift.confidence.population import population_of
from loglift.confidence.proposal import Draws
from loglift.confidence.variables import counts_of
from loglift.errors import InputError
from loglift.joint import Joint
from loglift.mechanism.columns import PublicColumn
from loglift.mechanism.mechanism import Mechanism
from loglift.release.apply import MechanismLike, Unseen, as_mechanism, for_unseen
from loglift.release.knowledge import readers_of_table
from loglift.tables.columns import Names, as_names


def verify(
    mechanism: MechanismLike,
    table: Any,
    *,
    unseen: Unseen = "refuse",
    known: Names = (),
    confidence: float | None = None,
    on_progress: OnProgress = silent,
) -> Certificate:
    """Count a table again and check a mechanism on it in exact arithmetic; `.holds` tells.

    What is checked is what `apply` with the same `unseen` would release; `.sensitive`, `.public`
    and `.beside` tell which columns it is about, and which others of the table it is not about.
    The bound is checked for readers who know the columns that the mechanism names, and those that
    are `known`, too. Earlier releases are not: see `verify_together`.

    With a confidence, `.population` tells what the table, a random sample of records that had no
    say in the mechanism, proves about the population. For a randomized mechanism each record draws
    a released value to prove it with, by a seed from the counts: the answer is always the same.

    Parameters
    ----------
    mechanism
        A `Mechanism` that was made from a table, a `Release`, or the path of a mechanism.json.
    table
        A table with the public and the sensitive columns: a path or a dataframe, as in `audit`.
    unseen
        As in `apply`.
    known
        More columns that readers may know, as in `protect`.
    confidence
        Take the table for a random sample, and tell what it proves with this confidence.
    on_progress
        Called with a `Progress` as each stage of the work begins.

    Returns
    -------
    Certificate
        `.holds` tells whether every released value is within the bound.

    Raises
    ------
    TableError
        When the table, or a column that is named, cannot be read.
    MechanismError
        When the mechanism was not made from a table.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> people = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "n"), ("c", "n")]
    >>> table = pl.DataFrame(people, schema=["job", "ill"], orient="row")
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.5)
    >>> loglift.verify(release, table).holds
    True
    """
    given = for_unseen(as_mechanism(mechanism), unseen)
    if confidence is not None and given.weights is not None:
        raise InputError(
            "a release of weighted records cannot be certified for the population by a confidence: "
            "leave the confidence (--confidence) out"
        )
    on_progress(Progress("counting"))
    opened = tables.open_table(table)
    counted = counted_for(opened, given)
    joint = counted.apart() if given.each else counted
    readers = readers_of_table(
        opened,
        joint,
        known=known_to(given, known),
        combine=given.combined,
        both=given.both,
    )
    on_progress(Progress("checking"))
    seen = np.array([value in given.lookup for value in joint.tuples])
    sensitive = given.sensitive_names
    certificate = replace(
        certify(replace(given, figures=None), joint, readers.knowledge),  # of another table
        beside=tuple(n for n in opened.columns if n not in {*given.column_names, *sensitive}),
        known=tuple(column.name for column in readers.known),
        unseen=unseen,
        unseen_records=int(joint.records[~seen].sum()),
    )
    if confidence is None:
        return certificate
    rows, seed = given.rows_of(joint.tuples), None
    if given.exact_channel is None:
        shown = counted.merged(rows, given.size)
    else:  # one draw for all sensitive columns of a record
        seed = seed_of(joint)
        shown = Draws(given.exact_channel.numerators()[rows]).shown(counted, seed)
    variables = counts_of(shown.apart() if given.each else shown)
    population = population_of(variables, given.bound, confidence)
    return replace(certificate, population=replace(population, draw_seed=seed))


def known_to(mechanism: Mechanism, more: Names) -> list[PublicColumn | str]:
    """Return the columns that readers know: those that a mechanism names, and some more."""
    told = mechanism.known_names
    others = [name for name in as_names(more, "known", optional=True) if name not in told]
    return [*mechanism.known, *others]


def counted_for(opened: tables.Table, mechanism: Mechanism) -> Joint:
    """Count the columns of a mechanism, with the joint values of the sensitive ones."""
    types = [column.type for column in mechanism.columns]
    joint = tables.count(
        opened,
        mechanism.column_names,
        mechanism.sensitive_names,
        bins=mechanism.bins,
        types=types,
        weights=mechanism.weights,
    )
    tables.refuse_types(joint.columns, types)
    for name, groups in mechanism.combined.items():
        joint = joint.combined(name, groups)
    return joint
