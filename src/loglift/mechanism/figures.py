"""What a mechanism gives away and keeps on the joint that it was made for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from loglift.errors import JointError, MechanismError
from loglift.joint import Joint
from loglift.measures.entropy import drawn_information, entropy, nmil
from loglift.measures.lift import omega
from loglift.mechanism.upper_bound import Proven, UpperBound
from loglift.promise.bipartition import safe_rows
from loglift.promise.bound import Bound
from loglift.promise.knowledge import Knowledge, Released
from loglift.sparse import Cells, Mass, block_sums, drawn_sums
from loglift.utility.utility import Utility


@dataclass(frozen=True)
class Figures:
    """What a mechanism gives away and keeps on the joint it was made for; see `Mechanism`."""

    leakage: float
    safe: bool
    utility: float
    information: float
    nmil: float
    most: UpperBound
    readers: tuple[ReaderLeakage, ...] = ()


@dataclass(frozen=True)
class ReaderLeakage:
    """Readers who know more than the release, and the largest |log-lift| for them, in nats."""

    readers: str
    leakage: float
    safe: bool


def released_mass(joint: Joint, mapping: Mass) -> Any:
    """p(s,y), or its counts, of a partition as block numbers (n,), or of p(y|x) as (n, y)."""
    if not isinstance(mapping, Cells) and mapping.ndim == 1:
        return block_sums(joint.mass if joint.is_counts else joint.scaled, mapping)
    return drawn_sums(mapping, joint.probabilities)


def figures_of(
    joint: Joint,
    mapping: Mass,
    bound: Bound,
    goal: Utility,
    *,
    upper_bound: Proven,
    scope: str,
) -> Figures:
    """Measure a partition or a channel, given as in `released_mass`."""
    try:
        shown = Joint(released_mass(joint, mapping), empty_public="drop")
    except JointError as error:
        raise MechanismError(f"what this channel would release is no joint: {error}") from None
    if not isinstance(mapping, Cells) and mapping.ndim == 1:
        information = entropy(block_sums(joint.p_public, mapping))
    else:
        information = drawn_information(joint.p_public, mapping)
    return Figures(
        leakage=float(omega(shown).max()),
        safe=bool(safe_rows(shown.scaled, bound.on(joint)).all()),
        utility=information if goal.is_joint else goal.kept(joint, mapping),
        information=information,
        nmil=nmil(information, entropy(joint.p_public)),
        most=UpperBound(upper_bound, scope),
    )


def with_readers(
    figures: Figures,
    joint: Joint,
    released: Released,
    bound: Bound,
    knowledge: Sequence[Knowledge],
) -> Figures:
    """Measure what a release tells readers who know more; with them it may not be safe."""
    limits = bound.on(joint)
    readers = tuple(
        ReaderLeakage(each.name, each.leakage(released), each.within(released, limits))
        for each in knowledge
    )
    safe = figures.safe and all(reader.safe for reader in readers)
    return replace(figures, readers=readers, safe=safe)
