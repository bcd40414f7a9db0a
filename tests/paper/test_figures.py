"""The paper's figures as files and as a page: what their axes say, and on a phone."""

from __future__ import annotations

import re

import pytest

from loglift.paper.figures import write_figures
from loglift.paper.reproduction import read_data, reproduce
from report.browsing import MISPLACED, SIZES, Opened, browser, need_browser


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


@pytest.fixture(scope="module")
def running():
    need_browser()
    with browser() as found:
        yield found


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
