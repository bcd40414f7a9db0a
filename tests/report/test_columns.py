"""The table of what happened to each column: its lines, and that it fits into 80 columns."""

# ruff: noqa: PD011, the values here are not those of a frame

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import loglift
import naive
from loglift.display.numbers import percent
from loglift.mechanism.kept import KeptColumn, KeptTarget
from loglift.report.columns import ColumnLine, column_lines
from loglift.report.terminal import print_release


def test_each_column_has_a_line_and_whole_rows_another(summary):
    certificate = summary.certificate
    *columns, rows = column_lines(certificate)
    for line, column in zip(columns, certificate.columns, strict=True):
        assert line.name == column.name
        assert (line.unchanged, line.information) == (column.unchanged, column.information)
        assert (line.labels_before, line.labels_after) == (
            column.labels_before,
            column.labels_after,
        )
    assert [line.ends_section for line in columns] == [False, True]
    assert rows.name == "whole rows"
    assert rows.information == summary.after.kept
    assert (rows.labels_before, rows.labels_after) == (summary.before.values, summary.after.values)
    assert not rows.ends_section


def test_a_single_column_is_the_row_and_has_one_line(summary):
    [first, _] = summary.certificate.columns
    alone = replace(summary.certificate, columns=(first,))
    [line] = column_lines(alone)
    assert (line.name, line.ends_section) == ("town", False)


@pytest.mark.parametrize(
    ("before", "after", "shares"),
    [(10, 5, (1, 0.5)), (10, 40, (0.25, 1)), (3, 3, (1, 1)), (None, None, (0, 0))],
)
def test_labels_are_bars_of_the_larger_number(before, after, shares):
    assert ColumnLine("a", 1.0, 1.0, before, after).label_shares == shares


def test_purposes_have_a_line_without_cells(summary):
    *targets, rows = summary.certificate.targets
    purpose = KeptTarget("income", 0.5, 0.75)
    asked = replace(summary.certificate, targets=(*targets, purpose, rows))
    *_, whole, line = column_lines(asked)
    assert whole.ends_section
    assert line == ColumnLine("about income", None, 0.75, None, None)
    assert line.texts == ("", "75.0 %", "", "")


def test_the_figures_are_those_of_the_released_table(made):
    """Counted from the table that was read, the table that was written and the JSON."""
    table, out = made
    with table.open(encoding="utf-8") as file:
        records = [(row["town"], row["age"]) for row in csv.DictReader(file)]
    mechanism = json.loads((out / "mechanism.json").read_text("utf-8"))
    place = {
        tuple(map(str, value)): block
        for value, block in zip(mechanism["values"], mechanism["blocks"], strict=True)
    }
    means = {y: {x for x in place if place[x] == y} for y in place.values()}
    cells = [(x, place[x], n) for x, n in Counter(records).items()]
    *columns, rows = naive.columns_kept(means, cells)
    told = json.loads((out / "certificate.json").read_text("utf-8"))
    page = (out / "report.html").read_text("utf-8")
    released = pd.read_parquet(out / "released.parquet")
    for column, (unchanged, information) in zip(told["columns"], columns, strict=True):
        assert column["unchanged"] == unchanged
        assert column["information"] == pytest.approx(information)
        assert column["labels_after"] == released[column["name"]].nunique()
        line = f'<th scope="row"><bdi>{column["name"]}</bdi></th><td class="number"><bdi>'
        assert f"{line}{percent(unchanged)}</bdi>" in page
        assert f"<bdi>{percent(information)}</bdi>" in page
        labels = f"<bdi>{column['labels_before']} → {column['labels_after']}</bdi>"
        assert labels in page
        assert f'<span class="after" style="width:{100 * unchanged:.1f}%">' in page
    assert told["rows_unchanged"] == rows[0]
    assert 1 - told["nmil"] == pytest.approx(rows[1])
    assert page.index('id="columns"') < page.index('id="figures"')
    assert page.index("</header>") < page.index("What happened to each column</h2>")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_twelve_columns_with_long_names_fit_into_80_cells(summary, encoding):
    names = ["a", "marital-status", "x" * 200, "a name with many words in it " * 4, "列" * 60]
    names += [f"column number {number}, and what it holds" for number in range(7)]
    columns = [
        KeptColumn(name, 0.123 * number % 1, 0.9, 10**number, 10**number * 3)
        for number, name in enumerate(names)
    ]
    wide = replace(summary.certificate, columns=tuple(columns), public=tuple(names))
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    shown = names if encoding == "utf-8" else [name for name in names if name.isascii()]
    wide = replace(wide, columns=tuple(c for c in columns if c.name in shown))
    console = Console(file=out, width=80)
    print_release(replace(summary, certificate=wide, explanation=None), console, "t.csv")
    out.flush()
    text = out.buffer.getvalue().decode(encoding)
    [*_, lines] = text.split("What happened to each column")
    lines = lines[: lines.index("Safe:")].rstrip().splitlines()[1:]
    assert len(lines) > len(shown)
    assert {console.measure(line).maximum for line in lines} <= set(range(81))
    for column in wide.columns:  # no figure is cut
        figures = (percent(column.unchanged), f"{column.labels_after:,}")
        assert all(any(figure in line for line in lines) for figure in figures)


def test_a_release_has_them_in_python():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.integers(0, 9, 900), "b": list("xyz") * 300})
    table["s"] = rng.random(900) < 0.2 + 0.05 * table["a"]
    release = loglift.protect(table, sensitive="s", public=["a", "b"], eps=0.3)
    assert release.columns == release.certificate.columns
    assert [column.name for column in release.columns] == ["a", "b"]
    assert 0 < release.columns[0].unchanged < 1
