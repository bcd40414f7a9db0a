"""What became of each public column."""

from __future__ import annotations

import numpy as np
import pytest

from loglift.readers.columns import column_readings, deviation_of, mean_of
from loglift.readers.views import original_view, released_view, shuffled_view
from small_records import believed, channel_of, partition_of, records_of

LABELS = [0, 1, 1, 2, 0, 3, 3, 3, 2, 4, 4, 1]


def released_of(records, kind):
    random = np.random.default_rng(0)
    if kind == "drawn":
        return released_view(records, channel_of(records), random)
    return released_view(records, partition_of(records, LABELS), random)


@pytest.mark.parametrize("kind", ["merged", "drawn"])
def test_columns_are_what_readers_work_out_record_by_record(kind):
    records = records_of(0, size=150)
    released = released_of(records, kind)
    shuffled = shuffled_view(records, np.random.default_rng(1))
    readings = column_readings(records, released, shuffled, [0.7, 0.6])
    numbers = records.public[0].numbers
    for view, side in ((released, "released"), (shuffled, "shuffled")):
        seen = list(believed(view, 2))
        for place, reading in enumerate(readings):
            codes = records.public[place].codes.tolist()
            same = [
                {row[place] for row, _ in cells} == {code}
                for cells, code in zip(seen, codes, strict=True)
            ]
            assert getattr(reading.unchanged, side) == pytest.approx(np.mean(same))
        flat = [(numbers[row[0]], share) for cells in seen for row, share in cells]
        known = [(value, share) for value, share in flat if not np.isnan(value)]
        mean = sum(v * w for v, w in known) / sum(w for _, w in known)
        assert getattr(readings[0].mean, side) == pytest.approx(mean)
    assert len(readings) == 2
    assert readings[1].mean is readings[1].mean_shift is None


def test_the_shift_is_in_standard_deviations_and_zero_where_the_column_is_kept():
    records = records_of(2, size=300)
    released = released_of(records, "merged")
    shuffled = shuffled_view(records, np.random.default_rng(1))
    first, _ = column_readings(records, released, shuffled, [0.7, 0.6])
    values = records.public[0].numbers[records.public[0].codes]
    spread = np.nanstd(values)
    assert first.mean.original == pytest.approx(np.nanmean(values))
    assert first.mean_shift.released == pytest.approx(
        (first.mean.released - first.mean.original) / spread
    )
    assert abs(first.mean_shift.released) > 0.001
    assert first.mean_shift.original == 0
    assert first.mean_shift.shuffled == pytest.approx(0)


def test_the_table_as_it_is_keeps_everything():
    records = records_of(3, size=100)
    view = original_view(records)
    readings = column_readings(records, view, view, [1.0, 1.0])
    assert [reading.unchanged.released for reading in readings] == [1.0, 1.0]
    assert readings[0].mean_shift.released == 0


def test_means_leave_missing_numbers_out():
    numbers, mass = np.array([np.nan, 1.0, 3.0]), np.array([100.0, 1.0, 3.0])
    assert mean_of(numbers, mass) == 2.5
    assert deviation_of(numbers, mass) == pytest.approx(np.std([1, 3, 3, 3]))
    assert np.isnan(mean_of(numbers, np.array([1.0, 0.0, 0.0])))
