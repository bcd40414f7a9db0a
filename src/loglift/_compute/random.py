"""Random numbers for the compiled loops, which are the same in plain Python.

A state of one's own, handed from call to call: nobody else's random numbers are touched, and
threads do not meet. It is Lehmer's generator modulo the prime 2^31 - 1, with the multiplier of
Park, Miller and Stockmeyer (1993): plain enough for both, random enough to choose what to try next.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loglift._compute.compiling import compiled_part

MODULUS, MULTIPLIER = 2**31 - 1, 48_271


def seeded(seed: int) -> NDArray[np.int64]:
    """Return the state that a seed begins with; neighbouring seeds begin far from each other."""
    return np.random.default_rng(seed).integers(1, MODULUS, 1)


@compiled_part
def uniform(state: NDArray[np.int64]) -> float:
    """Draw a number between 0 and 1."""
    state[0] = state[0] * MULTIPLIER % MODULUS
    return float(state[0] / MODULUS)


@compiled_part
def below(state: NDArray[np.int64], size: int) -> int:
    """Draw one of the numbers 0, ..., size - 1."""
    state[0] = state[0] * MULTIPLIER % MODULUS
    return int(state[0] * size // MODULUS)
