"""A real browser for the tests of pages: Debian's chromium, driven by playwright."""

from __future__ import annotations

import importlib.util
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


def need_browser():
    """Skip without a browser, unless LOGLIFT_REQUIRE_BROWSER says that there must be one."""
    missing = [name for name in ("playwright", "axe_playwright_python") if not _installed(name)]
    if shutil.which("chromium") is None:
        missing.append("chromium")
    if not missing:
        return
    reason = f"pages are tested in a browser: {', '.join(missing)} is not installed"
    if os.environ.get("LOGLIFT_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def browser():
    from playwright.sync_api import sync_playwright  # noqa: PLC0415, only with a browser

    with sync_playwright() as driver:
        running = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        yield running
        running.close()


class Opened:
    """A page on screen, with everything it said and asked for."""

    def __init__(self, running, path, size="desktop", scheme="light"):
        width, height = SIZES[size]
        self.said, self.asked = [], []
        self.page = running.new_page(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.address = path.as_uri()
        self.page.goto(self.address)
        self.name = f"{path.stem}-{size}-{scheme}"

    def keep_screenshot(self, name=""):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{self.name}{name}.png", full_page=True)

    def violations(self):
        from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415

        found = Axe().run(self.page).response["violations"]
        return [(v["id"], [node["html"][:200] for node in v["nodes"][:3]]) for v in found]


def _installed(name):
    return importlib.util.find_spec(name) is not None


# Texts that stand outside the window or over one another, unless they scroll inside a part.
MISPLACED = """() => {
  const seen = (e) => e.checkVisibility() && getComputedStyle(e).visibility !== "hidden";
  const part = (e) => e.closest(".scroll");
  const scrolls = (e) => part(e) && part(e).scrollWidth > part(e).clientWidth;
  const told = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  const leaves = [...document.querySelectorAll("header *, main *, footer *")].filter((e) =>
    seen(e) && !scrolls(e) && !["title", "OPTION"].includes(e.tagName) && told(e));
  const place = (e) => {
    const range = document.createRange();
    range.selectNodeContents(e);
    const shortened = getComputedStyle(e).overflow === "hidden";
    const whole = shortened || ["SELECT", "BUTTON"].includes(e.tagName);
    return (whole ? e : range).getBoundingClientRect();
  };
  const boxes = leaves.map((e) => ({ e, ...place(e).toJSON(), text: e.textContent.slice(0, 40) }))
    .filter((box) => box.width > 1 && box.height > 1);
  const faults = boxes.filter((box) => box.right > innerWidth + 1 || box.left < -1)
    .map((box) => `outside: ${box.text}`);
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
    if (a.e.contains(b.e) || b.e.contains(a.e)) return;
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 2 && down > 4) faults.push(`overlap: ${a.text} | ${b.text}`);
  }));
  if (document.documentElement.scrollWidth > innerWidth) faults.push("scrolls sideways");
  return faults;
}"""
