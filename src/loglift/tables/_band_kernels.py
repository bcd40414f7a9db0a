"""The compiled loop that finds the bands of numbers."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from loglift._compute.compiling import compiled_lean


@compiled_lean
def write_bands(
    values: NDArray[Any],
    edges: NDArray[Any],
    count: int,
    places: NDArray[Any],
    first: int,
    numbers: NDArray[Any],
) -> None:
    """Write `first` plus how many edges are at most each value; of NaN, no edge is.

    `edges` are in rising order and of the type of the values: `count` of them, and as many of the
    largest number as make 2^k - 1 in all. O(k) for each value, by a binary search of many values in
    step, whose loops processors run for several at once. `places` is overwritten.
    """
    for start in range(0, values.size, places.size):
        size = min(places.size, values.size - start)
        places[:size] = 0
        step = (edges.size + 1) // 2
        while step > 0:
            for i in range(size):
                reached = edges[places[i] + step - 1] <= values[start + i]
                places[i] += step if reached else 0
            step //= 2
        for i in range(size):
            numbers[start + i] = first + min(places[i], count)
