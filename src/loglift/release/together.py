"""The recipe of verifying several releases of the same records: each alone, and all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from loglift import tables
from loglift._compute.progress import OnProgress, silent
from loglift.certify.certificate import ReaderCheck
from loglift.certify.readers import check_reader
from loglift.certify.together import TogetherCheck
from loglift.joint import Joint
from loglift.mechanism.mechanism import Mechanism
from loglift.promise.knowledge import Knowledge, Released
from loglift.release.apply import MechanismLike, Unseen, as_mechanism
from loglift.release.knowledge import readers_of_table
from loglift.release.verify import counted_for, known_to, verify
from loglift.tables.columns import Names


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
        joint = counted_for(opened, mechanism)
        joint = joint.apart() if mechanism.each else joint
        readers = readers_of_table(
            opened,
            joint,
            known=known_to(mechanism, known),
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
