"""Every chart of loglift: Vega-Lite specifications drawn by vl-convert, without a network.

vl-convert loads when the first chart is drawn; that takes about half a second.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Spec: TypeAlias = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-left")
_EXPORT = "window.vegaEmbed = vegaEmbed;"  # the one name of the bundle that a page uses


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
