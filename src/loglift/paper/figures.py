"""The paper's three figures as Vega-Lite charts: Privacy, NMIL and PUT.

They look as in the paper: blue circles for Algorithm 1, red squares for complete merging, bars of
one standard deviation, eps labels on the trade-off curve. Small crosses mark the paper's own
values. Methods of loglift that were run have curves of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from loglift.display import chart
from loglift.display.chart import SHAPES, Spec
from loglift.paper import figure_page
from loglift.paper.other_methods import OtherPoint
from loglift.paper.reproduction import Figure, Point, Reproduction

FIGURES = frozenset(
    {f"{name}.{form}" for name in ("privacy", "nmil", "put") for form in ("png", "svg")}
    | {"figures.html"}
)
_LEGEND = {
    "greedy": "Algorithm 1",
    "complete": "Complete merging",
    "search": "Search",
    "exact": "Best merging",
    "response": "Subset random response",
    "randomized": "Randomized",
}
_COLOURS = ("#1f4fd8", "#c8102e", "#2a8c4a", "#7a3fb5", "#d98200", "#00808a")
_CURVE = {"type": "line", "strokeWidth": 1.6}
_MARK = {"type": "point", "size": 60, "filled": False, "strokeWidth": 1.6}
_PAPER_MARK = {"type": "point", "shape": "cross", "size": 18, "filled": True, "opacity": 0.55}
_LABEL = (
    "width < 400 ? replace(datum.label, 'ε = ', '') : datum.label"  # a phone has no room for more
)
_LABEL_SHIFT = "datum.eps == 0.25 ? 5 : -5"  # complete merging at 0.25 and 0.5 nearly coincide
_TOOLTIP = [
    {"field": "method", "title": "method"},
    {"field": "eps", "title": "ε"},
    {"field": "ours", "title": "reproduced", "format": ".4f"},
    {"field": "paper", "title": "paper", "format": ".4f"},
]
_TITLE: dict[Figure, str] = {
    "Privacy": "Privacy: leakage of the high-risk set, mean and standard deviation",
    "NMIL": "NMIL: normalised utility loss, mean and standard deviation",
    "PUT": "PUT: privacy-utility trade-off, means; labels: ε",
}
_HIGH_RISK = "max ω(y) over the high-risk set (nats)"
_OVERALL = "max ω(y) over all released values (nats)"


@dataclass(frozen=True)
class Curve:
    """A curve of one's own, by the name of the chart: points of eps, mean, deviation and NMIL."""

    name: str
    points: dict[str, tuple[CurvePoint, ...]]


class CurvePoint(NamedTuple):
    """A point of a curve: `value` is the mean of what the chart shows, `nmil` that of NMIL."""

    eps: float
    value: float
    std: float
    nmil: float


def charts(result: Reproduction, own: Sequence[Curve] = ()) -> dict[str, Spec]:
    """Return the charts by file name, with curves of one's own.

    Parameters
    ----------
    result
        What `reproduce` returns.
    own
        Curves to add; `figure(name).with_curve(...)` makes them.

    Returns
    -------
    dict
        A Vega-Lite specification for each figure, by file name.

    Examples
    --------
    >>> from loglift import paper
    >>> sorted(paper.charts(paper.reproduce(draws=10)))
    ['nmil', 'privacy', 'put']
    """
    return {
        "privacy": _error_bar_chart(result, "Privacy", _HIGH_RISK, own),
        "nmil": _error_bar_chart(result, "NMIL", "NMIL = 1 − I(X;Y)/H(X)", own),
        "put": _trade_off_chart(result, own),
    }


def write_figures(result: Reproduction, directory: Path) -> list[Path]:
    """Write each figure as PNG and SVG, and all of them as one self-contained HTML page.

    Parameters
    ----------
    result
        What `reproduce` returns.
    directory
        An existing folder.

    Returns
    -------
    list of pathlib.Path
        The files that were written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from loglift import paper
    >>> result = paper.reproduce(draws=10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = [path.name for path in paper.write_figures(result, Path(folder))]
    >>> len(written)
    7
    """
    contents = chart.files(charts(result))
    contents["figures.html"] = _page(result).encode("utf-8")
    for name, content in contents.items():
        (directory / name).write_bytes(content)
    return [directory / name for name in contents]


def _page(result: Reproduction) -> str:
    """Return one page with the figures, each as wide as the window."""
    subtitle = f"{result.draws} random joints, seed {result.seed}; crosses: the paper"
    if result.others:
        subtitle += f"; loglift's own methods: the first {result.other_draws} joints"
    title = "Enhancing Utility in the Watchdog Privacy Mechanism, reproduced"
    return figure_page.page(title, subtitle, charts(result))


