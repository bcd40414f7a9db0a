"""The reader of stated figures names those that differ and those that no test computes."""

from __future__ import annotations

import pytest

from docs import stated

PAGE = """# A page

Of 217 values search keeps 91.0
and 96.7 % at eps 0.5 and 1.

> A quotation of
> 12 records.

    formula 33.3 %

```text
44.4 %
```

Code is silent, `55.5 %`, and so are 10^-12, [links](page-66.6.md), x11 and Algorithm 1.
"""


@pytest.fixture
def page(tmp_path, monkeypatch):
    (tmp_path / "page.md").write_text(PAGE)
    monkeypatch.setattr(stated, "ROOT", tmp_path)
    monkeypatch.delenv("LOGLIFT_WRITE_FIGURES", raising=False)
    return stated.Page("page.md")


def claim(page, first=91.0, records=12):
    page.states("search keeps {:.1f} and {:.1f} % at eps", first, 96.7)
    page.states("A quotation of {} records.", records)
    page.gives("Of 217 values", "at eps 0.5 and 1")


def test_a_page_whose_figures_are_computed_passes(page):
    claim(page)
    page.check()


def test_a_figure_that_differs_is_named_with_its_line_and_both_values(page):
    claim(page, first=90.87, records=13)
    with pytest.raises(pytest.fail.Exception) as failed:
        page.check()
    assert "page.md:3 states 91.0, computed 90.9" in str(failed.value)
    assert "page.md:7 states 12, computed 13" in str(failed.value)


def test_a_figure_that_no_test_computes_is_found(page):
    page.states("search keeps {:.1f} and {:.1f} % at eps", 91.0, 96.7)
    with pytest.raises(pytest.fail.Exception) as failed:
        page.check()
    untested = [line.split(", untested")[0] for line in str(failed.value).splitlines()]
    assert untested == ["page.md:3 states 217", "page.md:4 states 0.5", "page.md:7 states 12"]


def test_what_a_page_no_longer_says_is_told(page):
    claim(page)
    page.states("search loses {:.1f} %", 1.0)
    page.gives("no such words")
    with pytest.raises(pytest.fail.Exception) as failed:
        page.check()
    assert "states 0 times, not once: search loses" in str(failed.value)
    assert "no longer says: no such words" in str(failed.value)


def test_computed_figures_are_written_when_asked_for(page, tmp_path, monkeypatch):
    monkeypatch.setenv("LOGLIFT_WRITE_FIGURES", "1")
    claim(page, first=90.87, records=1300)
    with pytest.raises(pytest.fail.Exception):
        page.check()
    text = (tmp_path / "page.md").read_text()
    assert text == PAGE.replace("91.0", "90.9").replace("12 records", "1300 records")
