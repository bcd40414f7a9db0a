"""What a mechanism gives away and keeps on the joint that it was made for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from loglift.errors import JointError, MechanismError
from loglift.joint import IntArray, Joint
from loglift.measures.entropy import drawn_information, entropy, nmil
from loglift.measures.lift import omega
from loglift.mechanism.upper_bound import Proven, UpperBound
from loglift.promise.bound import Bound, safe_rows
from loglift.promise.knowledge import Knowledge, Released
from loglift.sparse import Mass, block_sums, drawn_sums
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


def released_mass(joint: Joint, labels: IntArray | None, channel: Mass | None) -> Any:
    """p(s,y), or its counts, of a partition or a channel."""
    if labels is not None:
        return block_sums(joint.mass if joint.is_counts else joint.scaled, labels)
    if channel is None:
        raise MechanismError("a mechanism needs block numbers or a channel")
    return drawn_sums(channel, joint.probabilities)


def figures_of(
    joint: Joint,
    labels: IntArray | None,
    channel: Mass | None,
    bound: Bound,
    goal: Utility,
    *,
    upper_bound: Proven,
    scope: str,
) -> Figures:
    """Measure a partition or a channel."""
    try:
        shown = Joint(released_mass(joint, labels, channel), empty_public="drop")
    except JointError as error:
        raise MechanismError(f"what this channel would release is no joint: {error}") from None
    if labels is not None:
        information = entropy(block_sums(joint.p_public, labels))
    else:
        information = drawn_information(joint.p_public, channel)  # type: ignore[arg-type]
    utility = information
    if not goal.is_joint:
        utility = goal.kept(joint, labels, channel)
    return Figures(
        leakage=float(omega(shown).max()),
        safe=bool(safe_rows(shown.scaled, bound.on(joint)).all()),
        utility=utility,
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
