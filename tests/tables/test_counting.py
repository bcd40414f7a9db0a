"""Counting: which columns are refused, and what the counts are of."""

from __future__ import annotations

from collections import Counter

import polars as pl

from loglift import tables
from loglift.cuts import Cut
from loglift.tables import Use, count, count_as


def test_a_measurement_without_bins_is_cut_by_itself(tmp_path):
    lines = "".join(f"{i / 7:.3f},{'xy'[i % 2]}\n" for i in range(3000))
    (tmp_path / "t.csv").write_text("w,s\n" + lines)
    found = count(tmp_path / "t.csv", "w", "s")
    assert found.columns[0].bin.automatic
    assert len(found.public) == 64
    assert found.public[:2] == ("< 7", "[7, 14)")
    assert len(count(tmp_path / "t.csv", "w", "s", bins={"w": 100}).tuples) == 5


def test_a_column_is_counted_several_times_with_other_bins(maker, tmp_path):
    rows = [(i % 3, 7 * i % 40, "yes" if i % 5 else "no") for i in range(60)]
    table = maker.make(["job", "age", "ill"], [int, int, str], rows, tmp_path)
    tens, twenties = Cut.steps(10), Cut.steps(20)
    uses = [Use("age", tens), Use("job"), Use("age", twenties), Use("ill")]
    found = count_as(table, uses, [Use("ill")])
    wanted = Counter(
        (f"[{a // 10 * 10}, {a // 10 * 10 + 10})", j, f"[{a // 20 * 20}, {a // 20 * 20 + 20})", s)
        for j, a, s in rows
    )
    assert dict(zip(found.tuples, found.weight.tolist(), strict=True)) == wanted
    assert [column.bin for column in found.columns] == [tens, None, twenties, None]


def test_more_columns_follow_the_public_ones_in_bins_of_their_own():
    table = pl.DataFrame(
        {"age": [21, 22, 34, 34, 47, 21], "town": list("aabbab"), "s": list("uvuvuv")}
    )
    more = [tables.Use("age", Cut.steps(20)), tables.Use("town", None, "text")]
    found = tables.count(table, ["age"], "s", types=["integer"], also=more)
    assert [column.name for column in found.columns] == ["age", "age", "town"]
    cut = tables.count(table, ["age"], "s", bins={"age": 20.0})
    assert set(found.columns[1].values) == set(cut.columns[0].values)
    assert {(age, town) for age, _, town in found.tuples} == set(table.select("age", "town").rows())
    assert found.total == 6
    plain = found.seen_as(found.columns[:1])
    alone = tables.count(table, ["age"], "s")
    assert plain.tuples == alone.tuples
    assert plain.mass[:].tolist() == alone.mass[:].tolist()
