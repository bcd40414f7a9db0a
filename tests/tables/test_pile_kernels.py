"""Piles of rows: dealt, collected and shuffled as slow loops do."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from loglift.tables import _pile_kernels
from loglift.tables._pile_kernels import WORDS, collect, count, deal, shuffle


def shuffled_slowly(items, words):
    """Place the last item first; a word is used if it is among the whole multiples of `left`."""
    left, words = len(items), list(words)
    while left > 1 and words:
        product = words.pop(0) * left
        if product % WORDS >= WORDS % left:
            left -= 1
            other = product // WORDS
            items[left], items[other] = items[other], items[left]
    return items, len(words)


def test_rows_are_dealt_in_their_order_and_collected_again():
    piles = np.array([2, 0, 2, 3, 0], dtype=np.uint16)
    rows = np.zeros(4, dtype=np.int64)
    count(piles, rows)
    assert rows.tolist() == [2, 0, 2, 1]
    begins = np.array([0, 2, 2, 4])
    values, dealt = np.arange(10, 15, dtype=np.uint32), np.zeros(5, dtype=np.uint32)
    deal(values, piles, begins.copy(), dealt)
    assert dealt.tolist() == [11, 14, 10, 12, 13]
    found = np.zeros_like(values)
    collect(found, piles, begins.copy(), dealt)
    assert found.tolist() == values.tolist()


@pytest.mark.parametrize("size", [2, 3, 7, 1000])
def test_the_words_decide_the_order_as_they_do_in_a_slow_loop(size):
    drawn = np.random.default_rng(size).integers(0, WORDS, 2 * size)
    # The least words of each interval are those that may not be used.
    edges = [-(-k * WORDS // left) for left in (size, size - 1) for k in range(min(left, 4))]
    for words in (drawn, np.concatenate([edges, drawn]), np.zeros(2 * size)):
        expected, unused = shuffled_slowly(list(range(size)), map(int, words))
        items, state = np.arange(size, dtype=np.uint32), np.array([0, size, 1])
        shuffle(items, np.array([0, size]), state, words.astype(np.uint32))
        assert items.tolist() == expected
        assert (state[1] < 2) == (unused > 0)


@pytest.mark.parametrize("at_once", [1, 2, 5, 100])
def test_piles_are_shuffled_on_their_own_however_few_words_come_at_once(at_once):
    starts = np.array([0, 3, 3, 4, 4, 10, 10])
    words = np.random.default_rng(0).integers(0, WORDS, 100, dtype=np.uint32)
    items, state = np.arange(10, dtype=np.uint16), np.array([0, 3, 6])
    for start in range(0, words.size, at_once):
        shuffle(items, starts, state, words[start : start + at_once])
    assert state[0] == 6
    assert [sorted(items[a:b]) for a, b in ((0, 3), (3, 4), (4, 10))] == [
        [0, 1, 2], [3], [4, 5, 6, 7, 8, 9],
    ]  # fmt: skip
    whole = np.arange(10, dtype=np.uint16)
    shuffle(whole, starts, np.array([0, 3, 6]), words)
    assert whole.tolist() == items.tolist()


def test_each_item_is_as_likely_though_words_are_no_multiple_of_them(monkeypatch):
    """With words of three bits, three items: of eight words, six are used, two for each item."""
    monkeypatch.setattr(_pile_kernels, "BITS", 3)
    monkeypatch.setattr(_pile_kernels, "WORDS", 8)
    seen = Counter()
    for word in range(8):
        items, state = np.arange(3), np.array([0, 3, 1])
        shuffle.py_func(items, np.array([0, 3]), state, [word])
        seen[None if state[1] == 3 else int(items[2])] += 1
    assert seen == {0: 2, 1: 2, 2: 2, None: 2}
