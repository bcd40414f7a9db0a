"""Sheets of what readers can do."""

from __future__ import annotations

from dataclasses import replace

from loglift.report.sheets.evaluation import sheets_of


def test_columns_are_shares_of_the_evaluation(evaluated):
    [sheet, *_] = sheets_of(evaluated, pairs=5)
    town, age = sheet.rows
    assert town[0] == "town"
    assert town[1] == f"{100 * evaluated.columns[0].unchanged.released:.1f} %"
    assert town[4:] == ("", "", "")
    assert age[4] == f"{evaluated.columns[1].mean.original:.4g}"
    assert age[6] == f"{evaluated.columns[1].mean_shift.released:+.3f}"


def test_many_pairs_are_cut_and_counted(evaluated):
    many = replace(evaluated, pairs=evaluated.pairs * 40)
    short = sheets_of(many, pairs=10)[1]
    assert len(short.rows) == 10
    assert short.notes == ("30 more pairs are in --json.",)
    distances = [pair.distance.released for pair in evaluated.pairs]
    assert short.rows[0][1] == f"{distances[0]:.3f}"
