"""Every chart of loglift: Vega-Lite specifications drawn by vl-convert, without a network.

vl-convert loads when the first chart is drawn; that takes about half a second.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Container
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from loglift.errors import InputError
from loglift.writing import whole_file

Spec: TypeAlias = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-left")
_EXPORT = "window.vegaEmbed = vegaEmbed;"  # the one name of the bundle that a page uses

NOTEBOOK_TYPE = "application/vnd.vegalite.v5+json"
NOTEBOOK_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_GREY = "#808080"  # of texts and lines: readable on white and on black
_ON_ANY_PAGE = {
    "background": "transparent",
    "config": {
        "axis": {
            "labelColor": _GREY,
            "titleColor": _GREY,
            "domainColor": _GREY,
            "tickColor": _GREY,
            "gridColor": "#80808040",
        },
        "legend": {"labelColor": _GREY, "titleColor": _GREY},
        "title": {"color": _GREY},
        "view": {"stroke": None},
        "text": {"color": _GREY},
    },
}


@dataclass(frozen=True, eq=False, repr=False)
class Chart:
    """A chart that a notebook shows: drawn by Vega-Lite where that is at hand, else as an image.

    `spec` is the Vega-Lite specification, with its data; change it or hand it to Altair
    (`altair.Chart.from_dict(chart.spec)`) as you like.
    """

    spec: Spec

    def __repr__(self) -> str:
        title = self.spec.get("title", "")
        return f"Chart({(title['text'] if isinstance(title, dict) else title)!r})"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the chart on white: as SVG, PNG or JSON, by the ending of the path."""
        place = Path(path)
        on_white = {"background": "white", **self.spec}
        if place.suffix == ".svg":
            content = svg(on_white).encode("utf-8")
        elif place.suffix == ".png":
            content = png(on_white)
        elif place.suffix == ".json":
            content = json.dumps({"$schema": SCHEMA, **self.spec}, indent=1).encode("utf-8")
        else:
            raise InputError(f"a chart is written as .svg, .png or .json, not as {place.name!r}")
        with whole_file(place, force=True) as written:
            written.write_bytes(content)

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> dict[str, Any]:
        """Return the forms of the chart that a notebook chooses from; PNG only if it asks."""
        spec = {**_ON_ANY_PAGE, **self.spec}
        forms: dict[str, Callable[[], Any]] = {
            NOTEBOOK_TYPE: lambda: {"$schema": NOTEBOOK_SCHEMA, **spec},
            "image/svg+xml": lambda: svg(spec),
            "image/png": lambda: b64encode(png(spec)).decode("ascii"),
            "text/plain": lambda: repr(self),
        }
        return {
            name: form()
            for name, form in forms.items()
            if (name != "image/png" if include is None else name in include)
            and (exclude is None or name not in exclude)
        }


def prepare() -> None:
    """Start vl-convert: its first chart takes a third of a second, the next ones a hundredth.

    It holds the interpreter's lock meanwhile: this is for threads beside work that needs none.
    """
    svg({"data": {"values": []}, "mark": "point"})


def svg(spec: Spec) -> str:
    """Return a chart as an SVG element."""
    import vl_convert  # noqa: PLC0415, loads when a chart is drawn

    text: str = vl_convert.vegalite_to_svg({"$schema": SCHEMA, **spec})
    return text


def png(spec: Spec) -> bytes:
    """Return a chart as a PNG image, two pixels for each of its own."""
    import vl_convert  # noqa: PLC0415, loads when a chart is drawn

    image: bytes = vl_convert.vegalite_to_png({"$schema": SCHEMA, **spec}, scale=2)
    return image


def files(charts: dict[str, Spec]) -> dict[str, bytes]:
    """Return charts as PNG and SVG on white, by file name; `charts` has them by stem."""
    found = {}
    for name, spec in charts.items():
        on_white = {"background": "white", **spec}
        found[f"{name}.png"] = png(on_white)
        found[f"{name}.svg"] = svg(on_white).encode("utf-8")
    return found


def library() -> str:
    """Return the script with which a page draws charts itself, as `window.vegaEmbed`."""
    import vl_convert  # noqa: PLC0415, loads when a page draws its charts

    text: str = vl_convert.javascript_bundle(_EXPORT)
    return text
