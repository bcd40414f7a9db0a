"""The reproduction on a terminal: every number of the paper beside ours, and an honest verdict."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from loglift.paper.reproduction import reproduce
from loglift.paper.tables import print_reproduction


@pytest.fixture(scope="module")
def result():
    return reproduce(draws=30, seed=0, methods=("greedy", "complete", "search"), other_draws=2)


def printed(result):
    out = io.StringIO()
    print_reproduction(result, Console(file=out, width=300))
    return out.getvalue()


def test_every_point_and_its_paper_value_are_printed(result):
    text = printed(result)
    assert len(result.points) == 100
    for point in result.points:
        assert f"{point.paper:.4f}" in text
        assert f"{point.ours:.4f}" in text
    for title in ("Example 1", "Table 1", "Privacy: ", "NMIL: ", "PUT: "):
        assert title in text
    assert "* PUT, Algorithm 1, eps 0.25: the paper contradicts itself" in text


def test_the_verdict_counts_the_points_that_agree(result):
    judged = [point for point in result.points if not point.note]
    agreeing = sum(point.agrees for point in judged)
    last = printed(result).strip().splitlines()[-1]
    assert last.startswith(f"{agreeing} of {len(judged)} points within 3 standard errors")
    assert "Example 1 and Table 1 agree to 4 decimals" in last
    assert "30 joints, seed 0" in last


def test_a_difference_is_not_passed_over(result):
    wrong = {name: value + 0.01 for name, value in result.table1.ours.items()}
    text = printed(replace(result, table1=replace(result.table1, ours=wrong)))
    assert "Example 1 and Table 1 do NOT agree" in text
    assert text.count("differs") >= len(wrong)


def test_loglifts_own_methods_have_a_table_where_they_ran(result):
    text = " ".join(printed(result).split())
    assert "loglift's own methods: means of the first 2 joints" in text
    assert "own methods" not in printed(replace(result, others=()))
