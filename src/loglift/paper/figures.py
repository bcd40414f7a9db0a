"""The paper's three figures as Vega-Lite charts: Privacy, NMIL and PUT.

In the paper's form: blue circles for Algorithm 1, red squares for complete merging, bars of one
standard deviation, eps labels on the trade-off curve. Small crosses mark the paper's own values;
loglift's own methods, where they were run, add curves.
"""

from __future__ import annotations

import json
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any, TypeAlias

from loglift.paper.others import Other
from loglift.paper.reproduction import Figure, Point, Reproduction

Chart: TypeAlias = dict[str, Any]

FIGURES = frozenset(
    {f"{name}.{form}" for name in ("privacy", "nmil", "put") for form in ("png", "svg")}
    | {"figures.html"}
)
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_LEGEND = {
    "greedy": "Algorithm 1",
    "complete": "Complete merging",
    "search": "Search",
    "exact": "Best merging",
    "randomized": "Randomized",
}
_LIBRARY = "window.vegaEmbed = vegaEmbed;"  # all that a page needs of the bundle
_LEGEND_BELOW = {"orient": "bottom", "columns": 2, "title": None}
_COLOURS = ("#1f4fd8", "#c8102e", "#2a8c4a", "#7a3fb5", "#d98200")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down")
_CURVE = {"type": "line", "strokeWidth": 1.6}
_MARK = {"type": "point", "size": 60, "filled": False, "strokeWidth": 1.6}
_PAPER_MARK = {"type": "point", "shape": "cross", "size": 18, "filled": True, "opacity": 0.55}
_LABEL = "width < 400 ? replace(datum.label, 'ε = ', '') : datum.label"  # the room of a phone
_LABEL_SHIFT = "datum.eps == 0.25 ? 5 : -5"  # complete merging at 0.25 and 0.5 all but coincide
_TITLE: dict[Figure, str] = {
    "Privacy": "Privacy: leakage of the high-risk set, mean and standard deviation",
    "NMIL": "NMIL: normalised utility loss, mean and standard deviation",
    "PUT": "PUT: privacy-utility trade-off, means; labels: ε",
}
_HIGH_RISK = "max ω(y) over the high-risk set (nats)"
_OVERALL = "max ω(y) over all released values (nats)"


def charts(result: Reproduction) -> dict[str, Chart]:
    """Return the charts by file name."""
    return {
        "privacy": _error_bar_chart(result, "Privacy", _HIGH_RISK),
        "nmil": _error_bar_chart(result, "NMIL", "NMIL = 1 − I(X;Y)/H(X)"),
        "put": _trade_off_chart(result),
    }


def write_figures(result: Reproduction, directory: Path) -> list[Path]:
    """Write each figure as PNG and SVG, and all of them as one self-contained HTML page."""
    import vl_convert  # noqa: PLC0415, loads only when figures are written

    written = []
    for name, chart in charts(result).items():
        complete = {"$schema": _SCHEMA, "background": "white", **chart}
        png, svg = directory / f"{name}.png", directory / f"{name}.svg"
        png.write_bytes(vl_convert.vegalite_to_png(complete, scale=2))
        svg.write_text(vl_convert.vegalite_to_svg(complete), encoding="utf-8")
        written += [png, svg]
    page = directory / "figures.html"
    page.write_text(_page(result, vl_convert.javascript_bundle(_LIBRARY)), encoding="utf-8")
    return [*written, page]


def _page(result: Reproduction, library: str) -> str:
    """Return one page with the figures, each as wide as the window; `library` draws them."""
    subtitle = f"{result.draws} random joints, seed {result.seed}; crosses: the paper"
    if result.others:
        subtitle += f"; loglift's own methods: the first {result.other_draws} joints"
    shown = {name: _as_wide_as_its_place(chart) for name, chart in charts(result).items()}
    figures = (
        f"<figure><figcaption>{escape(chart['title'])}</figcaption>"
        f'<div class="chart" id="{name}"></div></figure>'
        for name, chart in charts(result).items()
    )
    template = resources.files("loglift.paper").joinpath("figures.html").read_text("utf-8")
    return Template(template).substitute(
        title="Enhancing Utility in the Watchdog Privacy Mechanism, reproduced",
        subtitle=escape(subtitle),
        figures="\n".join(figures),
        library=library,
        charts=json.dumps(shown),
    )


def _as_wide_as_its_place(chart: Chart) -> Chart:
    """Return a chart for a page: titled by the page, its legend below, where a phone has room."""
    page = {"$schema": _SCHEMA, "width": "container", "config": {"legend": _LEGEND_BELOW}}
    return {name: part for name, part in chart.items() if name != "title"} | page


