"""What readers see of each record."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
import pytest

from loglift import Bound, Joint
from loglift.mechanism.making import channel_mechanism
from loglift.readers.views import (
    drawn,
    original_view,
    plain_view,
    released_view,
    shuffled_view,
    swapped,
)
from loglift.sparse import as_cells
from small_records import believed, channel_of, partition_of, records_of

LABELS = [0, 1, 1, 2, 0, 3, 3, 3, 2, 4, 4, 1]


def random(seed=0):
    return np.random.default_rng(seed)


def views(seed=0):
    records = records_of(seed, size=60)
    partition = partition_of(records, LABELS)
    return records, [
        original_view(records),
        shuffled_view(records, random()),
        released_view(records, partition, random()),
        released_view(records, channel_of(records), random()),
    ]


def test_plain_values_are_believed_as_they_stand():
    records = records_of(0, size=60)
    found = believed(original_view(records), 2)
    codes = zip(*(column.codes.tolist() for column in records.public), strict=True)
    assert list(found) == [[(code, 1.0)] for code in codes]


def test_a_block_is_spread_evenly_over_its_members():
    records = records_of(1, size=60)
    view = released_view(records, partition_of(records, LABELS), random())
    for x, cells in zip(records.x.tolist(), believed(view, 2), strict=True):
        members = [i for i, block in enumerate(LABELS) if block == LABELS[x]]
        assert [row for row, _ in cells] == [tuple(records.rows[i].tolist()) for i in members]
        assert [share for _, share in cells] == pytest.approx([1 / len(members)] * len(members))
    assert records.size == 60


def test_a_random_value_is_believed_by_its_posterior():
    records = records_of(2, size=60)
    mechanism = channel_of(records)
    view = released_view(records, mechanism, random())
    mass = mechanism.channel * (np.bincount(records.x, minlength=12) + 0.0)[:, np.newaxis]
    posterior = (mass / mass.sum(axis=0)).T
    found = np.zeros_like(posterior)
    found[view.cell_y, view.cell_row] = view.share
    assert found == pytest.approx(posterior)


def test_beliefs_of_each_released_value_add_up_to_one():
    _, seen = views()
    sums = [view.mean_over(np.ones(len(view.rows))) for view in seen]
    assert np.concatenate(sums) == pytest.approx(1.0)


def test_the_rebuilt_table_is_the_sum_of_what_is_believed_of_each_record():
    _, seen = views(3)
    for view in seen:
        sums = Counter()
        for cells in believed(view, 2):
            for row, share in cells:
                sums[row] += share
        rebuilt = Counter()
        for row, mass in zip(map(tuple, view.rows.tolist()), view.mass.tolist(), strict=True):
            rebuilt[row] += mass
        assert {row: rebuilt[row] for row in sums} == pytest.approx(dict(sums))
    assert len(seen) == 4


def test_the_belief_in_a_column_adds_up_its_rows():
    records, seen = views(4)
    for view in seen:
        keys, share = view.belief(1, 3)
        table = np.zeros((view.shown, 3))
        table[np.divmod(keys, 3)] = share
        for y, cells in zip(view.y.tolist(), believed(view, 2), strict=True):
            assert table[y].sum() == pytest.approx(1)
            by_value = [sum(share for row, share in cells if row[1] == code) for code in range(3)]
            assert table[y] == pytest.approx(by_value)
            alone = {row[1] for row, _ in cells}
            assert view.sole(1)[y] == (alone.pop() if len(alone) == 1 else -1)
    assert records.size == 60


def test_shuffling_keeps_every_column_and_no_pair():
    records = records_of(5, size=4000)
    view = shuffled_view(records, random())
    for place, column in enumerate(records.public):
        counts = np.bincount(view.rows[:, place], view.mass)
        assert counts.tolist() == np.bincount(column.codes).tolist()
    shown = view.rows[view.y]
    assert abs(np.corrcoef(shown.T)[0, 1]) < 0.05
    assert len(records.public) == 2


def test_swapping_keeps_the_values_of_each_block_and_moves_them_at_random():
    records, labels = records_of(6, size=3000), np.array(LABELS)
    shown = swapped(records.x, labels, random())
    assert np.array_equal(labels[shown], labels[records.x])
    assert np.array_equal(np.sort(shown), np.sort(records.x))
    block = labels[records.x] == 3
    same = (shown == records.x)[block].mean()
    shares = np.bincount(records.x[block]) / block.sum()
    assert same == pytest.approx((shares**2).sum(), abs=0.06)


def test_a_release_of_plain_values_shows_members_of_the_block():
    records = records_of(7, size=200)
    shown = dataclasses.replace(partition_of(records, LABELS), shares=np.ones(12, dtype=np.int64))
    view = released_view(records, shown, random())
    number = {tuple(row): i for i, row in enumerate(records.rows.tolist())}
    shown = np.array([number[tuple(row)] for row in view.rows[view.y].tolist()])
    assert np.array_equal(np.array(LABELS)[shown], np.array(LABELS)[records.x])
    assert np.array_equal(np.sort(shown), np.sort(records.x))
    assert (view.share == 1).all()


def test_draws_follow_the_channel():
    channel = np.array([[0.2, 0.0, 0.8], [0.5, 0.5, 0.0]])
    x = np.repeat([0, 1], 20_000)
    y = drawn(x, channel, random())
    found = np.stack([np.bincount(y[x == i], minlength=3) / 20_000 for i in (0, 1)])
    assert found == pytest.approx(channel, abs=0.02)
    assert found[0, 1] == found[1, 2] == 0


def test_a_sparse_channel_draws_what_the_dense_one_does():
    rng = random()
    channel = rng.dirichlet(np.full(6, 0.3), 9).round(2)
    channel[:, 0] += 1 - channel.sum(axis=1)
    x = rng.integers(0, 9, 500)
    plain = drawn(x, channel, random(1))
    np.testing.assert_array_equal(drawn(x, as_cells(channel), random(1)), plain)
    assert (channel == 0).any()


def test_a_released_value_that_no_record_has_tells_nothing():
    """Also where the channel is sparse."""
    records = records_of(2, size=60)
    channel = np.eye(12)
    channel[3] = channel[4] = [0, 0, 0, 0.5, 0.5, *[0] * 7]
    joint = Joint(np.ones((12, 2)))
    made = [
        channel_mechanism(joint, given, Bound.symmetric(9), method="", upper_bound=1, scope="")
        for given in (channel, as_cells(channel))
    ]
    few = dataclasses.replace(records, x=np.full(60, 2))
    for mechanism in made:
        view = released_view(few, mechanism, random())
        found = np.zeros((12, 12))
        found[view.cell_y, view.cell_row] = view.share
        expected = np.full((12, 12), 1 / 12)
        expected[2] = np.arange(12) == 2
        assert found == pytest.approx(expected, abs=1e-15)
        assert view.y.tolist() == [2] * 60


def test_equal_rows_of_plain_values_are_one_released_value():
    view = plain_view([np.array([1, 0, 1, 1]), np.array([2, 2, 2, 0])])
    assert len(view.rows) == 3
    assert view.y[0] == view.y[2]
    assert view.rows[view.y].tolist() == [[1, 2], [0, 2], [1, 2], [1, 0]]
