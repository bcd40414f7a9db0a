"""How the draws of a randomized release are made, and told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loglift.certify.certificate import Draws
from loglift.errors import InputError
from loglift.mechanism.recoding import Recoding

if TYPE_CHECKING:
    from loglift.tables import Drawing

SEEDED = "Drawn with a seed, which repeats the draws to whoever knows it: not for release."
_SECURE = (
    "Drawn by a keyed cryptographic function; its secret came from the operating system, served "
    "for this release only, and is not kept."
)


def refuse_draws(key: str | None, seed: int | None) -> None:
    """Refuse options of drawing where nothing is drawn."""
    for name, value in (("key", key), ("seed", seed)):
        if value is not None:
            raise InputError(f"{name} (--{name}) is for randomized mechanisms: leave it out")


def drawing_of(recoding: Recoding, key: str | None, seed: int | None) -> Drawing | None:
    """Return how to draw from a recoding, with new noise at every call; None for a partition."""
    from loglift.tables import Drawing, Noise  # noqa: PLC0415, dataframe engines load when used

    if recoding.channel is None:
        refuse_draws(key, seed)
        return None
    return Drawing(recoding.channel.rows, Noise.of(seed), key)


def draws_of(key: str | None, seed: int | None) -> Draws:
    """Return what the certificate says of the draws."""
    seeded = seed is not None
    source = "a seed" if seeded else "the operating system"
    return Draws(source, key, seeded, SEEDED if seeded else _SECURE)
