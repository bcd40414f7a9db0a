"""The reproduction of the paper, and studies, as tables for a terminal."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from loglift.paper.printed import DECIMALS, Comparison
from loglift.paper.reproduction import MAX_STANDARD_ERRORS, Point, Reproduction
from loglift.paper.study import Study

_METHOD = {"greedy": "Algorithm 1", "complete": "complete merging"}
_FIGURE = {
    "Privacy": "Privacy: max omega over the high-risk set (nats)",
    "NMIL": "NMIL: share of information lost",
    "PUT": "PUT: max omega over all released values (nats)",
}


def print_reproduction(result: Reproduction, out: Console) -> None:
    """Print Example 1, Table 1, every point of the figures, and the verdict."""
    out.print(_comparison("Example 1", result.example1))
    out.print(_comparison("Table 1", result.table1))
    for figure, title in _FIGURE.items():
        out.print(_figure(title, [p for p in result.points if p.figure == figure]))
    for point in result.points:
        if point.note:
            out.print(
                f"* {point.figure}, {_METHOD[point.method]}, eps {point.eps:g}: {point.note}."
            )
    out.print("mean, std: the paper's; z: our difference from it in standard errors.")
    if result.others:
        out.print(_others(result))
    out.print(_verdict(result))


def print_study(study: Study, out: Console) -> None:
    """Print the points of a study, one a line, and what was measured."""
    rows = [asdict(point) for point in study.points]
    table = Table(title=study.title, title_justify="left")
    for name, value in rows[0].items():
        text = isinstance(value, str)
        table.add_column(name.replace("_", " "), justify="left" if text else "right", no_wrap=text)
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    out.print(table)
    out.print(f"{study.about}.")


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _others(result: Reproduction) -> Table:
    """Return the means of loglift's own methods."""
    title = f"loglift's own methods: means of the first {result.other_draws} joints"
    table = Table("method", title=title, title_justify="left")
    for column in ("eps", "NMIL", "Privacy", "PUT"):
        table.add_column(column, justify="right")
    means = {(p.method, p.eps, p.figure): p.ours for p in result.others if p.statistic == "mean"}
    for method, eps in dict.fromkeys((method, eps) for method, eps, _ in means):
        cells = (f"{means[method, eps, figure]:.4f}" for figure in ("NMIL", "Privacy", "PUT"))
        table.add_row(method, f"{eps:g}", *cells)
    return table


def _comparison(title: str, comparison: Comparison) -> Table:
    table = Table("number", title=title, title_justify="left")
    for column in ("paper", "ours"):
        table.add_column(column, justify="right")
    table.add_column("")
    for name, paper in comparison.paper.items():
        ours = round(comparison.ours[name], DECIMALS)
        mark = "[green]same[/]" if ours == paper else "[red]differs[/]"
        table.add_row(name, f"{paper:.4f}", f"{ours:.4f}", mark)
    return table


def _figure(title: str, points: list[Point]) -> Table:
    table = Table("method", title=title, title_justify="left")
    statistics = dict.fromkeys(point.statistic for point in points)
    for column in ("eps", *(name for each in statistics for name in (each, "ours", "z"))):
        table.add_column(column, justify="right")
    rows: dict[tuple[str, float], list[str]] = {}
    for point in points:
        cells = rows.setdefault((_METHOD[point.method], point.eps), [])
        cells += [f"{point.paper:.4f}", f"{point.ours:.4f}", _z(point)]
    largest = max(eps for _, eps in rows)
    for (method, eps), cells in rows.items():
        table.add_row(method, f"{eps:g}", *cells, end_section=eps == largest)
    return table


def _z(point: Point) -> str:
    if point.z is None:
        return "exact" if point.agrees else "[red]differs[/]"
    if point.note:
        return f"[yellow]{point.z:+.2f}*[/]"
    return f"{point.z:+.2f}" if point.agrees else f"[red]{point.z:+.2f}[/]"


def _verdict(result: Reproduction) -> str:
    judged = [point for point in result.points if not point.note]
    agreeing = sum(point.agrees for point in judged)
    printed = "agree" if result.example1.agrees and result.table1.agrees else "do NOT agree"
    return (
        f"{agreeing} of {len(judged)} points within {MAX_STANDARD_ERRORS:g} standard errors of "
        f"the paper; Example 1 and Table 1 {printed} to {DECIMALS} decimals. "
        f"{result.draws} joints, seed {result.seed}, {result.seconds:.2f} s."
    )
