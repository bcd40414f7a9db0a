"""Lines of other notions: every figure, which direction is good, and the same on every surface."""

from __future__ import annotations

import io
import json
import re
from dataclasses import fields, replace
from html import unescape

import pytest
from rich.console import Console

from loglift.mechanism.notions import Notions
from loglift.report.document import document
from loglift.report.notions import LARGE, SMALL, by_direction, notion_lines
from loglift.report.page import render
from loglift.report.summary import Summary
from loglift.report.terminal import print_release
from loglift.report.terminal_audit import print_audit

FIGURES = Notions(
    k=1234,
    distinct_l=2,
    entropy_l=1.5,
    t=0.25,
    t_ordered=0.125,
    beta=0.75,
    delta=float("inf"),
    l1_lift=0.5,
    chi_squared_lift=0.625,
    average_log_lift=0.375,
    maximal_leakage=0.1875,
    information=0.0625,
)


def printed(show, summary, width=80):
    out = io.StringIO()
    show(summary, Console(file=out, width=width), "people.csv")
    return out.getvalue()


def test_every_figure_has_a_line_and_a_direction():
    lines = notion_lines(FIGURES)
    assert len(lines) == len(fields(Notions))
    assert len({line.name for line in lines}) == len({line.short for line in lines}) == len(lines)
    found = {line.short: (line.before, line.good) for line in lines}
    assert found["k"] == ("1,234", LARGE)
    assert found["entropy l"] == ("1.500", LARGE)
    assert found["delta"] == ("inf", SMALL)
    assert found["mutual information (average)"] == ("0.062", SMALL)
    assert {line.after for line in lines} == {""}


def test_the_ordered_distance_is_left_out_where_there_is_no_order():
    [left_out] = {line.short for line in notion_lines(FIGURES)} - {
        line.short for line in notion_lines(replace(FIGURES, t_ordered=None))
    }
    assert left_out == "ordered t"


def test_the_k_of_random_draws_is_random():
    first, *_ = notion_lines(FIGURES, replace(FIGURES, k=None))
    assert (first.short, first.before, first.after) == ("k", "1,234", "random")


def test_figures_are_grouped_by_their_direction():
    assert by_direction(notion_lines(FIGURES)) == {
        "large is good": "k 1,234, distinct l 2, entropy l 1.500",
        "small is good": "t 0.250, ordered t 0.125, beta 0.750, delta inf, l1-lift 0.500, "
        "chi-squared-lift 0.625, average log-lift 0.375, maximal leakage (average) 0.188, "
        "mutual information (average) 0.062",
    }


def test_an_audit_shows_them_on_every_surface(summary):
    audit = Summary.of_audit(summary.audit)
    lines = notion_lines(summary.audit.notions)
    text = re.sub(r"\s+", " ", printed(print_audit, audit))
    page = unescape(render(audit))
    told = json.loads(json.dumps(document(audit), allow_nan=False))["notions"]
    assert set(told) == {field.name for field in fields(Notions)}
    assert told["k"] == summary.before.fewest_records
    for good, figures in by_direction(lines).items():
        assert f"{good} {figures}" in text
    for line in lines:
        cells = rf"<bdi>{re.escape(line.name)}</bdi></th>.*?<bdi>{re.escape(line.before)}</bdi>"
        assert re.search(cells, page), line.name


def test_a_release_shows_them_before_and_after(summary):
    lines = notion_lines(summary.audit.notions, summary.notions)
    text, page = printed(print_release, summary), unescape(render(summary))
    told = json.loads(json.dumps(document(summary), allow_nan=False))
    assert told["notions_before"]["k"] == summary.before.fewest_records
    assert told["notions"]["k"] == summary.after.fewest_records
    assert told["notions"]["delta"] == pytest.approx(summary.after.leakage)
    for line in lines:
        row = [line.name, line.before, line.after, line.good]
        assert row in [[cell.strip() for cell in of.split("│")[1:-1]] for of in text.splitlines()]
        assert "".join(f"<bdi>{cell}</bdi>" for cell in row) in re.sub(r"</?t[dh].*?>", "", page)


def test_a_page_of_a_mechanism_alone_says_nothing_of_them(summary):
    assert "t-closeness" not in render(Summary.of_mechanism(summary.mechanism))
