"""The chart of what is kept against the bound, for pages and for files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from loglift.display import chart
from loglift.display.chart import Spec
from loglift.display.numbers import percent
from loglift.report.markup import trusted

WIDTHS = {"wide": 760, "narrow": 340}  # a page holds both, so that text keeps its size on a phone
HEIGHT = 320
FILE_SIZE = (560, 340)
FILE_COLOURS = ("#0a6464", "#b2552f", "#5b6470", "#154a83", "#7a3b8f", "#8a6a00")
# Of a notebook, which may be light or dark.
MIDDLE_COLOURS = ("#1c8c8c", "#d1703c", "#7b8794", "#3f7fc4", "#a35cc0", "#a08010")
_TICKS = {"wide": 7, "narrow": 5}
_FONT = "system-ui, -apple-system, 'Segoe UI', Arial, sans-serif"
_LABELS_TURN_AT = 0.6  # of the width: from there on a label stands left of its point


@dataclass(frozen=True)
class Mark:
    """How a curve or a point looks: its shape, and the colour, dashes and width of its line.

    `kind` is a shape of `chart.SHAPES`, "chosen" for the ring, "most" for the bar of the upper
    bound. Colours are properties of report.css, so that a page follows light, dark and paper.
    """

    kind: str
    colour: str = ""
    dash: tuple[int, ...] = ()
    width: float = 2


MARKS = (
    Mark(chart.SHAPES[0], "var(--accent)"),
    Mark(chart.SHAPES[1], "var(--soft)", (6, 4)),
    Mark(chart.SHAPES[2], "var(--soft)", (2, 4)),
    Mark(chart.SHAPES[3], "var(--ink)", (9, 3, 2, 3)),
    Mark(chart.SHAPES[0], "var(--ink)", width=1),
)

XY: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """A named curve: points (bound, share kept), bounds rising."""

    name: str
    points: tuple[XY, ...]


@dataclass(frozen=True)
class Curves:
    """Curves over one axis, and the chosen point, if any, with the proven upper bound there.

    `proven` says in words what `at_most` is; `description` tells readers who do not see the chart
    what it shows.
    """

    x_title: str
    lines: tuple[Line, ...]
    y_title: str = "information kept"
    chosen: XY | None = None
    chosen_name: str = "this release"
    at_most: float | None = None
    proven: str = ""
    description: str = ""

    @property
    def key(self) -> list[tuple[Mark, str]]:
        """The marks of the chart and what they stand for."""
        found = [(MARKS[i % len(MARKS)], line.name) for i, line in enumerate(self.lines)]
        found += [(Mark("chosen"), self.chosen_name)] if self.chosen else []
        return found + ([(Mark("most"), self.proven)] if self.at_most is not None else [])

    def drawn(self) -> dict[str, str]:
        """Return the chart for a page, as SVG by the name of its width."""
        return {size: trusted(chart.svg(self.page_spec(size))) for size in WIDTHS}

    def page_spec(self, size: str) -> Spec:
        """Return the chart for a page: no legend, because the page has a key, and its colours."""
        width = WIDTHS[size]
        marks = [MARKS[i % len(MARKS)] for i in range(len(self.lines))]
        scales: dict[str, list[Any]] = {
            "color": [mark.colour for mark in marks],
            "shape": [mark.kind for mark in marks],
            "strokeDash": [list(mark.dash) or [1, 0] for mark in marks],
            "strokeWidth": [mark.width for mark in marks],
        }
        told_apart = {
            name: {**self._by_line(scale), "legend": None} for name, scale in scales.items()
        }
        point = {"type": "point", "filled": True, "opacity": 1, "size": 55}
        dots = {name: told_apart[name] for name in ("color", "shape")}
        return {
            "width": width,
            "height": HEIGHT,
            "autosize": {"type": "fit", "contains": "padding"},
            "padding": {"left": 2, "right": 12, "top": 4, "bottom": 2},
            "background": None,
            "config": _PAGE_CONFIG,
            "data": {"values": self._rows()},
            "encoding": {"x": self._x(_TICKS[size]), "y": self._y({"titleX": -48})},
            "layer": [
                *self._guide(),
                {
                    "mark": {"type": "line", "aria": False},
                    "encoding": {
                        name: told_apart[name] for name in ("color", "strokeDash", "strokeWidth")
                    },
                },
                {
                    "mark": {**point, "stroke": "var(--paper)", "strokeWidth": 1},
                    "encoding": {**dots, "description": {"field": "said"}},
                },
                *self._chosen(),
            ],
        }

    def file_spec(self, title: str, colours: Sequence[str] = FILE_COLOURS) -> Spec:
        """Return the chart for a file: with a title and a legend, in colours of its own."""
        width, height = FILE_SIZE
        names = [line.name for line in self.lines]
        key = {"field": "line", "type": "nominal", "title": None, "sort": names}
        scale = {"domain": names, "range": list(colours[: len(names)])}
        shapes = {"domain": names, "range": list(chart.SHAPES[: len(names)])}
        return {
            "title": {"text": title, "anchor": "start"},
            "width": width,
            "height": height,
            "data": {"values": self._rows()},
            "encoding": {
                "x": self._x(),
                "y": self._y(),
                "color": {**key, "scale": scale},
            },
            "layer": [
                {"mark": {"type": "line", "strokeWidth": 2}},
                {
                    "mark": {"type": "point", "filled": True, "opacity": 1, "size": 40},
                    "encoding": {"shape": {**key, "scale": shapes}},
                },
            ],
        }

    def _rows(self) -> list[dict[str, Any]]:
        """Return the points of all curves; the first curve comes last and is drawn on top."""
        return [
            {
                "line": line.name,
                "x": x,
                "kept": y,
                "said": f"{line.name}, {x:.4g}: {percent(y)} kept",
            }
            for line in reversed(self.lines)
            for x, y in line.points
        ]

    def _points(self) -> list[XY]:
        points = [point for line in self.lines for point in line.points]
        return points if self.chosen is None else [*points, self.chosen]

    def _x(self, ticks: int = 7) -> Spec:
        last = max(x for x, _ in self._points()) or 1.0
        return {
            "field": "x",
            "type": "quantitative",
            "title": self.x_title,
            "scale": {"domain": [0, last], "nice": False},
            "axis": {"tickCount": ticks, "format": ".4~g"},
        }

    def _y(self, axis: Spec | None = None) -> Spec:
        least = min(0.9, math.floor(min(y for _, y in self._points()) * 10) / 10)
        return {
            "field": "kept",
            "type": "quantitative",
            "title": self.y_title,
            "scale": {"domain": [least, 1], "nice": False},
            "axis": {"tickCount": 5, "labelExpr": "format(100 * datum.value, '.0f') + ' %'"}
            | (axis or {}),
        }

    def _by_line(self, scale: list[Any]) -> Spec:
        names = [line.name for line in self.lines]
        return {
            "field": "line",
            "type": "nominal",
            "scale": {"type": "ordinal", "domain": names, "range": scale},
        }

    def _guide(self) -> list[Spec]:
        """Return a vertical line through the chosen point."""
        if self.chosen is None:
            return []
        mark = {"type": "rule", "stroke": "var(--soft)", "strokeDash": [2, 4], "aria": False}
        return [{"data": _one(x=self.chosen[0]), "mark": mark, "encoding": {"y": None}}]

    def _chosen(self) -> list[Spec]:
        """Return a ring at the chosen point, its share, and a bar at the upper bound."""
        if self.chosen is None:
            return []
        x, y = self.chosen
        share = percent(y)
        right = x > _LABELS_TURN_AT * max(x for x, _ in self._points())
        ring = {
            "type": "point",
            "shape": "circle",
            "size": 130,
            "filled": False,
            "opacity": 1,
            "fill": "var(--paper)",
            "stroke": "var(--ink)",
            "strokeWidth": 2.5,
        }
        label = {
            "type": "text",
            "text": share,
            "align": "right" if right else "left",
            "dx": -10 if right else 10,
            "dy": 14,
            "fill": "var(--ink)",
            "fontSize": 14,
            "fontWeight": "bold",
            "font": _FONT,
            "aria": False,
        }
        said = f"{self.chosen_name}: {share} kept"
        found: list[Spec] = [
            {"data": _one(x=x, kept=y, said=said), "mark": ring, "encoding": _SAID},
            {"data": _one(x=x, kept=y), "mark": label},
        ]
        if self.at_most is None:
            return found
        bar = {"type": "tick", "orient": "horizontal", "size": 20, "thickness": 2.5, "opacity": 1}
        most = _one(x=x, kept=min(1.0, self.at_most), said=self.proven)
        return [{"data": most, "mark": {**bar, "color": "var(--bad)"}, "encoding": _SAID}, *found]


_SAID = {"description": {"field": "said"}}
_PAGE_CONFIG = {
    "view": {"stroke": None},
    "axis": {
        "labelFont": _FONT,
        "labelFontSize": 13,
        "labelColor": "var(--soft)",
        "titleFont": _FONT,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "titleColor": "var(--soft)",
        "domain": False,
        "gridColor": "var(--line)",
        "tickColor": "var(--line)",
    },
    "axisX": {"grid": False, "labelPadding": 6, "titlePadding": 8, "labelFlush": False},
    "axisY": {
        "ticks": False,
        "labelPadding": 8,
        "titleAngle": 0,
        "titleAlign": "left",
        "titleBaseline": "bottom",
        "titleAnchor": "end",
        "titleY": -8,
    },
}


def _one(**row: Any) -> Spec:
    return {"values": [row]}
