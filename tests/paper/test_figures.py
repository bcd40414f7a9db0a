"""The paper's figures as files and as a page: what their axes say, and on a phone."""

from __future__ import annotations

import re

import pytest

from loglift.paper.figures import charts, write_figures
from loglift.paper.printed import read_data
from loglift.paper.reproduction import reproduce
from report.browsing import MISPLACED, SIZES, Opened


@pytest.fixture(scope="module")
def result():
    return reproduce(draws=20, seed=0)


@pytest.fixture(scope="module")
def written(result, tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    return {path.name: path for path in write_figures(result, folder)}


@pytest.mark.parametrize("name", ["privacy", "nmil"])
def test_the_axis_of_eps_has_every_eps_unrounded(written, name):
    texts = re.findall(r">([\d.]+)</text>", written[f"{name}.svg"].read_text("utf-8"))
    assert texts[: len(read_data("figures")["eps"])] == [
        f"{e:g}" for e in read_data("figures")["eps"]
    ]


def test_figures_are_written_in_every_form(written):
    assert set(written) == {
        *(f"{name}.{ending}" for name in ("privacy", "nmil", "put") for ending in ("png", "svg")),
        "figures.html",
    }
    for name in ("privacy", "nmil", "put"):
        assert written[f"{name}.png"].read_bytes().startswith(b"\x89PNG")
        assert "<svg" in written[f"{name}.svg"].read_text("utf-8")
    svg = written["put.svg"].read_text("utf-8")
    for eps in ("0.25", "0.5", "0.75", "1", "1.25", "1.5", "1.75", "2", "2.25", "2.5"):
        assert svg.count(f">ε = {eps}<") == 2
    page = written["figures.html"].read_text("utf-8")
    assert "<script src" not in page
    assert "<link" not in page


def test_error_bars_are_one_standard_deviation(result):
    row = charts(result)["nmil"]["data"]["values"][0]
    mean, std = (
        result.series("NMIL", "greedy", statistic)[0].ours for statistic in ("mean", "std")
    )
    assert (row["low"], row["high"]) == (mean - std, mean + std)


@pytest.mark.parametrize("size", list(SIZES))
def test_the_page_fits_its_window(running, written, size):
    opened = Opened(running, written["figures.html"], size)
    opened.page.wait_for_function("document.querySelectorAll('.chart svg.marks').length == 3")
    opened.keep_screenshot()
    assert opened.page.evaluate(MISPLACED) == []
    drawn = opened.page.locator(".chart svg.marks").all()
    widths = [chart.bounding_box()["width"] for chart in drawn]
    room = opened.page.evaluate("document.querySelector('main').clientWidth")
    assert all(0.8 * room <= width <= room for width in widths)
    assert opened.violations() == []
    assert opened.said == []
    assert opened.asked == [opened.address]
    opened.page.close()
