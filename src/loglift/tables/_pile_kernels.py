"""The compiled loops of shuffling: rows are dealt onto piles, and each pile is shuffled."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from loglift._compute.compiling import compiled_lean

BITS = 32  # of a word, which is a random number
WORDS = 2**BITS


@compiled_lean
def count(piles: NDArray[Any], rows: NDArray[Any]) -> None:
    """Add the rows of each pile to `rows`; `piles` has the number of each row's pile."""
    for pile in piles:
        rows[pile] += 1


@compiled_lean
def deal(
    values: NDArray[Any], piles: NDArray[Any], ends: NDArray[Any], dealt: NDArray[Any]
) -> None:
    """Put each value at the end of its pile in `dealt`; `ends` move on."""
    for i in range(values.size):
        pile = piles[i]
        dealt[ends[pile]] = values[i]
        ends[pile] += 1


@compiled_lean
def collect(
    values: NDArray[Any], piles: NDArray[Any], begins: NDArray[Any], dealt: NDArray[Any]
) -> None:
    """Take each value from the beginning of its pile in `dealt`; `begins` move on."""
    for i in range(values.size):
        pile = piles[i]
        values[i] = dealt[begins[pile]]
        begins[pile] += 1


@compiled_lean
def shuffle(
    items: NDArray[Any], starts: NDArray[Any], state: NDArray[Any], words: NDArray[Any]
) -> None:
    """Shuffle piles of items until the words are used up, or all is done: O(words).

    Pile k is items[starts[k]] to items[starts[k + 1] - 1]. `state` has the number of a pile, how
    many of its items are still to be placed, and the number of the pile to end before; it moves on.

    This is the shuffle of Fisher and Yates: the last item to be placed changes places with any of
    them. Each is as likely, exactly: as many words stand for each of `left` items, and the words
    left over are not used (Lemire 2019, "Fast random integer generation in an interval").
    """
    pile, left, end = state[0], state[1], state[2]
    for word in words:
        while left < 2 and pile < end:
            pile += 1
            left = starts[pile + 1] - starts[pile] if pile < end else 0
        if pile >= end:
            break
        product = word * left
        rest = product & (WORDS - 1)
        if rest >= left or rest >= WORDS % left:
            left -= 1
            here, other = starts[pile] + left, starts[pile] + (product >> BITS)
            kept = items[here]
            items[here] = items[other]
            items[other] = kept
    state[0], state[1] = pile, left
