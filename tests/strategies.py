"""Shared hypothesis strategies: joints with and without zeros, bounds, partitions, channels."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np

from loglift import Bound


@st.composite
def count_joints(draw, max_public=7, max_sensitive=5, min_public=1):
    """Small counts with many zeros and ties; no empty row or column."""
    n = draw(st.integers(min_public, max_public))
    m = draw(st.integers(1, max_sensitive))
    counts = np.array(draw(st.lists(st.integers(0, 4), min_size=n * m, max_size=n * m)))
    counts = counts.reshape(n, m)
    counts[np.arange(n), np.arange(n) % m] += counts.sum(axis=1) == 0
    counts[np.arange(m) % n, np.arange(m)] += counts.sum(axis=0) == 0
    return counts


@st.composite
def positive_joints(draw, max_public=8, max_sensitive=5):
    """Probabilities, all positive, from a seeded generator."""
    n, m = draw(st.integers(2, max_public)), draw(st.integers(2, max_sensitive))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    joint = rng.random((n, m)) ** draw(st.sampled_from([0.2, 1, 3]))
    return joint / joint.sum()


def joints():
    return st.one_of(count_joints(), positive_joints())


sides = st.sampled_from([0.0, 0.1, 0.5, math.log(2), 1.0, 2.5, math.inf])


def bounds():
    pairs = st.tuples(sides, sides).filter(lambda pair: not all(map(math.isinf, pair)))
    return pairs.map(lambda pair: Bound(*pair))


@st.composite
def labelled(draw, joint_strategy=None):
    """A joint and a partition of its rows."""
    joint = draw(joints() if joint_strategy is None else joint_strategy)
    n = joint.shape[0]
    labels = np.array(draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)))
    return joint, labels


@st.composite
def channelled(draw):
    """A joint and a channel from its public values to up to six released ones."""
    joint = draw(joints())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    channel = rng.random((joint.shape[0], draw(st.integers(1, 6)))) ** 2
    channel[rng.random(channel.shape) < 0.3] = 0
    channel[:, 0] += channel.sum(axis=1) == 0
    return joint, channel / channel.sum(axis=1, keepdims=True)
