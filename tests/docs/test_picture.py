"""The picture of a table before and after is that of a real run."""

from __future__ import annotations

import re

import pytest

from tool_modules import load


@pytest.fixture(scope="module")
def module():
    return load("picture")


@pytest.fixture(scope="module")
def made(module):
    return module.picture()


def test_the_image_of_the_readme_is_the_one_that_is_made(module, made):
    assert module.PLACE.read_text("utf-8") == module.svg(made), "run tools/picture.py"


def test_red_values_are_outside_before_and_no_value_is_after(made):
    assert any(made.outside(row.share_before) for row in made.rows)
    assert not any(made.outside(row.share_after) for row in made.rows)
    untouched = [row for row in made.rows if row.before == row.after]
    assert untouched
    assert all(row.share_before == row.share_after for row in untouched)


def test_the_table_marks_what_is_outside(module, made):
    marked = re.findall(r'<td class="outside">(\d+%)</td>', module.html(made))
    outside = [row.share_before for row in made.rows if made.outside(row.share_before)]
    assert marked == [f"{share:.0%}" for share in outside]
