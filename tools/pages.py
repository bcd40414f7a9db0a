"""Make pages from other files when mkdocs builds the documentation (a hook of mkdocs.yml).

changelog.md is CHANGELOG.md, cite.md is made of CITATION.cff, every docs/notebooks/NAME.ipynb is a
page of its cells and their saved outputs, and the first page gets its picture.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "docs" / "notebooks"
START = "Start"  # the part of the navigation that the notebooks join
PICTURE = "<!-- the picture: tools/picture.py -->"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the notebooks to the navigation."""
    pages = [{_title(path): f"notebooks/{path.stem}.md"} for path in _notebooks()]
    if pages:
        [start] = [part[START] for part in config.nav or () if START in part]
        start.append({"Notebooks": pages})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those of the docs folder."""
    from mkdocs.structure.files import File  # noqa: PLC0415, only where mkdocs runs

    pages = {"changelog.md": (ROOT / "CHANGELOG.md").read_text("utf-8"), "cite.md": cite_page()}
    pages |= {f"notebooks/{path.stem}.md": notebook_page(path) for path in _notebooks()}
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Put the picture into the first page."""
    if page.file.src_uri != "index.md":
        return markdown
    sys.path.insert(0, str(Path(__file__).parent))
    from picture import html, picture  # noqa: PLC0415, only this page needs a run of protect

    if PICTURE not in markdown:
        raise LookupError(f"index.md has no place for the picture: {PICTURE}")
    return markdown.replace(PICTURE, html(picture()))


def on_page_content(html: str, **_: Any) -> str:
    """Make tables and charts usable without a mouse and without eyes.

    A screen reader would announce an empty heading of a table. A chart that scrolls sideways in
    its place (site.css) must take the focus, so that the arrow keys scroll it.
    """
    html = html.replace("<th></th>", "<td></td>")
    return re.sub(r'<p>(?=<img [^>]*src="[^"]+\.svg")', '<p class="chart" tabindex="0">', html)


def on_post_page(output: str, **_: Any) -> str:
    """Name the dialog of the search, which the theme leaves without a name."""
    return output.replace('role="dialog">', 'role="dialog" aria-label="Search">', 1)


def cite_page() -> str:
    """Return how to cite loglift and the paper, from CITATION.cff."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    [paper] = cited["references"]
    names = [f"{author['family-names']}, {author['given-names']}" for author in paper["authors"]]
    [preprint] = [found["value"] for found in paper["identifiers"]]
    software = {
        "title": f"{{{cited['title']}}}: {cited['abstract'].rstrip('.')}",
        "author": "{" + cited["authors"][0]["name"] + "}",
        "version": cited["version"],
    }
    article = {
        "title": paper["title"],
        "author": " and ".join(names),
        "year": paper["year"],
        "note": preprint,
    }
    return "\n\n".join(
        [
            "# Cite",
            cited["message"],
            _bibtex("software", "loglift", software),
            _bibtex("article", "zarrabian2021watchdog", article),
            "The same is in `CITATION.cff`, which GitHub and Zotero read.",
        ]
    )


def _bibtex(kind: str, key: str, fields: dict[str, object]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join(["```bibtex", f"@{kind}{{{key},", *lines, "}", "```"])


def _notebooks() -> list[Path]:
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def _title(path: Path) -> str:
    """Return the first heading of a notebook."""
    found = re.search(r"^# (.+)$", notebook_page(path), re.MULTILINE)
    return found[1] if found else path.stem


def notebook_page(path: Path) -> str:
    """Return the cells of a notebook and their saved outputs as Markdown."""
    parts = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif source.strip():
            parts.append(f"```python\n{source}\n```")
            parts += [_output(output) for output in cell["outputs"]]
    parts.insert(1, f"*[The notebook, to run]({path.name})*")
    return "\n\n".join(parts) + "\n"


def _output(output: dict[str, Any]) -> str:
    """Return one saved output: a chart, HTML or text."""
    shown = output.get("data", {"text/plain": output.get("text", "")})
    charts = [kind for kind in shown if kind.startswith("application/vnd.vegalite")]
    if charts:
        import vl_convert  # noqa: PLC0415, only for notebooks with charts

        return _block(vl_convert.vegalite_to_svg(shown[charts[0]]))
    for kind in ("image/svg+xml", "text/html"):
        if kind in shown:
            return _block("".join(shown[kind]))
    return f"```text\n{''.join(shown['text/plain']).rstrip()}\n```"


def _block(html: str) -> str:
    """Return HTML as one block of Markdown: a blank line would end it."""
    text = re.sub(r"\n\s*\n", "\n", html.strip())
    return f'<div class="output" tabindex="0" markdown="0">{text}</div>'
