"""Reports in a real browser: they draw, answer, pass axe, and ask the network for nothing."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest
from click.testing import CliRunner

from loglift.cli import main
from loglift.tables.formulas import is_formula
from report.browsing import MISPLACED, Opened, browser, need_browser

HOSTILE = (
    "</script><script>document.title='x'</script>",
    "w" * 200,
    "שלום",
    "<b>bold</b>",
    "😀",
    "=1+1",
)


@pytest.fixture(scope="module")
def running():
    need_browser()
    with browser() as found:
        yield found


def write(path, names, secrets, records, seed):
    rng = np.random.default_rng(seed)
    tilt = rng.dirichlet(np.ones(len(secrets)) * 3, len(names)).cumsum(axis=1)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["place", "secret"])
        for x in rng.integers(0, len(names), records):
            s = min(int((rng.random() > tilt[x]).sum()), len(secrets) - 1)
            writer.writerow([names[x], secrets[s]])


def write_wide(path):
    """Write a table of seven public columns, in which many rows are values of their own."""
    rng = np.random.default_rng(7)
    names = ["age", "workclass", "education", "marital-status", "occupation", "sex", "race"]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "ill"])
        for row in rng.integers(0, [12, 4, 6, 4, 9, 2, 3], (1500, 7)).tolist():
            ill = "yes" if rng.random() < 0.1 + 0.03 * row[0] + 0.1 * row[5] else "no"
            writer.writerow([*(f"{name} {n}" for name, n in zip(names, row, strict=True)), ill])
    return names


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Reports of a plain table, of one with hostile names, and of one with many values."""
    need_browser()
    folder, found = tmp_path_factory.mktemp("pages"), {}
    tables = {
        "plain": ([f"place {i}" for i in range(40)], ["low", "high"], 4000, ["--eps", "0.4"]),
        "hostile": (HOSTILE, ["<i>a</i>", "b" * 90, "c"], 1500, ["--eps", "0.2"]),
        "many": ([f"Town number {i:03}" for i in range(300)], [f"illness {i}" for i in range(12)],
                 20_000, ["--upper", "1.2"]),
        "zeros": ([f"place {i}" for i in range(30)], ["low", "middle", "high"], 300,
                  ["--eps", "0.6"]),
    }  # fmt: skip
    for seed, (name, (values, secrets, records, bound)) in enumerate(tables.items()):
        path, out = folder / f"{name}.csv", folder / name
        write(path, values, secrets, records, seed)
        command = ["protect", str(path), "-s", "secret", "-p", "place", *bound, "-o", str(out)]
        done = CliRunner().invoke(main, [*command, "--public-report"])
        assert done.exit_code == 0, done.output
        for page in ("report", "public-report"):
            found[f"{name}-{page}"] = (out / f"{page}.html").rename(folder / f"{name}-{page}.html")
    out = folder / "wide"
    public = [part for name in write_wide(folder / "wide.csv") for part in ("-p", name)]
    command = ["protect", str(folder / "wide.csv"), "-s", "ill", *public, "--eps", "1"]
    done = CliRunner().invoke(main, [*command, "-o", str(out)])
    assert done.exit_code == 0, done.output
    found["wide-report"] = (out / "report.html").rename(folder / "wide-report.html")
    audit = folder / "audit.html"
    command = ["audit", str(folder / "plain.csv"), "-s", "secret", "-p", "place"]
    CliRunner().invoke(main, [*command, "--eps", "0.3", "--report", str(audit)])
    table = str(folder / "plain.csv")
    sweep = [
        "frontier",
        table,
        "-s",
        "secret",
        "-p",
        "place",
        "--eps",
        "0.1,0.3,1",
        "--min-information",
        "0.9",
    ]
    out = folder / "frontier"
    done = CliRunner().invoke(main, [*sweep, "--methods", "search,greedy,complete", "-o", str(out)])
    assert done.exit_code == 0, done.output
    return found | {"audit": audit, "frontier": out / "frontier.html"}


LOOKS = [("desktop", "light"), ("phone", "dark")]
LOOKED_AT = [
    ("plain-report", *look) for look in [*LOOKS, ("desktop", "dark"), ("phone", "light")]
] + [
    (name, *look)
    for name in (
        "hostile-report",
        "many-report",
        "zeros-report",
        "wide-report",
        "plain-public-report",
        "audit",
        "frontier",
    )
    for look in LOOKS
]


@pytest.mark.parametrize(("name", "size", "scheme"), LOOKED_AT)
def test_a_page_is_whole_quiet_and_accessible(running, pages, name, size, scheme):
    opened = Opened(running, pages[name], size, scheme)
    opened.keep_screenshot()
    assert opened.page.evaluate(MISPLACED) == []
    if name == "plain-report" or size == "phone":  # axe takes a while: the others once each
        assert opened.violations() == []
    assert opened.said == []
    assert opened.asked == [opened.address]
    opened.page.close()


