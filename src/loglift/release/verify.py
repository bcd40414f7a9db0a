"""The recipes of verifying a mechanism on a table, and several mechanisms together.

mechanism, table --count--> Joint --certify--> certificate
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from loglift import tables
from loglift._compute.progress import OnProgress, Progress, silent
from loglift.certify.certificate import Certificate, ReaderCheck
from loglift.certify.certify import certify
from loglift.certify.digest import seed_of
from loglift.certify.readers import check_reader
from loglift.certify.together import TogetherCheck
from loglift.confidence.population import population_of
from loglift.confidence.proposal import Draws
from loglift.confidence.variables import counts_of
from loglift.errors import InputError
from loglift.joint import Joint
from loglift.mechanism.columns import PublicColumn
from loglift.mechanism.mechanism import Mechanism
from loglift.promise.knowledge import Knowledge, Released
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
    counted = _counted(opened, given)
    joint = counted.apart() if given.each else counted
    readers = readers_of_table(
        opened,
        joint,
        known=_known(given, known),
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


def verify_together(
    mechanisms: Sequence[MechanismLike],
    table: Any,
    *,
    known: Names = (),
    on_progress: OnProgress = silent,
) -> TogetherCheck:
    """Check several releases of the same records, each on its own and all together, exactly.

    For each mechanism, what all of them tell about its sensitive columns is compared with its own
    bound, also for readers who know any of the columns that are `known`, or that it names.
    A record whose values a mechanism does not know was not in that release, which readers can tell:
    that counts as one of its released values.

    Parameters
    ----------
    mechanisms
        Each is a `Mechanism` that was made from a table, a `Release`, or the path of a
        mechanism.json.
    table
        The table with all their columns: a path or a dataframe, as in `audit`.
    known
        More columns that readers may know, as in `protect`.
    on_progress
        Called with a `Progress` as each stage of the work begins.

    Returns
    -------
    TogetherCheck
        The check of each, and of all together.

    Raises
    ------
    TableError
        When the table, or a column that is named, cannot be read.
    MechanismError
        When a mechanism was not made from a table.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> people = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "n"), ("c", "n")]
    >>> table = pl.DataFrame(people, schema=["job", "ill"], orient="row")
    >>> table = table.with_columns(town=pl.Series(["t", "u", "t", "u", "t", "u"]))
    >>> first = loglift.protect(table, sensitive="ill", public="job", eps=0.5)
    >>> second = loglift.protect(table, sensitive="ill", public="town", eps=1, given=first)
    >>> loglift.verify_together([first, second], table).holds
    True
    """
    given = tuple(as_mechanism(mechanism) for mechanism in mechanisms)
    opened = tables.open_table(table)
    hashes = {mechanism.sha256 for mechanism in given}
    certificates, together = [], []
    for mechanism in given:
        # What is shown as values tells what its blocks tell.
        blocks = replace(mechanism, shares=None)
        unseen: Unseen = "suppress" if mechanism.unseen is None else "merge"
        checked = verify(blocks, opened, unseen=unseen, known=known, on_progress=on_progress)
        others = tuple(each for each in checked.given if each.sha256 not in hashes)
        certificates.append(replace(checked, given=others))
        joint = _counted(opened, mechanism)
        joint = joint.apart() if mechanism.each else joint
        readers = readers_of_table(
            opened,
            joint,
            known=_known(mechanism, known),
            given=given,
            combine=mechanism.combined,
            both=mechanism.both,
        )
        checks = [_told_together(each, given, mechanism, joint) for each in readers.knowledge]
        together.append(next((check for check in checks if not check.holds), checks[0]))
    promised = _promised(given)
    whole = all(told.holds for told, counts in zip(together, promised, strict=True) if counts)
    holds = whole and all(one.holds for one in certificates)
    return TogetherCheck(holds, tuple(certificates), tuple(together), promised)


def _promised(mechanisms: tuple[Mechanism, ...]) -> tuple[bool, ...]:
    """Return which of several mechanisms promise their bound for all of them together."""
    hashes = [mechanism.sha256 for mechanism in mechanisms]
    named = [
        set(hashes) - {own} <= {earlier.sha256 for earlier in mechanism.given}
        for mechanism, own in zip(mechanisms, hashes, strict=True)
    ]
    covered = [
        any(
            _same_secret(one, other)
            for other, whole in zip(mechanisms, named, strict=True)
            if whole
        )
        or any(_is_coarser(one, other) for other in mechanisms if other is not one)
        for one in mechanisms
    ]
    return tuple(whole or not other for whole, other in zip(named, covered, strict=True))


def _same_secret(one: Mechanism, other: Mechanism) -> bool:
    """Whether two mechanisms bound the same sensitive columns."""
    return (one.sensitive, one.each) == (other.sensitive, other.each)


def _is_coarser(mechanism: Mechanism, finer: Mechanism) -> bool:
    """Whether a mechanism only merges whole blocks of another one, for the same sensitive columns.

    Fewer blocks remain, so that two mechanisms never cover each other.
    """
    if mechanism.labels is None or finer.labels is None or mechanism.size >= finer.size:
        return False
    if not _same_secret(mechanism, finer):
        return False
    if [c.name for c in mechanism.columns] != [c.name for c in finer.columns]:
        return False
    if set(mechanism.lookup) != set(finer.lookup):
        return False
    pairs = {(finer.lookup[value], block) for value, block in mechanism.lookup.items()}
    return len(pairs) == finer.size


def _known(mechanism: Mechanism, more: Names) -> list[PublicColumn | str]:
    """Return the columns that readers know: those that a mechanism names, and some more."""
    told = mechanism.known_names
    others = [name for name in as_names(more, "known", optional=True) if name not in told]
    return [*mechanism.known, *others]


def _told_together(
    knowledge: Knowledge, given: tuple[Mechanism, ...], mechanism: Mechanism, joint: Joint
) -> ReaderCheck:
    """Check what all releases tell about the sensitive columns of one of them."""
    nothing = Released.together(len(joint.public))
    check = check_reader(knowledge, nothing, mechanism.bound, joint, ())
    if not isinstance(check.knows, tuple):
        return check
    shows = [_shown(each, y) for each, y in zip(given, check.knows, strict=True)]
    return replace(check, knows=shows)


def _shown(mechanism: Mechanism, y: int) -> dict[str, Any] | None:
    """Return what a released value shows; None for a record that was not released."""
    if y >= mechanism.size:
        return None
    return {column.name: column.values[y] for column in mechanism.released}


def _counted(opened: tables.Table, mechanism: Mechanism) -> Joint:
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
