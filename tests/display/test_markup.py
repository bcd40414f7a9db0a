"""Templates escape what is put into them, and miss nothing."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from loglift.display.markup import environment, text_of


def test_parts_are_escaped_and_filters_are_known():
    found = environment("loglift.display", {"twice": lambda text: text * 2})
    assert found.from_string("{{ part|twice }}").render(part="<b>") == "&lt;b&gt;&lt;b&gt;"


def test_a_part_that_is_missing_is_an_error():
    with pytest.raises(UndefinedError):
        environment("loglift.display", {}).from_string("{{ part }}").render()


def test_half_a_surrogate_pair_is_replaced():
    assert text_of("a\ud800b") == "a?b"
