"""Charts as one self-contained HTML page."""

from __future__ import annotations

from loglift.display import chart
from loglift.display.chart import Spec
from loglift.report import markup

_LEGEND_BELOW = {"orient": "bottom", "columns": 2, "title": None}


def page(title: str, subtitle: str, specs: dict[str, Spec]) -> str:
    """Return a page with charts, each as wide as the window; `specs` has them by name."""
    return markup.render(
        "loglift.paper",
        "figures.html",
        title=title,
        subtitle=subtitle,
        captions={name: spec["title"] for name, spec in specs.items()},
        library=markup.trusted(chart.library()),
        charts=markup.script_data({name: _for_a_page(spec) for name, spec in specs.items()}),
    )


def _for_a_page(spec: Spec) -> Spec:
    """Return a chart without its title, as wide as the page, its legend below: a phone has room."""
    shown = {name: part for name, part in spec.items() if name != "title"}
    config = {"legend": _LEGEND_BELOW}
    return shown | {"$schema": chart.SCHEMA, "width": "container", "config": config}
