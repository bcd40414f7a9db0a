"""From counts to a checked randomized release: choose the channel, round it, name it, check it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from loglift.certify.certificate import Certificate, Draws, SensitiveTable
from loglift.errors import UnsafeError
from loglift.joint import IntArray, Joint
from loglift.mechanism.channel import DENOMINATOR, Channel
from loglift.mechanism.mechanism import Mechanism, channel_mechanism
from loglift.mechanism.recode import recode_channel
from loglift.mechanism.recoding import Recoding
from loglift.promise.bound import Bound
from loglift.randomizing.randomize import randomize
from loglift.randomizing.rational import RationalChannel, rational_channel
from loglift.release.learning import (
    Protected,
    audited,
    certify_counts,
    check_options,
    columns_of,
    sensitive_tables,
)
from loglift.sparse import dense

# How far inside the bound to look where rounding to whole numbers would leave it, in nats.
_MARGINS = (1e-8, 1e-6)


def learn_randomized(
    counts: Joint,
    bound: Bound,
    *,
    min_count: int | None = None,
    each: bool = False,
    bins: Mapping[str, float] | None = None,
    draws: Draws | None = None,
) -> Protected:
    """Choose, round, name and check the channel for counts; the result has no table yet.

    What is chosen is checked in exact arithmetic as its file says it, and refused if it fails.
    `draws` is what the certificate is to say of the draws.
    """
    check_options("all", min_count)
    shown = sensitive_tables(counts, each=each)
    least = None if min_count is None else int(min_count)
    mechanism, numerators = _choose(shown, bound, least)
    public, sensitive = columns_of(counts, bins or {})
    recoding = recode_channel(
        public,
        sensitive,
        counts.tuples,
        Channel.of(numerators, shown[0].weight),
        bound=bound,
        method=mechanism.method,
        min_count=least,
        each=each,
    )
    certificate = _certify_written(recoding, counts, shown, mechanism)
    certificate = replace(certificate, draws=draws)
    before = audited(counts, shown, bound=bound, each=each)
    return Protected(None, mechanism, recoding, certificate, before, None, None)


def _choose(
    shown: Sequence[SensitiveTable], bound: Bound, min_count: int | None
) -> tuple[Mechanism, IntArray]:
    """Choose a channel in whole numbers that is safe in exact arithmetic.

    The best one lies on the bound, where rounding may leave it. Pulling it back would mix every
    value with every other; the best one just inside stays as sparse as it is.
    """
    counts = [dense(table.counts) for table in shown]
    joint = Joint(np.hstack(counts))
    least = None if min_count is None else min_count * len(shown)
    best = randomize(joint, bound, min_count=least)
    found = rational_channel(best.channel, counts, bound)
    for margin in _MARGINS:
        if found.pull == 0 and _enough(found, counts[0], min_count):
            break
        inside = Bound(max(0.0, bound.lower - margin), max(0.0, bound.upper - margin))
        more = None if least is None else min(least + 1, int(joint.total))
        again = randomize(joint, inside, min_count=more)
        found = rational_channel(again.channel, counts, bound)
    if not _enough(found, counts[0], min_count):  # one value for all always has enough
        found = rational_channel(np.ones((len(counts[0]), 1)), counts, bound)
    return (
        channel_mechanism(
            joint,
            found.numerators / found.denominator,
            bound,
            method=best.method,
            upper_bound=best.upper_bound,
            scope=best.upper_bound_scope,
        ),
        found.numerators,
    )


def _enough(found: RationalChannel, counts: IntArray, min_count: int | None) -> bool:
    """Whether every released value is expected to have enough records, exactly."""
    if min_count is None:
        return True
    expected = found.numerators.T.astype(object) @ counts.sum(axis=1).astype(object)
    return bool((expected >= min_count * DENOMINATOR).all())


def _certify_written(
    recoding: Recoding, counts: Joint, shown: Sequence[SensitiveTable], mechanism: Mechanism
) -> Certificate:
    """Check what is about to be written: the mechanism as its file says it, on the counts."""
    written = Recoding.from_json(recoding.to_json())
    certificate = certify_counts(written, counts, shown, mechanism)
    if not certificate.holds or certificate.records != counts.total:
        raise UnsafeError(
            "the release failed its exact check, so nothing is released: please report this"
        )
    return certificate
