"""The documentation as a site: it builds, its links work, and it needs no network at all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from report.browsing import Opened, browser, need_browser

ROOT = Path(__file__).parents[2]
# What a browser loads without being asked: tag -> attribute.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
MAIN_PAGES = [
    "index",
    "install",
    "tutorial",
    "data-scientist",
    "researcher",
    "mathematics",
    "api",
    "cli",
    "reference/utility",
]
PHONE_PAGES = ["index", "tutorial", "mathematics", "reference/utility"]


class Read(HTMLParser):
    """The addresses, anchors and formulas of a page."""

    def __init__(self, path):
        super().__init__()
        self.loaded, self.links, self.anchors, self.tags = [], [], set(), []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag in LOADED and given.get(LOADED[tag]):
            self.loaded.append(given[LOADED[tag]])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-W", "ignore", "-m", "mkdocs", "build", "--strict", "--quiet"]
    done = subprocess.run(
        [*command, "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    return {path: Read(path) for path in sorted(site.rglob("*.html"))}


@pytest.fixture(scope="module")
def running():
    need_browser()
    with browser() as started:
        yield started


def test_every_page_has_its_file(site, pages):
    named = {path.stem for path in (ROOT / "docs").glob("*.md")}
    made = {path.relative_to(site).with_suffix("").as_posix() for path in pages}
    assert made >= named | {"cli", "api", "changelog", "cite", "reference/tables"}


def test_no_page_loads_anything_from_the_network(site, pages):
    loaded = {address for page in pages.values() for address in page.loaded}
    assert len(loaded) > 5
    assert [address for address in loaded if urlsplit(address).netloc] == []
    styles = "".join(path.read_text("utf-8") for path in site.rglob("*.css"))
    addresses = re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')\s]+)", styles)
    assert [address for address in addresses if re.match(r"(https?:)?//", address)] == []


def test_links_and_anchors_lead_somewhere(site, pages):
    broken = []
    for path, page in pages.items():
        if path.name == "404.html":  # its addresses begin at the root of a server
            continue
        for address in (*page.links, *page.loaded):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                broken.append((path.relative_to(site).as_posix(), address))
            elif parts.fragment and target in pages:
                known = unquote(parts.fragment) in pages[target].anchors
                broken += [] if known else [(path.relative_to(site).as_posix(), address)]
    assert broken == []


def test_formulas_are_mathml(site, pages):
    assert "math" in pages[site / "index.html"].tags
    assert pages[site / "mathematics.html"].tags.count("math") > 5
    left = [path.name for path in pages if "arithmatex" in path.read_text("utf-8")]
    assert left == []


def test_code_is_coloured_in_the_file(site):
    text = (site / "index.html").read_text("utf-8")
    assert re.search(r'<span class="k[nw]?">import</span>', text)


def test_a_browser_without_a_network_finds_a_word(site, running):
    context = running.new_context(offline=True)
    asked, said = [], []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto((site / "index.html").as_uri())
    page.locator("input.md-search__input").click()
    page.keyboard.type("invariant PRAM")
    found = page.locator(".md-search-result__link").first
    found.wait_for()
    assert "guarantee.html" in found.get_attribute("href")
    assert [address for address in asked if not address.startswith("file:")] == []
    assert said == []
    context.close()


def test_commands_are_copied_without_their_prompt(site, running):
    opened = Opened(running, site / "tutorial.html")
    block = opened.page.locator("pre:has(.gp) > code").first
    assert block.inner_text().startswith("$ loglift")
    block.evaluate("code => code.setAttribute('data-md-copying', '')")  # as the button does
    assert block.inner_text().startswith("loglift")


@pytest.mark.parametrize(
    ("size", "scheme", "names"),
    [
        ("desktop", "light", MAIN_PAGES),
        ("phone", "dark", PHONE_PAGES),
        ("desktop", "dark", ["index"]),
        ("phone", "light", ["index"]),
    ],
)
def test_main_pages_fit_and_are_accessible(site, running, size, scheme, names):
    faults = []
    for name in names:
        opened = Opened(running, site / f"{name}.html", size, scheme)
        opened.page.locator(".md-content").wait_for()
        excess = opened.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        faults += [(name, f"{excess} pixels too wide")] if excess > 0 else []
        faults += [(name, said) for said in opened.said]
        faults += [(name, *violation) for violation in opened.violations()]
        opened.page.close()
    assert faults == []


def test_charts_keep_their_size_on_a_phone_and_scroll_in_their_place(site, running):
    opened = Opened(running, site / "benchmarks.html", "phone")
    charts = opened.page.locator("img[src$='.svg']:not(.md-logo img)")
    assert charts.count() > 5
    for chart in charts.all():
        shown, drawn = chart.evaluate("e => [e.clientWidth, e.naturalWidth]")
        assert shown == drawn
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 390