def _error_bar_chart(
    result: Reproduction, figure: Figure, title: str, own: Sequence[Curve]
) -> Spec:
    # a number format of one decimal would print 1.25 as 1.3
    ticks = {
        "values": sorted({point.eps for point in result.points}),
        "labelExpr": "datum.value",
    }
    x = {"field": "eps", "type": "quantitative", "title": "ε (nats)", "axis": ticks}
    y = {"field": "ours", "type": "quantitative", "title": title}
    bar = {"y": {"field": "low", "type": "quantitative", "title": title}, "y2": {"field": "high"}}
    shape = _told_apart(result, SHAPES, own)
    return {
        **_frame(result, figure, own),
        "encoding": {"x": x, "color": _told_apart(result, _COLOURS, own)},
        "layer": [
            {"mark": {"type": "errorbar", "ticks": {"size": 8}}, "encoding": bar},
            {"mark": _CURVE, "encoding": {"y": y}},
            {"mark": _MARK, "encoding": {"y": y, "shape": shape, "tooltip": _TOOLTIP}},
            {"mark": _PAPER_MARK, "encoding": {"y": {**y, "field": "paper"}}},
        ],
    }


def _trade_off_chart(result: Reproduction, own: Sequence[Curve]) -> Spec:
    least = -0.05 if result.others or own else 0.05
    scale = {"domain": [least, 1.1]}
    ticks = {"values": [tenths / 10 for tenths in range(0, 12, 2)]}
    x = {"field": "nmil", "type": "quantitative", "title": "NMIL", "scale": scale, "axis": ticks}
    shape = _told_apart(result, SHAPES, own)
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
        **_frame(result, "PUT", own),
        "encoding": {"color": _told_apart(result, _COLOURS, own)},
        "layer": [
            {"mark": _CURVE, "encoding": curve},
            {"mark": _MARK, "encoding": {"x": x, "y": y, "shape": shape, "tooltip": _TOOLTIP}},
            {"mark": label, "encoding": {"x": x, "y": y}},
            {"mark": _PAPER_MARK, "encoding": paper},
        ],
    }


def _told_apart(result: Reproduction, marks: tuple[str, ...], own: Sequence[Curve]) -> Spec:
    """Return the encoding that tells methods apart; a method always has the same mark.

    Curves of one's own have the marks that no method of the chart has.
    """
    run = {point.method for point in result.every}
    shown = {name: mark for (m, name), mark in zip(_LEGEND.items(), marks, strict=True) if m in run}
    free = [mark for mark in marks if mark not in shown.values()] or list(marks)
    shown |= {curve.name: free[i % len(free)] for i, curve in enumerate(own)}
    return {
        "field": "method",
        "type": "nominal",
        "title": None,
        "sort": list(shown),
        "scale": {"domain": list(shown), "range": list(shown.values())},
    }


def _frame(result: Reproduction, figure: Figure, own: Sequence[Curve]) -> Spec:
    rows = [
        _row(result, point) for method in _LEGEND for point in result.series(figure, method, "mean")
    ]
    rows += [
        {
            "method": curve.name,
            "eps": point.eps,
            "label": "",
            "ours": point.value,
            "paper": None,
            "low": point.value - point.std,
            "high": point.value + point.std,
            "nmil": point.nmil,
            "paper_nmil": None,
        }
        for curve in own
        for point in curve.points.get(figure.lower(), ())
    ]
    return {"title": _TITLE[figure], "width": 520, "height": 360, "data": {"values": rows}}


def _row(result: Reproduction, mean: Point | OtherPoint) -> dict[str, Any]:
    row = {
        "method": _LEGEND[mean.method],
        "eps": mean.eps,
        "label": "" if mean.paper is None else f"ε = {mean.eps:g}",  # more labels would overlap
        "ours": mean.ours,
        "paper": mean.paper,
    }
    std = _same_eps(result, "Privacy" if mean.figure == "Privacy" else "NMIL", mean, "std")
    nmil = _same_eps(result, "NMIL", mean, "mean")
    spread = {"low": mean.ours - std.ours, "high": mean.ours + std.ours}
    return row | spread | {"nmil": nmil.ours, "paper_nmil": nmil.paper}


def _same_eps(
    result: Reproduction, figure: Figure, point: Point | OtherPoint, statistic: str
) -> Point | OtherPoint:
    curve = result.series(figure, point.method, statistic)
    return next(other for other in curve if other.eps == point.eps)
