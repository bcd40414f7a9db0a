"""Charts are drawn offline, as SVG, PNG, and by a page itself."""

from __future__ import annotations

import base64
import json
from xml.etree import ElementTree as ET

import pytest

from loglift import InputError
from loglift.display import chart

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


def test_a_notebook_gets_the_specification_and_an_image():
    bundle = chart.Chart({"title": {"text": "squares"}, **SPEC})._repr_mimebundle_()
    spec = bundle["application/vnd.vegalite.v5+json"]
    assert spec["data"] == SPEC["data"]
    assert spec["$schema"].endswith("/vega-lite/v5.json")
    assert json.loads(json.dumps(spec)) == spec
    assert ET.fromstring(bundle["image/svg+xml"]).tag.endswith("svg")  # noqa: S314, drawn by us
    assert bundle["text/plain"] == "Chart('squares')"


def test_a_notebook_gets_what_it_asks_for():
    shown = chart.Chart(SPEC)
    assert set(shown._repr_mimebundle_(include={"image/svg+xml"})) == {"image/svg+xml"}
    image = shown._repr_mimebundle_(include={"image/png"})["image/png"]
    assert base64.b64decode(image).startswith(b"\x89PNG")
    assert "image/svg+xml" not in shown._repr_mimebundle_(exclude={"image/svg+xml"})


def test_a_chart_is_written_by_its_ending(tmp_path):
    shown = chart.Chart(SPEC)
    for name in ("a.svg", "a.png", "a.json"):
        shown.save(tmp_path / name)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert 'fill="white"' in (tmp_path / "a.svg").read_text()
    assert json.loads((tmp_path / "a.json").read_text())["mark"] == "point"
    with pytest.raises(InputError, match=r"not as 'a\.gif'"):
        shown.save(tmp_path / "a.gif")