def _error_bar_chart(result: Reproduction, figure: Figure, title: str) -> Chart:
    # a format would round 1.25 to 1.3, by the digits that the steps of other axes need
    ticks = {
        "values": sorted({point.eps for point in result.points}),
        "labelExpr": "datum.value",
    }
    x = {"field": "eps", "type": "quantitative", "title": "ε (nats)", "axis": ticks}
    y = {"field": "ours", "type": "quantitative", "title": title}
    bar = {"y": {"field": "low", "type": "quantitative", "title": title}, "y2": {"field": "high"}}
    shape = _told_apart(result, _SHAPES)
    return {
        **_frame(result, figure),
        "encoding": {"x": x, "color": _told_apart(result, _COLOURS)},
        "layer": [
            {"mark": {"type": "errorbar", "ticks": {"size": 8}}, "encoding": bar},
            {"mark": _CURVE, "encoding": {"y": y}},
            {"mark": _MARK, "encoding": {"y": y, "shape": shape, "tooltip": _tooltip()}},
            {"mark": _PAPER_MARK, "encoding": {"y": {**y, "field": "paper"}}},
        ],
    }


def _trade_off_chart(result: Reproduction) -> Chart:
    least = -0.05 if result.others else 0.05
    scale = {"domain": [least, 1.1]}
    ticks = {"values": [tenths / 10 for tenths in range(0, 12, 2)]}
    x = {"field": "nmil", "type": "quantitative", "title": "NMIL", "scale": scale, "axis": ticks}
    shape = _told_apart(result, _SHAPES)
    y = {
        "field": "ours",
        "type": "quantitative",
        "title": _OVERALL,
        "scale": {"domain": [-0.1, 2.6]},
    }
    label = {
        "type": "text",
        "text": {"expr": _LABEL},
        "align": "left",
        "dx": 8,
        "dy": {"expr": _LABEL_SHIFT},
        "fontSize": 9,
    }
    paper = {"x": {**x, "field": "paper_nmil"}, "y": {**y, "field": "paper"}}
    curve = {"x": x, "y": y, "order": {"field": "eps"}}
    return {
        **_frame(result, "PUT"),
        "encoding": {"color": _told_apart(result, _COLOURS)},
        "layer": [
            {"mark": _CURVE, "encoding": curve},
            {"mark": _MARK, "encoding": {"x": x, "y": y, "shape": shape, "tooltip": _tooltip()}},
            {"mark": label, "encoding": {"x": x, "y": y}},
            {"mark": _PAPER_MARK, "encoding": paper},
        ],
    }


def _told_apart(result: Reproduction, marks: tuple[str, ...]) -> Chart:
    """Return how the methods that were run are told apart, always by the same marks."""
    run = {point.method for point in result.every}
    shown = {name: mark for (m, name), mark in zip(_LEGEND.items(), marks, strict=True) if m in run}
    return {
        "field": "method",
        "type": "nominal",
        "title": None,
        "sort": list(shown),
        "scale": {"domain": list(shown), "range": list(shown.values())},
    }


def _frame(result: Reproduction, figure: Figure) -> Chart:
    rows = [
        _row(result, point) for method in _LEGEND for point in result.series(figure, method, "mean")
    ]
    return {"title": _TITLE[figure], "width": 520, "height": 360, "data": {"values": rows}}


def _row(result: Reproduction, mean: Point | Other) -> dict[str, Any]:
    row = {
        "method": _LEGEND[mean.method],
        "eps": mean.eps,
        "label": "" if mean.paper is None else f"ε = {mean.eps:g}",  # those of all would overlap
        "ours": mean.ours,
        "paper": mean.paper,
    }
    std = _same_eps(result, "Privacy" if mean.figure == "Privacy" else "NMIL", mean, "std")
    nmil = _same_eps(result, "NMIL", mean, "mean")
    spread = {"low": mean.ours - std.ours, "high": mean.ours + std.ours}
    return row | spread | {"nmil": nmil.ours, "paper_nmil": nmil.paper}


def _same_eps(
    result: Reproduction, figure: Figure, point: Point | Other, statistic: str
) -> Point | Other:
    curve = result.series(figure, point.method, statistic)
    return next(other for other in curve if other.eps == point.eps)


def _tooltip() -> list[dict[str, str]]:
    return [
        {"field": "method", "title": "method"},
        {"field": "eps", "title": "ε"},
        {"field": "ours", "title": "reproduced", "format": ".4f"},
        {"field": "paper", "title": "paper", "format": ".4f"},
    ]