@pytest.fixture
def opened(running, pages, request):
    found = Opened(running, pages[request.param], "desktop")
    yield found
    assert found.said == []
    assert found.asked == [found.address]
    found.page.close()


@pytest.mark.parametrize("opened", ["plain-report"], indirect=True)
def test_search_order_and_pages_of_the_heat_map(opened):
    page = opened.page
    assert page.locator("#heat tbody tr").count() == 25
    # two of the 40 public values look alike
    assert page.locator("#heat-pager span").inner_text() == "1 to 25 of 39 rows"
    page.locator("#heat-pager button", has_text="Next").click()
    assert page.locator("#heat tbody tr").count() == 14
    page.fill("#heat-search", "PLACE 7")
    assert page.locator("#heat tbody th .name").all_inner_texts() == ["place 7"]
    page.fill("#heat-search", "nowhere")
    assert page.locator("#heat-pager span").inner_text() == "No rows found"
    page.fill("#heat-search", "")
    page.select_option("#heat-order", "name")
    assert page.locator("#heat tbody th .name").first.inner_text() == "place 0"
    page.select_option("#heat-side", "after")
    assert page.locator("#heat tbody tr").first.locator("td.cell").count() == 2


@pytest.mark.parametrize("opened", ["plain-report"], indirect=True)
def test_pointing_and_arrow_keys_tell_the_counts(opened):
    page = opened.page
    page.locator("#heat td.cell").nth(1).hover()
    tip = page.locator("#tip")
    assert tip.is_visible()
    label = page.locator("#heat td.cell").nth(1).get_attribute("aria-label")
    for line in tip.inner_text().splitlines()[2:]:
        assert line.removesuffix(" nats") in label
    opened.keep_screenshot("-tip")
    page.mouse.move(2, 2)
    assert not tip.is_visible()
    page.locator("#heat td.cell").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    cell = page.locator("#heat tbody tr").nth(1).locator("td.cell").nth(1)
    assert cell.evaluate("cell => cell === document.activeElement")
    assert tip.is_visible()
    assert tip.bounding_box()["x"] >= 0
    assert page.locator("#heat td.cell[tabindex='0']").count() == 1


