"""Polars: times, and lazy frames."""

from __future__ import annotations

from datetime import time

import polars as pl

import loglift
from tables.orders import NAMED, passed


def test_times_of_whole_microseconds_are_counted():
    table = pl.DataFrame({"k": [time(1), time(2, microsecond=5)] * 20, "s": list("AABB") * 10})
    assert loglift.audit(table, sensitive="s", public="k").public_values == 2


def test_the_first_rows_of_a_lazy_release_are_not_those_of_the_input():
    frame = pl.DataFrame({"x": ["a", "b"] * 1000, "name": NAMED})
    assert passed(frame.lazy()).head(20).collect()["name"].to_list() != NAMED[:20]
    assert set(passed(frame.lazy()).head(20).collect()["name"]) != set(NAMED[:20])
