"""A chart of the information kept against the bound, as SVG drawn by hand.

Colours, fonts and line styles are in report.css, so that the chart follows light, dark and paper.
A page holds it in two widths, of which the style shows one: text keeps its size on a phone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from loglift.report.words import percent

WIDTHS = {"wide": 760, "narrow": 340}
HEIGHT = 320
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 24, 46
_STEPS = (1, 2, 2.5, 5, 10)
_MOST_TICKS = {"wide": 9, "narrow": 5}


@dataclass(frozen=True)
class Line:
    """A named curve: points (x, share kept), x rising."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Chart:
    """Curves over one axis, and the point chosen, if any, with the most that is proven there.

    `proven` says in words what `at_most` is.
    """

    x_title: str
    lines: tuple[Line, ...]
    chosen: tuple[float, float] | None = None
    chosen_name: str = "this release"
    at_most: float | None = None
    proven: str = ""
    summary: str = ""


def drawn(chart: Chart) -> str:
    """Return both widths, of which the style shows one, and the key to the lines."""
    both = "\n".join(_svg(chart, width) for width in WIDTHS)
    names = [(f"line-{i}", line.name) for i, line in enumerate(chart.lines)]
    names += [("line-chosen", chart.chosen_name)] if chart.chosen else []
    names += [("line-most", chart.proven)] if chart.at_most is not None else []
    key = "".join(
        f'<li><svg class="swatch" viewBox="0 0 28 10" aria-hidden="true">{_swatch(kind)}</svg>'
        f"{escape(name)}</li>"
        for kind, name in names
    )
    return f'<div class="chart">\n{both}\n<ul class="key">{key}</ul>\n</div>'


@dataclass(frozen=True)
class _Axes:
    """From data to the plane of the drawing."""

    width: int
    x_first: float
    x_last: float
    y_first: float

    def x(self, value: float) -> float:
        share = (value - self.x_first) / (self.x_last - self.x_first)
        return LEFT + share * (self.width - LEFT - RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.y_first) / (1 - self.y_first)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _svg(chart: Chart, size: str) -> str:
    axes = _axes(chart, WIDTHS[size])
    parts = [
        *_y_ticks(axes),
        *_x_ticks(axes, _MOST_TICKS[size]),
        (
            f'<text class="axis-title" x="{(LEFT + axes.width - RIGHT) / 2:.1f}" y="{HEIGHT - 6}" '
            f'text-anchor="middle">{escape(chart.x_title)}</text>'
        ),
        '<text class="axis-title" x="0" y="12">information kept</text>',
    ]
    for number, line in reversed(list(enumerate(chart.lines))):
        parts += _curve(line, number, axes)
    parts += _chosen(chart, axes)
    drawing = "\n".join(parts)
    return (
        f'<svg class="{size}" viewBox="0 0 {axes.width} {HEIGHT}" width="{axes.width}" '
        f'height="{HEIGHT}" role="img" aria-label="{escape(chart.summary)}">\n{drawing}\n</svg>'
    )


def _axes(chart: Chart, width: int) -> _Axes:
    points = [point for line in chart.lines for point in line.points]
    points += [chart.chosen] if chart.chosen else []
    xs, least = [x for x, _ in points], min(y for _, y in points)
    first, last = 0.0, max(xs) or 1.0
    return _Axes(width, first, last, min(0.9, math.floor(least * 10) / 10))


def _curve(line: Line, number: int, axes: _Axes) -> list[str]:
    places = [(axes.x(x), axes.y(y)) for x, y in line.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = [
        f'<g class="dot line-{number}"><title>{escape(line.name)}, {data[0]:.4g}: '
        f"{percent(data[1])} kept</title>{_mark(number, x, y)}</g>"
        for data, (x, y) in zip(line.points, places, strict=True)
    ]
    return [f'<polyline class="curve line-{number}" points="{path}"/>', *dots]


def _mark(number: int, x: float, y: float) -> str:
    """Draw a circle, square, triangle or diamond: lines differ by more than their colour."""
    shapes = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>',
        f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"/>',
        f'<path d="M{x:.1f} {y - 4:.1f}l4 7h-8z"/>',
        f'<path d="M{x:.1f} {y - 4:.1f}l4 4l-4 4l-4-4z"/>',
    )
    return shapes[number % len(shapes)]


def _swatch(kind: str) -> str:
    if kind == "line-chosen":
        return '<circle class="chosen" cx="14" cy="5" r="4"/>'
    if kind == "line-most":
        return '<path class="most" d="M4 5h20"/>'
    number = int(kind.removeprefix("line-"))
    line = f'<polyline class="curve {kind}" points="0,5 28,5"/>'
    return f'{line}<g class="dot {kind}">{_mark(number, 14, 5)}</g>'


def _chosen(chart: Chart, axes: _Axes) -> list[str]:
    if chart.chosen is None:
        return []
    x, y = axes.x(chart.chosen[0]), axes.y(chart.chosen[1])
    label = percent(chart.chosen[1])
    anchor, shift = ("end", -10) if x > axes.width * 0.6 else ("start", 10)
    parts = [f'<path class="guide" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>']
    if chart.at_most is not None:
        most = axes.y(min(1.0, chart.at_most))
        title = f"<title>{escape(chart.proven)}</title>"
        parts.append(f'<path class="most" d="M{x - 10:.1f} {most:.1f}h20">{title}</path>')
    parts.append(
        f'<circle class="chosen" cx="{x:.1f}" cy="{y:.1f}" r="6">'
        f"<title>{escape(chart.chosen_name)}: {label} kept</title></circle>"
        f'<text class="chosen-label" x="{x + shift:.1f}" y="{y + 18:.1f}" '
        f'text-anchor="{anchor}">{label}</text>'
    )
    return parts


def _y_ticks(axes: _Axes) -> list[str]:
    ticks = _ticks(axes.y_first, 1.0, 6)
    return [
        f'<path class="grid" d="M{LEFT} {axes.y(tick):.1f}H{axes.width - RIGHT}"/>'
        f'<text class="tick" x="{LEFT - 8}" y="{axes.y(tick) + 4:.1f}" text-anchor="end">'
        f"{100 * tick:.0f} %</text>"
        for tick in ticks
    ]


def _x_ticks(axes: _Axes, most: int) -> list[str]:
    return [
        f'<path class="grid" d="M{axes.x(tick):.1f} {HEIGHT - BOTTOM}v4"/>'
        f'<text class="tick" x="{axes.x(tick):.1f}" y="{HEIGHT - BOTTOM + 19}" '
        f'text-anchor="middle">{tick:.4g}</text>'
        for tick in _ticks(axes.x_first, axes.x_last, most)
    ]


def _ticks(first: float, last: float, most: int) -> Sequence[float]:
    """Return round numbers from first to last, `most` at most."""
    size = 10 ** math.floor(math.log10((last - first) / most))
    step = next(size * s for s in _STEPS if (last - first) / (size * s) <= most)
    start = math.ceil(first / step - 1e-9)
    return [step * i for i in range(start, math.floor(last / step + 1e-9) + 1)]
