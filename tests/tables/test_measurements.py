"""Columns with very many values are cut by themselves, alike on every engine; no identifiers."""

from datetime import date, timedelta

import numpy as np
import pytest

from loglift import merge
from loglift.cuts import Cut
from loglift.errors import TableError
from loglift.tables import count, count_released, grouping, settled

ROWS = 2400


def table_of(maker, folder):
    """A table with an id, a number, a date and texts, from a fixed seed."""
    rng = np.random.default_rng(5)
    incomes = rng.lognormal(10, 1, ROWS).round(2).tolist()
    days = [date(1930, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 30_000, ROWS)]
    rows = [
        (1000 + 3 * i, None if i % 50 == 0 else incomes[i], -9 if i % 60 == 1 else int(incomes[i]),
         days[i], f"name {i}", "ab"[i % 2], "xyz"[i % 3])
        for i in range(ROWS)
    ]  # fmt: skip
    names = ["case_id", "income", "euros", "born", "name", "town", "s"]
    return maker.make(names, [int, float, int, date, str, str, str], rows, folder), rows


def test_measurements_get_the_same_quantile_bands_on_every_engine(maker, tmp_path):
    table, rows = table_of(maker, tmp_path)
    found = count(table, ["income", "euros", "born"], "s", bins={"born": "quantiles:10"})
    income, euros, born = found.columns
    assert (income.bin.automatic, euros.bin.automatic, born.bin.automatic) == (True, True, False)
    assert len(income.bin.points) == 63
    assert income.bin.points[:3] == (2500, 3400, 4000)
    assert len(euros.bin.points) == 63
    assert len(born.bin.points) == 9
    assert {(day.month, day.day) for day in born.bin.points} <= {(1, 1), (4, 1), (7, 1), (10, 1)}
    assert income.values[0] is None
    assert income.values[1:] == income.bin.names
    assert found.weight.sum() == len(rows)
    values = {row[1] for row in rows}
    assert not set(income.bin.points) & values


def test_a_sensitive_measurement_gets_ten_bands(maker, tmp_path):
    table, _ = table_of(maker, tmp_path)
    found = count(table, "town", "income")
    [column] = found.sensitive_columns
    assert column.bin.automatic
    assert len(found.sensitive) == 11
    assert found.sensitive[:2] == (None, "< 6000")


def test_identifiers_are_refused_by_name(maker, tmp_path):
    table, _ = table_of(maker, tmp_path)
    for name in ("case_id", "name"):
        for public, sensitive in ((["town", name], "s"), ("town", name)):
            with pytest.raises(
                TableError, match=f"{name!r} looks like an identifier.*leave it out"
            ):
                count(table, public, sensitive)
    assert len(count(table, "case_id", "s", bins={"case_id": 1000}).public) == 8
    types = ["integer"]  # whoever says the type has counted it before
    assert len(count(table, "case_id", "s", types=types).public) == ROWS


def test_columns_whose_values_mean_something_stay_as_they_are(maker, tmp_path):
    table, _ = table_of(maker, tmp_path)
    found = count(table, ["euros", "born"], "s", as_is=["euros", "born"])
    assert [column.type for column in found.columns] == ["integer", "date"]
    assert found.columns[0].bin is None


def test_where_combinations_are_too_many_columns_are_looked_at_one_by_one(
    maker, tmp_path, monkeypatch
):
    table, _ = table_of(maker, tmp_path)
    usual = count(table, ["income", "town"], "s")
    monkeypatch.setattr(grouping, "MAX_GROUPS", 2370)  # more than values, fewer than records
    found = count(table, ["income", "town"], "s")
    assert found.public == usual.public
    assert found.weight.tolist() == usual.weight.tolist()
    monkeypatch.setattr(grouping, "MAX_GROUPS", 100)
    with pytest.raises(TableError, match="more than 100 different combinations"):
        count(table, ["town", "income"], "s")


def test_limits_that_leave_very_many_values_are_refused(maker, tmp_path):
    table, _ = table_of(maker, tmp_path)
    with pytest.raises(TableError, match=r"the limits \.\.90000 leave .* values of 'income'"):
        count(table, "income", "s", bins={"income": "..90000"})


def test_quantiles_are_edges_once_they_are_settled(maker, tmp_path):
    table, _ = table_of(maker, tmp_path)
    cut = settled(table, {"euros": "quantiles:4"})["euros"]
    assert cut.found
    assert cut.points == (10000, 22000, 45000)
    for name in ("name", "town"):
        with pytest.raises(TableError, match="not numbers, dates or times"):
            settled(table, {name: "quantiles:4"})
    few = maker.make(["x", "s"], [int, str], [(1, "a"), (1, "b"), (2, "a")], tmp_path)
    with pytest.raises(TableError, match="too few records or values for quantiles"):
        settled(few, {"x": "quantiles:2"})


def test_times_in_a_text_file_are_times(tmp_path):
    times = [
        f"2021-01-{1 + i % 28:02d} {i % 24:02d}:{i % 60:02d}:{i // 60:02d}" for i in range(3000)
    ]
    lines = "".join(f"{text},{'xy'[i % 2]}\n" for i, text in enumerate(times))
    (tmp_path / "t.csv").write_text("t,s\n" + lines)
    found = count(tmp_path / "t.csv", "t", "s")
    assert found.columns[0].bin.is_of_dates
    assert len(found.public) == 64


def test_very_many_measurements_beside_a_release_are_counted_in_bands_on_every_engine(
    maker, tmp_path, monkeypatch
):
    table, _ = table_of(maker, tmp_path)
    joint = count(table, "town", "s")
    made = merge(joint, 9)
    each = count_released(table, made, "income").columns[1]
    assert each.bin is None
    monkeypatch.setattr("loglift.tables.counting.MAX_AUDITED_VALUES", len(each.values) // 2)
    found = count_released(table, made, ["income", "case_id", "town"])
    block, income, case, town = found.columns
    assert (block.name, block.values) == ("released block", (1, 2))
    assert income.bin.automatic
    assert case.bin is town.bin is None  # an identifier, and a column of few values
    assert len(case.values) == ROWS
    assert found.total == ROWS
    bands = count(table, "income", "s").columns[0]  # the bands of the column as a public one
    assert income.bin.points == bands.bin.points
    given = count_released(table, made, "income", bins={"income": Cut.edges([10_000])})
    assert given.columns[1].values == (None, "< 10000", ">= 10000")
    merged = given.merged(given.columns[0].codes)
    assert (merged.mass == joint.mass).all()
