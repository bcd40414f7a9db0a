"""Choosing a mechanism that is certified for the population."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from loglift._compute.kernels import many_problems
from loglift._compute.progress import OnProgress, silent
from loglift.certify.digest import seed_of
from loglift.confidence.proposal import Blocks, Draws
from loglift.confidence.tested import certified
from loglift.confidence.uncertified import Uncertified
from loglift.errors import BoundError, UnsafeError
from loglift.mechanism.making import channel_mechanism, partition_mechanism
from loglift.release.choose import Choice, Task, choose_partition
from loglift.release.choose_channel import choose_channel
from loglift.release.options import CHOOSE_SHARE
from loglift.report.sentences.population import uncertified


def choose_certified(task: Task, on_progress: OnProgress = silent) -> Choice:
    """Choose what is certified for the population, by records that had no say in it.

    The split of the records, and what they draw of a channel, come from the hash of their counts:
    running it again gives the same answer, so repeating it until it passes does not help.
    """
    joint, options, bound = task.joint, task.options, task.bound
    if options.confidence is None:
        raise TypeError("a certified release needs a confidence")
    if not bound.is_plain:
        raise BoundError(
            "only one bound on all log-lifts is certified for the population: leave the confidence "
            "(--confidence) out, or other limits and bounds of single values"
        )
    share = CHOOSE_SHARE if options.choose_share is None else options.choose_share
    with many_problems():
        drawn = options.method == "randomized"
        plain = (choose_channel(task, on_progress) if drawn else choose_partition(task)).mechanism
        found = certified(
            joint,
            plain,
            confidence=options.confidence,
            choose_share=share,
            seed=seed_of(task.shown),
        )
    if isinstance(found, Uncertified):
        raise UnsafeError(uncertified(found))
    made: dict[str, Any] = {
        "method": options.method,
        "goal": task.goal,
        "min_count": options.min_count,
        "upper_bound": plain.upper_bound,  # what holds without the confidence holds with it
        "scope": plain.upper_bound_scope,
    }
    shown, proposal = task.shown, found.proposal
    if isinstance(proposal, Draws):
        mechanism = channel_mechanism(
            shown, proposal.channel, bound, numerators=proposal.numerators, **made
        )
    else:
        mechanism = partition_mechanism(shown, cast("Blocks", proposal).labels, bound, **made)
    return Choice(replace(mechanism, unseen=found.unseen), found.population)
