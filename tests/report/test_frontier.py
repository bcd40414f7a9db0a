"""A frontier on a page, in files and on a terminal: the same figures everywhere."""

from __future__ import annotations

import io
import json
import re
from html import unescape

import numpy as np
import pytest
from rich.console import Console

import loglift
from loglift.release.frontier import least_eps
from loglift.report.frontier import (
    frontier_document,
    frontier_files,
    frontier_page,
    least_statement,
    print_frontier,
    print_least,
)
from loglift.report.words import percent, percent_up


@pytest.fixture(scope="module")
def joint():
    return np.random.default_rng(0).integers(1, 40, (12, 3))


@pytest.fixture(scope="module")
def found(joint):
    return loglift.frontier(joint, [0.1, 0.3, 1], ["search", "greedy"])


@pytest.fixture(scope="module")
def least(joint):
    return least_eps(joint, 0.8)


def rows_of(page):
    body = page[page.index("<tbody>") :]
    return [re.findall(r"<bdi>(.*?)</bdi>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)]


def test_the_page_has_every_point_and_says_the_least_eps(found, least):
    page = unescape(frontier_page(found, "people.csv", least))
    assert rows_of(page) == [
        [
            p.method,
            f"{p.eps:g}",
            percent(p.kept),
            percent_up(p.at_most),
            f"{p.leakage:.3f}",
            f"{p.values:,}",
        ]
        for p in found.points
    ]
    assert str(least_statement(least)) in re.sub("</?strong>", "", page)
    assert page.count("<svg") == 2 + 3  # two widths and the key
    assert "the least eps that keeps enough" in page
    assert page.count("<script") == page.count("</script") == 2


def test_without_a_share_no_point_is_marked(found):
    page = frontier_page(found, "people.csv")
    assert "verdict" not in page[page.index("<header>") : page.index("</header>")]
    assert "the least eps that keeps enough" not in page


def test_files_show_every_method(found):
    files = frontier_files(found, "people.csv")
    assert set(files) == {"frontier.png", "frontier.svg"}
    svg = files["frontier.svg"].decode()
    for text in ("people.csv: information kept against eps", "search", "greedy", "eps (nats)"):
        assert f">{text}</text>" in svg


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_terminal_draws_bars_in_its_own_characters(found, encoding):
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    print_frontier(found, Console(file=out, width=120), "people.csv")
    out.flush()
    text = out.buffer.getvalue().decode(encoding)
    assert ("█" in text) == (encoding == "utf-8")
    assert ("#" in text) == (encoding == "ascii")
    for point in found.points:
        assert percent(point.kept) in text


def test_one_method_has_its_figures_beside_its_bars(joint, least):
    found = loglift.frontier(joint, [0.1, 0.3])
    out = io.StringIO()
    print_frontier(found, Console(file=out, width=120), "people.csv")
    print_least(least, Console(file=out, width=200))
    for text in ("at most", "leakage (nats)", "At most: no ", percent_up(found.points[0].at_most)):
        assert text in out.getvalue()
    assert str(least_statement(least)) in out.getvalue()


def test_the_json_form_has_the_points_the_least_eps_and_its_sentence(found, least):
    told = json.loads(json.dumps(frontier_document(found, least), allow_nan=False))
    assert [point["kept"] for point in told["points"]] == [point.kept for point in found.points]
    assert told["least_eps"]["eps"] == least.eps
    assert told["statements"] == [vars(least_statement(least))]
    assert set(frontier_document(None, least)) == {"least_eps", "statements"}
    assert "statements" not in frontier_document(found)
