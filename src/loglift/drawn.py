"""Which options go with a randomized release, and how its draws are made and told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loglift.certificate import Draws
from loglift.channel import DENOMINATOR
from loglift.errors import InputError
from loglift.recoding import Recoding

if TYPE_CHECKING:
    from loglift.tables import Drawing

SEEDED = "Drawn with a seed, which repeats the draws to whoever knows it: not for release."
_SECURE = (
    "Drawn by a keyed cryptographic function; its secret came from the operating system, served "
    "for this release only, and is not kept."
)


def refuse_options(method: str, **options: Any) -> None:
    """Refuse options of `protect` that do not go with its method."""
    if method != "randomized":
        refuse_draws(options["key"], options["seed"])
        return
    reasons = {
        "confidence": "a randomized release cannot be certified for the population",
        "groups": "groups are for merging, a randomized release has none",
        "keep": "what kept columns give away beside random values is not audited: apply the "
        "mechanism with keep instead, at your own judgement",
        "time_limit": "a randomized release has no time limit",
        "over": "a randomized release is over all values",
    }
    for name, reason in reasons.items():
        if options[name] not in (None, (), "all"):
            raise InputError(f"{reason}: leave {name} (--{name.replace('_', '-')}) out")


def refuse_draws(key: str | None, seed: int | None) -> None:
    """Refuse options of drawing where nothing is drawn."""
    for name, value in (("key", key), ("seed", seed)):
        if value is not None:
            raise InputError(f"{name} (--{name}) is for randomized mechanisms: leave it out")


def drawing_of(recoding: Recoding, key: str | None, seed: int | None) -> Drawing | None:
    """Return how to draw from a recoding, with a last row for unseen values; None for a partition.

    The noise is new at every call.
    """
    from loglift.tables import Drawing, Noise  # noqa: PLC0415, dataframe engines load when used

    if recoding.channel is None:
        refuse_draws(key, seed)
        return None
    suppressed = ((recoding.size, DENOMINATOR),)
    return Drawing((*recoding.channel.rows, suppressed), Noise.of(seed), key)


def draws_of(key: str | None, seed: int | None) -> Draws:
    """Return what the certificate says of the draws."""
    seeded = seed is not None
    source = "a seed" if seeded else "the operating system"
    return Draws(source, key, seeded, SEEDED if seeded else _SECURE)