@pytest.mark.parametrize("opened", ["plain-report"], indirect=True)
def test_the_partition_is_searched_sorted_opened_and_saved(opened, tmp_path):
    page = opened.page
    page.check("#partition-merged")
    page.locator("#partition button.link").first.click()
    listed = page.locator("#partition .members").first
    assert listed.is_visible()
    size = page.locator("#partition button.link").first.inner_text().split()[0]
    assert listed.locator("li").count() == int(size)
    page.uncheck("#partition-merged")
    page.fill("#partition-search", "place 17")
    assert page.locator("#partition tbody tr").count() == 1
    page.fill("#partition-search", "")
    page.locator("#partition button.sort", has_text="records").click()
    shown = page.locator("#partition tbody tr td:nth-child(3)").all_inner_texts()
    records = [int(text.replace(",", "")) for text in shown]
    assert records == sorted(records, reverse=True)
    assert page.locator("#partition th[aria-sort='descending']").inner_text() == "records ↓"
    with page.expect_download() as saving:
        page.click("#partition-csv")
    saving.value.save_as(tmp_path / "values.csv")
    with (tmp_path / "values.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 40
    assert set(rows[0]) == {"place", "released place", "records", "omega"}
    assert sum(int(row["records"]) for row in rows) == 4000


@pytest.mark.parametrize("opened", ["hostile-report", "hostile-public-report"], indirect=True)
def test_hostile_names_are_texts(opened):
    assert opened.page.title() != "x"
    assert opened.page.locator("#partition b").count() == 0
    assert opened.page.locator("main i").count() == 0
    opened.page.fill("#partition-search", "</script>")
    assert opened.page.locator("#partition tbody tr").count() == 1


@pytest.mark.parametrize("opened", ["hostile-report", "hostile-public-report"], indirect=True)
def test_saved_values_are_no_formulas(opened, tmp_path):
    with opened.page.expect_download() as saving:
        opened.page.click("#partition-csv")
    saving.value.save_as(tmp_path / "values.csv")
    with (tmp_path / "values.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["place"] for row in rows} == {*HOSTILE[:-1], "'=1+1"}
    assert not any(is_formula(cell) for row in rows for cell in row.values())


@pytest.mark.parametrize("opened", ["plain-report"], indirect=True)
def test_the_charts_are_drawn(opened):
    chart = opened.page.locator("#frontier .wide svg")
    assert chart.is_visible()
    assert not opened.page.locator("#frontier .narrow svg").is_visible()
    assert chart.locator("[aria-roledescription=point]").count() >= 6
    assert chart.locator('[aria-label^="this release"]').count() == 1
    assert opened.page.locator("#heat td.cell").first.evaluate(
        "e => getComputedStyle(e).backgroundColor"
    ) not in ("rgba(0, 0, 0, 0)", "rgb(253, 253, 251)")


# How every kind of cell looks, in the legend and in the map: colour, pattern and frame.
LOOKS_OF_CELLS = """(place) => Object.fromEntries(
  [...document.querySelectorAll(place)].map((e) => {
    const look = getComputedStyle(e);
    const kind = [...e.classList].find((name) => name.startsWith("m-"));
    return [kind, [look.backgroundColor, look.backgroundImage, look.boxShadow]];
  }))"""


@pytest.mark.parametrize("opened", ["hostile-report", "many-report", "zeros-report"], indirect=True)
def test_cells_look_as_the_legend_says(opened):
    legend = opened.page.evaluate(LOOKS_OF_CELLS, ".legend .cell")
    cells = opened.page.evaluate(LOOKS_OF_CELLS, "#heat td.cell")
    cells.pop("m-none", None)
    assert len(cells) > 3
    assert cells == {kind: legend[kind] for kind in cells}
    if "zeros" in opened.name:
        assert "repeating-linear-gradient" in cells["m-z"][1]


@pytest.mark.parametrize("opened", ["many-report", "zeros-report"], indirect=True)
def test_cells_and_legend_can_be_read_without_colour(opened):
    seen = set()
    for place in (".legend .cell", "#heat td.cell"):
        for cell in opened.page.locator(place).all()[:200]:
            [kind] = re.findall(r"m-(\w+)", cell.get_attribute("class"))
            [text, *_] = cell.inner_text().strip().splitlines() or [""]
            seen.add(kind)
            if kind in "zZ":
                assert text in ("", "−∞")
            elif kind != "none":
                assert text.startswith("−") == kind.islower(), (place, kind, text)
                assert text
    assert {"a", "b", "A", "B"} <= seen


def sheets(pdf):
    """Return the number of pages of a PDF."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize("opened", ["plain-report", "wide-report"], indirect=True)
def test_a_release_prints_as_a_record_of_two_sheets(opened):
    page = opened.page
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    for part in ("columns", "record", "guarantee"):
        assert page.locator(f"#{part}").is_visible()
    for part in ("preview", "figures", "heat-map", "values", "frontier", "parameters"):
        assert page.locator(f"#{part}").count() == 1
        assert not page.locator(f"#{part}").is_visible()
    assert page.locator(".verdict").first.is_visible()
    opened.keep_screenshot("-print")
    for paper in ("A4", "Letter"):
        assert 1 <= sheets(page.pdf(format=paper)) <= 2


@pytest.mark.parametrize("opened", ["audit", "frontier", "plain-public-report"], indirect=True)
def test_other_pages_print_whole(opened):
    opened.page.emulate_media(media="print")
    parts = opened.page.locator("main > section").all()
    assert len(parts) > 1
    assert all(part.is_visible() for part in parts)
    assert not opened.page.locator(".tools").first.is_visible()


@pytest.mark.parametrize("opened", ["wide-report"], indirect=True)
def test_values_with_the_same_cells_share_a_row(opened):
    page = opened.page
    row = page.locator("#heat tbody tr", has=page.locator("th.several")).first
    button = row.locator("button.link")
    more = int(re.fullmatch(r"and ([\d,]+) more like it", button.inner_text())[1])
    button.click()
    listed = row.locator(".members li")
    assert listed.count() == min(more + 1, 201)  # 200 values, and how many more there are
    one = listed.nth(1).locator("bdi").inner_text()
    page.fill("#heat-search", one)
    assert page.locator("#heat tbody th .name").first.inner_text() == one
    assert "row" in page.locator("#heat-pager span").inner_text()


@pytest.mark.parametrize("opened", ["plain-report", "wide-report", "audit"], indirect=True)
def test_two_sensitive_values_fill_the_width_of_the_heat_map(opened):
    place, table = opened.page.locator("#heat-scroll"), opened.page.locator("#heat")
    for side in ("both", "before"):
        if "audit" not in opened.name:
            opened.page.select_option("#heat-side", side)
        assert table.bounding_box()["width"] > 0.98 * place.bounding_box()["width"]
        cells = opened.page.locator("#heat tbody tr").first.locator("td.cell, td.gap").all()
        filled = sum(cell.bounding_box()["width"] for cell in cells)
        assert filled > 0.55 * place.bounding_box()["width"]
    cell = opened.page.locator("#heat td.cell").first
    assert re.search(r"[\d,]+ of [\d,]+", cell.inner_text())


@pytest.mark.parametrize("opened", ["wide-report"], indirect=True)
def test_ten_released_rows_are_shown(opened):
    rows = opened.page.locator("table.preview tbody tr")
    assert rows.count() == 10
    assert rows.first.locator("td").count() == 8  # seven columns and the number of the block
