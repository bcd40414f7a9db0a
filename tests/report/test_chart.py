"""Charts are drawn offline, as SVG, PNG, and by a page itself."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from loglift.report import chart

SPEC = {
    "data": {"values": [{"x": x, "y": x * x} for x in range(3)]},
    "mark": "point",
    "encoding": {
        "x": {"field": "x", "type": "quantitative"},
        "y": {"field": "y", "type": "quantitative"},
    },
}


def test_a_chart_is_one_svg_element():
    root = ET.fromstring(chart.svg(SPEC))  # noqa: S314, drawn by us
    assert root.tag.endswith("svg")
    points = [e for e in root.iter() if e.get("aria-roledescription") == "point"]
    assert len(points) == 3


def test_files_are_png_and_svg_on_white():
    files = chart.files({"a": SPEC, "b": SPEC})
    assert set(files) == {"a.png", "a.svg", "b.png", "b.svg"}
    assert files["a.png"].startswith(b"\x89PNG")
    assert b'fill="white"' in files["a.svg"]


def test_the_library_sets_one_name_and_asks_for_nothing():
    text = chart.library()
    assert "vegaEmbed" in text
    assert "</script" not in text
    assert 'src="http' not in text
