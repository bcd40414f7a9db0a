"""Write the documentation's page of benchmarks from benchmarks/results/*.json only.

The same files give the same page. The charts are SVG files in docs/benchmarks.

    python benchmarks/page.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

import drawing
import harness

Document: TypeAlias = dict[str, Any]

DOCS = harness.FOLDER.parent / "docs"
TITLES = {
    "peers": "Beside other tools, on UCI Adult",
    "closeness": "t-closeness beside ANJANA, on UCI Adult",
    "practical": "What readers get",
    "startup": "Start-up",
    "growth": "Growth",
    "spark": "Spark",
    "protect": "Beside DuckDB alone",
    "reproduction": "The paper's experiment",
    "merging": "Algorithm 1, and search at scale",
    "exact": "Exact merging",
    "randomizing": "Randomizing",
    "confidence": "Confidence",
}
HEAD = """# Benchmarks

Every figure on this page is written by the program that measured it, never by hand.

    make bench          # everything below but growth; then this page
    make bench-growth   # how time and memory grow, up to 10^8 rows; then this page
    make bench-check    # fast cases: this checkout against the commit it started from

Sides that are compared run on one machine, in turns, and medians are taken: the ratios carry over
to other machines better than the seconds. "At least" and "at most" are bars that were set before
measuring."""


def read(results: Path = harness.RESULTS) -> list[Document]:
    """Return all results, in the order of the page."""
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in results.glob("*.json")}
    known = [name for name in TITLES if name in found]
    return [found[name] for name in [*known, *sorted(set(found) - set(TITLES))]]


def page(documents: list[Document]) -> str:
    """Return the Markdown of the page."""
    parts = [HEAD, summary(documents), *(section(document) for document in documents)]
    return "\n\n".join(parts) + "\n"


def summary(documents: list[Document]) -> str:
    """Return how many bars are reached, and the list of those that are not."""
    barred = [
        (title(document), ratio)
        for document in documents
        for ratio in document["ratios"]
        if ratio["bar"] is not None
    ]
    missed = [(name, ratio) for name, ratio in barred if not ratio["reached"]]
    text = f"## Bars\n\n{len(barred) - len(missed)} of {len(barred)} bars are reached."
    if not missed:
        return text
    lines = [
        f"- {name}: {ratio['name']}: {number(ratio['ratio'])}, bar {bar(ratio)}"
        for name, ratio in missed
    ]
    return "\n".join([f"{text} Not reached:\n", *lines])


def section(document: Document) -> str:
    """Return the section of one script: method, machine, ratios, charts, printed lines."""
    parts = [f"## {title(document)}", document["about"].strip(), _measured(document)]
    if document["ratios"]:
        parts.append(_table(document["ratios"]))
    parts += [_image(document, chart) for chart in drawing.charts(document)]
    parts += _exponents(document["curves"])
    parts.append("What it printed:")
    parts.append("\n".join(f"    {line}" for line in document["lines"]))
    return "\n\n".join(parts)


def title(document: Document) -> str:
    """Return the heading of a script."""
    return TITLES.get(document["name"]) or str(document["name"])


def bar(ratio: Document) -> str:
    """Return the bar in words; a dash if there is no bar."""
    return "–" if ratio["bar"] is None else f"{ratio['direction']} {ratio['bar']:g}"


def number(value: float | str) -> str:
    """Return a number of the results as text; infinite numbers are texts already."""
    return harness.figure(float(value))


def _measured(document: Document) -> str:
    facts, versions = document["machine"], document["versions"]
    libraries = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"`{document['command']}`, {document['date']}: {facts['cores']} cores of {facts['cpu']}, "
        f"{facts['memory']:g} GB, {facts['system']}, load {facts['load']:g} at the end; "
        f"{libraries}."
    )


def _table(ratios: list[Document]) -> str:
    lines = [
        "| what | against | theirs | loglift | ratio | bar | |",
        "|---|---|---|---|---|---|---|",
    ]
    for ratio in ratios:
        reached = {True: "reached", False: "**not reached**", None: ""}[ratio["reached"]]
        unit = ratio["unit"]
        cells = [
            ratio["name"],
            ratio["against"],
            f"{number(ratio['theirs'])} {unit}",
            f"{number(ratio['ours'])} {unit}",
            number(ratio["ratio"]),
            bar(ratio),
            reached,
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _image(document: Document, chart: drawing.Chart) -> str:
    return f"![{chart.title}](benchmarks/{document['name']}-{chart.name}.svg)"


def _exponents(curves: list[Document]) -> list[str]:
    return [
        f"Time grows with {curve['x_title']} as x^{curve['exponent']:.2f} over the last decades."
        for curve in curves
        if curve["exponent"] is not None
    ]


def main() -> None:
    """Write the page and its charts."""
    documents = read(harness.parser(__doc__).parse_args().results)
    folder = DOCS / "benchmarks"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    for document in documents:
        for chart in drawing.charts(document):
            target = folder / f"{document['name']}-{chart.name}.svg"
            target.write_text(drawing.svg(chart), "utf-8")
    (DOCS / "benchmarks.md").write_text(page(documents), "utf-8")


if __name__ == "__main__":
    main()
