"""A frontier as a page, as figures, and as a table for a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from loglift.release.frontier import Frontier, FrontierPoint, LeastEps
from loglift.report.chart import Chart, Line, drawn
from loglift.report.markup import Page, Section, paragraph, put_together, table
from loglift.report.terminal import shown
from loglift.report.words import at_most_words, nats, percent, percent_up

NOTE = "For the custodian: these figures were computed from the sensitive columns."
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_COLOURS = ["#0a6464", "#b2552f", "#5b6470", "#154a83", "#7a3b8f"]
_WIDEST_BAR, _NARROWEST_BAR, _BESIDES = 30, 6, 54
_EIGHTHS = " ▏▎▍▌▋▊▉"


def print_frontier(found: Frontier, out: Console, where: str) -> None:
    """Print what each method keeps at each eps, with bars as wide as the terminal allows."""
    methods = found.methods
    alone = len(methods) == 1
    each = (out.width - _BESIDES) if alone else (out.width - 10) // len(methods) - 16
    width = max(_NARROWEST_BAR, min(_WIDEST_BAR, each))
    figures = Table()
    figures.add_column("eps (nats)", justify="right", no_wrap=True)
    for method in methods:
        figures.add_column(method, no_wrap=True)
    for name in ("at most", "leakage (nats)", "values") if alone else ():
        figures.add_column(name, justify="right")
    for eps in dict.fromkeys(point.eps for point in sorted(found.points, key=lambda p: p.eps)):
        points = [_at(found, method, eps) for method in methods]
        bars = ["" if p is None else _bar(p.kept, width, out) for p in points]
        more = [] if not alone or points[0] is None else _figures(points[0])
        figures.add_row(f"{eps:g}", *bars, *more)
    if alone:
        figures.caption = at_most_words(_scopes(found))
        figures.caption_justify = "left"
    out.print(shown(f"{where}: information kept"), style="bold")
    out.print(figures)


def print_least(found: LeastEps, out: Console) -> None:
    """Print the least eps that keeps what was asked for."""
    out.print(
        f"[green]eps {found.eps:g}[/] is the least found with {found.mechanism.method} that keeps "
        f"{percent(found.asked)}: it keeps {percent(found.kept)}, leakage "
        f"{nats(found.mechanism.leakage)} nats."
    )


def frontier_page(found: Frontier, where: str, least: LeastEps | None = None) -> str:
    """Return the frontier as one self-contained HTML page."""
    head = ("method", "eps", "kept", "at most", "leakage (nats)", "released values")
    rows = [
        (
            p.method,
            f"{p.eps:g}",
            percent(p.kept),
            percent_up(p.at_most),
            nats(p.leakage),
            f"{p.values:,}",
        )
        for p in found.points
    ]
    words = (
        "How much of the information in the public values a release keeps, against eps: the bound "
        "on |log-lift| in nats. What search keeps never falls as eps grows."
    )
    chart = drawn(_chart(found, least))
    sections = (
        Section("frontier", "Information kept against eps", paragraph(words) + chart),
        Section(
            "numbers",
            "Numbers",
            table(head, rows, label="Numbers") + paragraph(at_most_words(_scopes(found)), "note"),
        ),
    )
    said = "" if least is None else paragraph(least_words(least), "verdict good")
    return put_together(Page(f"Frontier of {where}", NOTE, True, said, sections, None))


def least_words(least: LeastEps) -> str:
    """Say which eps keeps what was asked for."""
    return (
        f"eps {least.eps:g} is the least found with {least.mechanism.method} that keeps "
        f"{percent(least.asked)} of the information: it keeps {percent(least.kept)}."
    )


def write_figures(found: Frontier, where: str) -> dict[str, bytes]:
    """Return the chart as PNG and SVG, by file name."""
    import vl_convert  # noqa: PLC0415, loads only when figures are written

    chart = _vega(found, where)
    return {
        "frontier.png": vl_convert.vegalite_to_png(chart, scale=2),
        "frontier.svg": vl_convert.vegalite_to_svg(chart).encode("utf-8"),
    }


def _at(found: Frontier, method: str, eps: float) -> FrontierPoint | None:
    return next((point for point in found.series(method) if point.eps == eps), None)


def _scopes(found: Frontier) -> dict[str, str]:
    """Over which releases "at most" is proven, by method: the same at every eps."""
    return {point.method: point.at_most_scope for point in found.points}


def _figures(point: FrontierPoint) -> list[str]:
    return [percent_up(point.at_most), nats(point.leakage), f"{point.values:,}"]


def _bar(share: float, width: int, out: Console) -> str:
    """Write a share with a bar, `width` cells for the whole; in eighths where they can be shown."""
    eighths = round(share * width * 8)
    bar = "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
    if not out.encoding.lower().startswith("utf"):
        bar = "#" * round(share * width)
    return f"{percent(share):>7} {bar}"


def _chart(found: Frontier, least: LeastEps | None) -> Chart:
    lines = [
        Line(method, tuple((p.eps, p.kept) for p in found.series(method)))
        for method in found.methods
    ]
    return Chart(
        x_title="eps (nats)",
        lines=tuple(lines),
        chosen=None if least is None else (least.eps, least.kept),
        chosen_name="the least eps that keeps enough",
        summary="Share of the information kept against eps; the numbers are in the table below.",
    )


def _vega(found: Frontier, where: str) -> dict[str, Any]:
    rows = [{"method": p.method, "eps": p.eps, "kept": p.kept} for p in found.points]
    scale = {"domain": list(found.methods), "range": _COLOURS[: len(found.methods)]}
    key = {"field": "method", "type": "nominal", "title": None}
    kept = {
        "field": "kept",
        "type": "quantitative",
        "title": "information kept",
        "axis": {"format": ".0%"},
        "scale": {"zero": False, "domainMax": 1},
    }
    return {
        "$schema": _SCHEMA,
        "background": "white",
        "title": {"text": f"{where}: information kept against eps", "anchor": "start"},
        "width": 560,
        "height": 340,
        "data": {"values": rows},
        "encoding": {
            "x": {"field": "eps", "type": "quantitative", "title": "eps (nats)"},
            "y": kept,
            "color": {**key, "scale": scale},
            "shape": {**key, "scale": {"domain": list(found.methods)}},
        },
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}},
            {"mark": {"type": "point", "filled": True, "size": 40}},
        ],
    }
