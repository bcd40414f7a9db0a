"""Random numbers for the kernels: the same ones compiled and in plain Python.

The state is an array that is passed from call to call, so that threads do not share it. The
generator is Lehmer's modulo the prime 2^31 - 1, with the multiplier of Park, Miller and Stockmeyer
(1993). It chooses what a search tries next; it is not for secrets.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loglift._compute.compiling import compiled_lean_call

BITS, MULTIPLIER = 31, 48_271
MODULUS = 2**BITS - 1


def seeded(seed: int) -> NDArray[np.int64]:
    """Return the initial state of a seed; neighbouring seeds have unrelated states."""
    return np.random.default_rng(seed).integers(1, MODULUS, 1)


@compiled_lean_call
def drawn(state: NDArray[np.int64]) -> int:
    """Draw one of the numbers 1, ..., MODULUS - 1.

    2^31 is 1 modulo 2^31 - 1, so a remainder is the sum of a number's upper and lower bits.
    """
    product = state[0] * MULTIPLIER
    number = (product & MODULUS) + (product >> BITS)
    if number >= MODULUS:
        number -= MODULUS
    state[0] = number
    return int(number)


@compiled_lean_call
def uniform(state: NDArray[np.int64]) -> float:
    """Draw a number between 0 and 1."""
    return float(drawn(state) / MODULUS)


@compiled_lean_call
def below(state: NDArray[np.int64], size: int) -> int:
    """Draw one of the numbers 0, ..., size - 1, with size at most MODULUS.

    The quotient by MODULUS is the upper bits, and one more if the remainder is too large.
    """
    product = drawn(state) * size
    upper = product >> BITS
    return int(upper + (upper + (product & MODULUS) >= MODULUS))
