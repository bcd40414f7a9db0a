"""How what records show is drawn, in randomized releases and as values, and how that is told."""

from __future__ import annotations

from loglift.certify.certificate import Draws
from loglift.mechanism.mechanism import Mechanism
from loglift.release.options import refuse_draws
from loglift.tables import Noise

SEEDED = (
    "Do not publish a release drawn with a seed: whoever knows the seed can undo the draws. It is "
    "for tests."
)
_SECURE = (
    "Drawn by a keyed cryptographic function; its secret came from the operating system, served "
    "for this release only, and is not kept."
)

_EXCHANGED = (
    "Records of a block exchange their values by random numbers of the operating system, or by a "
    "keyed cryptographic function of a secret from there; they served for this release only, and "
    "are not kept. Where no other column is released, this is a shuffle of the rows."
)


def noise_of(mechanism: Mechanism, key: str | None, draw_seed: int | None) -> Noise | None:
    """Return new noise to draw with, at every call; None where nothing is drawn."""
    if not mechanism.is_drawn:
        refuse_draws(key, draw_seed)
        return None
    return Noise.of(draw_seed)


def draws_of(mechanism: Mechanism, key: str | None, draw_seed: int | None) -> Draws | None:
    """Return what the certificate says of the draws; None where nothing is drawn."""
    if not mechanism.is_drawn:
        return None
    if draw_seed is not None:
        return Draws("a seed", key, seeded=True, note=SEEDED)
    note = _SECURE if mechanism.shares is None or key is not None else _EXCHANGED
    return Draws("the operating system", key, seeded=False, note=note)
