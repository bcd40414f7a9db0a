"""Cards: self-contained, escaped, without scripts."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from loglift.display.card import Card, Share, Table, first_of, shortened, size_of

EVIL = "<script>alert(1)</script>\"'&"


def test_every_text_is_escaped_and_the_element_is_well_formed():
    table = Table((EVIL, EVIL), ((EVIL, EVIL), (EVIL, Share(0.25))), EVIL)
    html = Card(EVIL, ((EVIL, EVIL),), (table,), (EVIL,)).html()
    root = ET.fromstring(html)  # noqa: S314, made by us
    assert root.tag == "div"
    assert "<script" not in html
    told = ["".join(element.itertext()) for element in root.iter()]
    assert sum(text == EVIL for text in told) >= 8


def test_a_card_asks_for_nothing_and_knows_dark_pages():
    html = Card("a", (), (Table(("a",), (("b",),)),)).html()
    assert not re.search(r"https?:|url\(|@import|src=|href=|<script", html)
    assert "prefers-color-scheme: dark" in html
    assert "color: inherit" in html


def test_a_share_has_a_bar_of_its_length():
    table = Table(("a", "b"), (("x", Share(0.256)), ("y", Share(1.0))))
    html = Card("a", (), (table,)).html()
    assert re.findall(r"--of: ([\d.]+%)\">([\d.]+ %)<", html) == [
        ("25.6%", "25.6 %"),
        ("100.0%", "100.0 %"),
    ]


def test_texts_are_short():
    assert shortened("a" * 100, 10) == "a" * 9 + "…"
    assert shortened(("a", None, 3)) == "a, NULL, 3"
    assert first_of([1, 2, 3], "blocks", 2) == "2 of 3 blocks"
    assert first_of([1, 2], "blocks", 2) == ""
    assert (size_of(0.5), size_of(float("inf"))) == ("0.500 nats", "∞ nats")
