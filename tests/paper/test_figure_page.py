"""Charts on a page: without a title of their own, as wide as the page, drawn offline."""

from __future__ import annotations

import json
import re

import pytest

from loglift.paper.experiment import draw_joints
from loglift.paper.figure_page import page
from loglift.paper.study import curves, told_apart
from report.browsing import MISPLACED, SIZES, Opened


def test_a_page_has_captions_and_charts_without_titles():
    spec = {"title": "A <b>caption", "width": 10, "mark": "point"}
    text = page("Title", "what was drawn", {"one": spec})
    assert "<figcaption>A &lt;b&gt;caption</figcaption>" in text
    assert 'id="one"' in text
    assert "what was drawn" in text
    [drawn] = re.findall(r"Object\.entries\((\{.*\})\)\)", text)
    shown = json.loads(drawn)["one"]
    assert "title" not in shown
    assert shown["width"] == "container"
    assert spec["width"] == 10


@pytest.mark.parametrize("size", list(SIZES))
def test_charts_of_curves_fit_their_window(running, tmp_path, size):
    names = [f"Algorithm 1, K = {k}" for k in range(6)]
    heights = draw_joints(1, 0, len(names), 4)[0]
    rows = [
        {"name": name, "x": x, "y": y, "tip": None}
        for name, of in zip(names, heights.tolist(), strict=True)
        for x, y in enumerate(of)
    ]
    x, y = ({"field": f, "type": "quantitative", "title": "NMIL, mean"} for f in "xy")
    layers = curves(x, y, told_apart("name", names), ("name", "x", "tip"))
    spec = {"title": "Information lost", "height": 320, "data": {"values": rows}, "layer": layers}
    file = tmp_path / "figures.html"
    file.write_text(page("A study", "random joints", {"one": spec, "two": spec}), "utf-8")
    opened = Opened(running, file, size)
    opened.page.wait_for_function("document.querySelectorAll('.chart svg.marks').length == 2")
    assert opened.page.evaluate(MISPLACED) == []
    assert opened.violations() == []
    assert opened.said == []
    assert opened.asked == [opened.address]
    opened.page.close()
