"""The documentation as a site: it builds without a warning, and fits a phone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from report.browsing import Opened, browser, need_browser

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-W", "ignore", "-m", "mkdocs", "build", "--strict", "--quiet"]
    done = subprocess.run(
        [*command, "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_has_its_file(site):
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert {path.parent.name for path in site.glob("*/index.html")} >= pages | {"cli", "api"}


def test_charts_keep_their_size_on_a_phone_and_scroll_in_their_place(site):
    need_browser()
    with browser() as running:
        opened = Opened(running, site / "benchmarks" / "index.html", "phone")
        charts = opened.page.locator("img[src$='.svg']")
        assert charts.count() > 5
        for chart in charts.all():
            shown, drawn = chart.evaluate("e => [e.clientWidth, e.naturalWidth]")
            assert shown == drawn
        assert opened.page.evaluate("document.documentElement.scrollWidth") == 390
