"""A browser for the pages of this room."""

from __future__ import annotations

import pytest

from report.browsing import browser, need_browser


@pytest.fixture(scope="module")
def running():
    need_browser()
    with browser() as found:
        yield found
