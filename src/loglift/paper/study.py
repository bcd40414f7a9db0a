"""A study: what was measured on random joints, as JSON, CSV, charts and a page."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from loglift._compute.progress import OnProgress
from loglift.display import chart
from loglift.display.chart import Spec
from loglift.paper import figure_page
from loglift.values import pretty

PAGE = "figures.html"
COLOURS = ("#1f4fd8", "#c8102e", "#2a8c4a", "#7a3fb5", "#d98200", "#5c6670")


@dataclass(frozen=True)
class Study:
    """The result of a study: points, which are dataclasses of one type, and charts of them."""

    name: str
    title: str
    about: str  # what was drawn and measured, one sentence
    draws: int
    seed: int
    points: tuple[Any, ...]
    charts: dict[str, Spec]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form; the same draws and seed give the same."""
        return {
            "study": self.name,
            "about": self.about,
            "draws": self.draws,
            "seed": self.seed,
            "points": [asdict(point) for point in self.points],
        }

    def write(self, directory: Path) -> None:
        """Write points.json, points.csv, each chart as PNG and SVG, and the page."""
        contents = chart.files(self.charts)
        page = figure_page.page(self.title, self.about, self.charts)
        texts = {"points.json": pretty(self.as_dict()), "points.csv": self._csv(), PAGE: page}
        contents |= {name: text.encode("utf-8") for name, text in texts.items()}
        for name, content in contents.items():
            (directory / name).write_bytes(content)

    def _csv(self) -> str:
        rows = [asdict(point) for point in self.points]
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()


@dataclass(frozen=True)
class Recipe:
    """How to make a study: `run(draws, seed, on_progress)`; `draws` are those of the default."""

    run: Callable[[int, int, OnProgress], Study]
    draws: int
    charts: tuple[str, ...]

    @property
    def files(self) -> set[str]:
        """The names of all files that `Study.write` writes."""
        drawn = {f"{name}.{form}" for name in self.charts for form in ("png", "svg")}
        return {"points.json", "points.csv", PAGE, *drawn}


def mean(sample: Sequence[float]) -> float | None:
    """Return the mean, with six digits so that the last bits of a platform do not show.

    None for an empty sample.
    """
    return float(f"{np.mean(sample):.6g}") if len(sample) else None


def told_apart(field: str, names: Sequence[str]) -> dict[str, Spec]:
    """Return the encodings by colour and by shape that tell curves apart."""

    def scale(marks: Sequence[str]) -> Spec:
        chosen = [marks[k % len(marks)] for k in range(len(names))]
        return {"domain": list(names), "range": chosen}

    told = {"field": field, "type": "nominal", "title": None, "sort": list(names)}
    colour, shape = {**told, "scale": scale(COLOURS)}, {**told, "scale": scale(chart.SHAPES)}
    return {"color": colour, "shape": shape}


def chart_of(title: str, rows: Sequence[dict[str, Any]], layers: list[Spec]) -> Spec:
    """Return a chart of the study's points."""
    return {
        "title": title,
        "width": 520,
        "height": 320,
        "data": {"values": list(rows)},
        "layer": layers,
    }


def curves(x: Spec, y: Spec, apart: dict[str, Spec], tooltip: Sequence[str]) -> list[Spec]:
    """Return the layers of curves with marks; `apart` is from `told_apart`."""
    line = {"type": "line", "strokeWidth": 1.6}
    mark = {"type": "point", "size": 50, "filled": False, "strokeWidth": 1.6}
    told = {"tooltip": [{"field": name} for name in tooltip]}
    return [
        {"mark": line, "encoding": {"x": x, "y": y, "color": apart["color"]}},
        {"mark": mark, "encoding": {"x": x, "y": y, **apart, **told}},
    ]
