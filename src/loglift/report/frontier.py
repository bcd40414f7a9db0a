"""A frontier as a page, as files, and as a table for a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from loglift.display import chart
from loglift.display.numbers import nats, percent, percent_up
from loglift.mechanism.kept import WHOLE_ROWS
from loglift.report.curves import MIDDLE_COLOURS, Curves, Line
from loglift.report.document import statements
from loglift.report.page import Section, put_together
from loglift.report.sentences.kept import (
    asked_for,
    at_most_words,
    least_eps_statement,
    shares_of_words,
)
from loglift.report.sentences.titles import kept_name
from loglift.report.sweep import Frontier, FrontierPoint, LeastEps
from loglift.report.terminal import print_statement, shown
from loglift.report.words import measure_title, measure_words

NOTE = "For the custodian: these figures were computed from the sensitive columns."
_MAX_BAR, _MIN_BAR = 30, 6  # cells of a terminal for 100 %
_OTHER_COLUMNS = 54  # cells that the columns beside the bars take
_ROWS_COLUMN = 13  # cells that the column of whole rows takes
_EIGHTHS = " ▏▎▍▌▋▊▉"


def print_frontier(found: Frontier, out: Console, where: str) -> None:
    """Print what each method keeps at each limit, with bars as wide as the terminal allows."""
    methods, rows = found.methods, _rows_column(found)
    alone = len(methods) == 1
    beside = _OTHER_COLUMNS + (_ROWS_COLUMN if rows else 0)
    room = (out.width - beside) if alone else (out.width - 10) // len(methods) - 16
    width = max(_MIN_BAR, min(_MAX_BAR, room))
    figures = Table()
    figures.add_column(measure_title(found.measure), justify="right", no_wrap=True)
    for method in methods:
        figures.add_column(method, no_wrap=True)
    for name in ("at most", *rows, "leakage (nats)", "values") if alone else ():
        figures.add_column(name, justify="right")
    at = {(point.method, point.limit): point for point in found.points}
    for limit in dict.fromkeys(point.limit for point in found.points):
        points = [at.get((method, limit)) for method in methods]
        cells = ["" if p is None else _bar(p.kept, width, out) for p in points]
        for p in filter(None, points) if alone else ():
            whole = [percent(_share_of_rows(p, found)) for _ in rows]
            cells += [percent_up(p.at_most), *whole, nats(p.leakage), f"{p.values:,}"]
        figures.add_row(f"{limit:g}", *cells)
    if alone:
        figures.caption = at_most_words(_scopes(found))
        figures.caption_justify = "left"
    out.print(shown(f"{where}: {kept_name(found.goal_words)}"), style="bold")
    out.print(figures)
    if rows:
        out.print(shown(shares_of_words(found.goal_words, rows=alone)))


def print_least(found: LeastEps, out: Console) -> None:
    """Print the least eps that keeps what was asked for."""
    print_statement(least_eps_statement(found), out)


def frontier_page(found: Frontier, where: str, least: LeastEps | None = None) -> str:
    """Return the frontier as one self-contained HTML page."""
    rows, public = _rows_column(found), "the information in the public values"
    return put_together(
        f"Frontier of {where}",
        NOTE,
        [
            Section("frontier", _title(found), "frontier.html"),
            Section("numbers", "Numbers", "numbers.html"),
        ],
        [] if least is None else [least_eps_statement(least)],
        numbers=[(point, [_share_of_rows(point, found) for _ in rows]) for point in found.points],
        head=(
            "method",
            found.measure,
            "kept",
            "at most",
            *rows,
            "leakage (nats)",
            "released values",
        ),
        shares_of=asked_for(found.goal_words) if rows else public,
        against="eps: the bound on |log-lift| in nats"
        if found.measure == "eps"
        else f"the limit of {measure_words(found.measure)}",
        curves=_curves(found, least),
        notes=[
            at_most_words(_scopes(found)),
            *(shares_of_words(found.goal_words, rows=True) for _ in rows),
        ],
    )


def frontier_document(found: Frontier | None, least: LeastEps | None = None) -> dict[str, Any]:
    """Return the JSON form of a sweep, of the least eps that keeps enough, or of both."""
    document: dict[str, Any] = {} if found is None else found.as_dict()
    if least is not None:
        document["least_eps"] = {
            "asked": least.asked,
            "eps": least.eps,
            "kept": least.kept,
            "leakage": least.mechanism.leakage,
            "method": least.mechanism.method,
        }
        document["statements"] = statements([least_eps_statement(least)])
    return document


def frontier_files(found: Frontier, where: str) -> dict[str, bytes]:
    """Return the chart as PNG and SVG, by file name."""
    told = f"{where}: {kept_name(found.goal_words)} against {measure_words(found.measure)}"
    return chart.files({"frontier": _curves(found).file_spec(told)})


def frontier_chart(found: Frontier, title: str | None = None) -> chart.Chart:
    """Return the chart for a notebook; by default its title says what is shown."""
    told = _title(found) if title is None else title
    return chart.Chart(_curves(found).file_spec(told, MIDDLE_COLOURS))


def _title(found: Frontier) -> str:
    name = kept_name(found.goal_words)
    return f"{name[0].upper()}{name[1:]} against {measure_words(found.measure)}"


def _curves(found: Frontier, least: LeastEps | None = None) -> Curves:
    lines = [
        Line(method, tuple((p.limit, p.kept) for p in found.points if p.method == method))
        for method in found.methods
    ]
    return Curves(
        x_title=measure_title(found.measure),
        lines=tuple(lines),
        y_title=kept_name(found.goal_words),
        chosen=None if least is None else (least.eps, least.kept),
        chosen_name="the least eps that keeps enough",
        description=(
            f"Share of {asked_for(found.goal_words)} kept against {measure_words(found.measure)}; "
            "the table has the numbers."
        ),
    )


def _rows_column(found: Frontier) -> tuple[str, ...]:
    """Return the name of the column of I(X;Y)/H(X), where the goal is another one."""
    return () if found.goal_words == WHOLE_ROWS else (WHOLE_ROWS,)


def _share_of_rows(point: FrontierPoint, found: Frontier) -> float:
    """Return I(X;Y)/H(X), the share of the information in whole rows."""
    return point.information / found.entropy if found.entropy else 1.0


def _scopes(found: Frontier) -> dict[str, str]:
    """Return for which releases "at most" is proven, by method; it is the same at every limit."""
    return {point.method: point.at_most_scope for point in found.points}


def _bar(share: float, width: int, out: Console) -> str:
    """Return a share and its bar; `width` cells are 100 %, drawn in eighths of a cell."""
    eighths = round(share * width * 8)
    bar = "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
    if not out.encoding.lower().startswith("utf"):
        bar = "#" * round(share * width)
    return f"{percent(share):>7} {bar}"
