"""Charts on a page: without a title of their own, as wide as the page, drawn offline."""

from __future__ import annotations

import json
import re

from loglift.paper.figure_page import page


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
