"""The real table of the demo: all records of the data set's first file, with its attribution."""

from __future__ import annotations

import polars as pl

from loglift.demo import write_adult


def test_the_table_has_every_record_and_its_attribution_beside_it(tmp_path):
    path = write_adult(tmp_path)
    table = pl.read_parquet(path)
    assert path == tmp_path / "adult.parquet"
    assert table.height == 32_561
    assert {"age", "education", "occupation", "race", "salary"} <= set(table.columns)
    assert "part" not in table.columns  # it tells the files of the data set apart
    assert table["salary"].value_counts().sort("count")["count"].to_list() == [7841, 24720]
    assert "CC BY 4.0" in (tmp_path / "ADULT.md").read_text("utf-8")
