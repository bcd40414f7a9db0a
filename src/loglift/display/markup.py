"""Templates: Jinja2 files of a package, every text in them escaped.

jinja2 loads when the first one is rendered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(package: str, filters: Mapping[str, Callable[..., Any]]) -> Environment:
    """Return the templates of a package: what is put into them is escaped, and must be there."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415, only for pages

    found = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= filters
    return found


def text_of(rendered: str) -> str:
    """Return a rendered template as text that can be written: half a surrogate pair cannot."""
    return rendered.encode("utf-8", "replace").decode("utf-8")
