"""Turn the formulas of the documentation into MathML when mkdocs builds it (a hook of mkdocs.yml).

A page writes `$...$` in a line and `$$...$$` on lines of their own; arithmatex marks them, and
`on_page_content` replaces each mark with MathML, which browsers show without a script.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert

MARKED = re.compile(
    r'<(span|div) class="arithmatex">\s*\\(?P<open>[(\[])(?P<tex>.*?)\\[)\]]\s*</\1>', re.DOTALL
)


def on_page_content(html: str, **_: Any) -> str:
    """Return the page with every formula as MathML."""
    return MARKED.sub(_mathml, html)


def _mathml(found: re.Match[str]) -> str:
    tex = unescape(found["tex"]).strip()
    if found["open"] == "(":
        return str(convert(tex, display="inline"))
    # A wide formula scrolls sideways on a phone, with the arrow keys, too.
    return f'<div class="formula" tabindex="0">{convert(tex, display="block")}</div>'
