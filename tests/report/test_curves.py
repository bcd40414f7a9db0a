"""The chart of the information kept: its points, its axes, its texts, in both widths."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from loglift.display import chart
from loglift.report.curves import FILE_COLOURS, MARKS, WIDTHS, Curves, Line

LINES = (
    Line("search", ((0.1, 0.84), (0.3, 0.888), (1, 0.992))),
    Line("greedy", ((0.1, 0.835), (0.3, 0.883), (1, 0.992))),
)
CURVES = Curves(
    "eps (nats)",
    LINES,
    chosen=(0.42, 0.908),
    at_most=0.95,
    proven="no merging can keep more than 95.0 %",
    description="kept against eps",
)


@pytest.fixture(scope="module")
def drawn():
    return {size: ET.fromstring(svg) for size, svg in CURVES.drawn().items()}  # noqa: S314


@pytest.mark.parametrize("size", list(WIDTHS))
def test_every_point_is_told(drawn, size):
    root = drawn[size]
    assert float(root.get("width")) == WIDTHS[size]
    said = [e.get("aria-label") for e in root.iter() if e.get("role") == "graphics-symbol"]
    assert "search, 0.3: 88.8 % kept" in said
    assert "greedy, 0.1: 83.5 % kept" in said
    assert "this release: 90.8 % kept" in said
    assert "no merging can keep more than 95.0 %" in said
    texts = [e.text for e in root.iter() if e.tag.endswith("text")]
    assert {"information kept", "eps (nats)", "90.8 %", "80 %", "100 %", "0", "1"} <= set(texts)


def test_colours_follow_the_page_and_lines_differ_by_more_than_colour():
    svg = CURVES.drawn()["wide"]
    curves = re.findall(r'<path d="M[^"]*L[^"]*L[^>]*>', svg)
    assert len(curves) == len(LINES)
    assert 'stroke="var(--soft)"' in curves[0]
    assert 'stroke-dasharray="6,4"' in curves[0]
    assert 'stroke="var(--accent)"' in curves[1]
    assert all('stroke-width="2"' in curve for curve in curves)
    looks = [(mark.kind, mark.dash, mark.width) for mark in MARKS]
    assert len(set(looks)) == len(looks)
    assert not re.search(r"#[0-9a-f]{6}", svg)


def test_the_key_names_every_mark():
    assert [(mark.kind, name) for mark, name in CURVES.key] == [
        ("circle", "search"),
        ("square", "greedy"),
        ("chosen", "this release"),
        ("most", "no merging can keep more than 95.0 %"),
    ]
    assert len(Curves("eps", LINES).key) == 2


def test_axes_hold_every_point_and_begin_at_a_tenth():
    spec = Curves("eps", LINES, chosen=(2.0, 0.31)).page_spec("wide")
    assert spec["encoding"]["x"]["scale"]["domain"] == [0, 2.0]
    assert spec["encoding"]["y"]["scale"]["domain"] == [0.3, 1]
    zero = Curves("eps", (Line("search", ((0.0, 1.0),)),)).page_spec("narrow")
    assert zero["encoding"]["x"]["scale"]["domain"] == [0, 1.0]
    assert zero["encoding"]["y"]["scale"]["domain"] == [0.9, 1]


def test_a_label_stays_inside_the_chart():
    def align(x):
        layers = Curves("eps", LINES, chosen=(x, 0.9)).page_spec("wide")["layer"]
        [label] = [layer["mark"] for layer in layers if layer["mark"]["type"] == "text"]
        return label["align"]

    assert (align(0.2), align(0.95)) == ("left", "right")


def test_a_file_has_a_title_a_legend_and_colours_of_its_own():
    svg = chart.svg(CURVES.file_spec("people: information kept"))
    assert "var(--" not in svg
    for text in ("people: information kept", "search", "greedy"):
        assert f">{text}</text>" in svg
    for colour in FILE_COLOURS[:2]:
        assert colour in svg
