"""Execute the notebooks of the documentation and store their outputs: `make notebooks`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"
SECONDS = 600  # for one cell


def executed(path: Path) -> Any:
    """Return a notebook with the outputs of a fresh run; raise where a cell raises."""
    notebook = nbformat.reads(path.read_text("utf-8"), as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3")
    return client.execute(cwd=str(path.parent))


def tidied(notebook: Any) -> Any:
    """Return a notebook that says nothing about the machine and the time of its run."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {}
    return notebook


def main() -> None:
    """Execute every notebook in place."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        text = nbformat.writes(tidied(executed(path)))  # type: ignore[no-untyped-call]
        path.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
