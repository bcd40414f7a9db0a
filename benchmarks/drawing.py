"""The charts of a benchmark's results, as Vega-Lite and as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_COLOURS = ("#9a9a9a", "#1f4fd8", "#8fb3ff", "#d8c08a")  # theirs, ours, ours otherwise, a baseline
_WIDTH, _HEIGHT = 520, 300
_PADDING = 45  # pixels; a browser's letters may be wider than those of the drawing program


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite specification, the name of its file and its title."""

    name: str
    title: str
    specification: dict[str, Any]


def charts(document: dict[str, Any]) -> list[Chart]:
    """Return the charts of one script's results: its bars, then its curves."""
    found = [Chart(bars["name"], bars["title"], _bars(bars)) for bars in document["bars"]]
    for curve in document["curves"]:
        for unit, word in (("seconds", "Seconds"), ("gigabytes", "Peak memory in GB")):
            points = [point for point in curve["points"] if unit in point]
            if points:
                title = f"{word} by {curve['x_title']}"
                name = f"{curve['name']}-{unit}"
                found.append(Chart(name, title, _curve(points, unit, word, curve["x_title"])))
    return found


def svg(chart: Chart) -> str:
    """Return the drawing."""
    import vl_convert  # noqa: PLC0415, loads only when charts are drawn

    around: dict[str, Any] = {"$schema": _SCHEMA, "background": "white", "padding": _PADDING}
    complete = around | {"title": chart.title}
    return str(vl_convert.vegalite_to_svg(complete | chart.specification))


def _bars(bars: dict[str, Any]) -> dict[str, Any]:
    sides = list(dict.fromkeys(row["side"] for row in bars["rows"]))
    colours = {"domain": sides, "range": list(_COLOURS[: len(sides)])}
    scale = {"type": "log"} if bars["log"] else {}
    x: dict[str, Any] = {"field": "value", "type": "quantitative", "title": None, "scale": scale}
    if bars["log"]:  # a logarithmic axis has no zero where bars could start: draw dots
        mark: dict[str, Any] = {"type": "point", "filled": True, "size": 90}
        place: dict[str, Any] = {}
    else:
        mark, place = {"type": "bar"}, {"yOffset": {"field": "side", "sort": sides}}
    axis = {"labelLimit": 400}
    rows = {"field": "group", "type": "nominal", "title": None, "sort": None, "axis": axis}
    colour = {"field": "side", "type": "nominal", "title": None, "scale": colours}
    return {
        "width": _WIDTH,
        "height": {"step": 24 if bars["log"] else 14},
        "data": {"values": list(bars["rows"])},
        "mark": mark,
        "encoding": {"x": x, "y": rows, "color": colour, **place},
    }


def _curve(points: list[dict[str, Any]], unit: str, word: str, x_title: str) -> dict[str, Any]:
    def axis(field: str, title: str) -> dict[str, Any]:
        scale = {"type": "log"}
        return {"field": field, "type": "quantitative", "title": title, "scale": scale}

    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "data": {"values": points},
        "mark": {"type": "line", "point": True, "color": _COLOURS[1]},
        "encoding": {"x": axis("x", x_title), "y": axis(unit, word)},
    }
