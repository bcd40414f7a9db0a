"""Pages from templates: self-contained HTML documents, every text in them escaped.

Templates are Jinja2 files; jinja2 loads when the first page is rendered.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from loglift._version import __version__
from loglift.display import numbers
from loglift.display.markup import environment, text_of
from loglift.mechanism.words import limit_of
from loglift.report import words

if TYPE_CHECKING:
    from jinja2 import Environment

# Characters that could end a script element, or a line of a script, inside its data.
_UNSAFE_IN_SCRIPTS = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def render(package: str, name: str, **parts: Any) -> str:
    """Return a template of a package with its parts in place.

    Parts are escaped, unless they are `trusted`.
    """
    return text_of(_environment(package).get_template(name).render(version=__version__, **parts))


def load(package: str) -> None:
    """Compile the templates of a package: a tenth of a second."""
    environment = _environment(package)
    for name in environment.list_templates(extensions=["html"]):
        environment.get_template(name)


def trusted(text: str) -> str:
    """Return text that is HTML, CSS or a script, which a template does not escape."""
    from markupsafe import Markup  # noqa: PLC0415, loads with jinja2

    return Markup(text)  # noqa: S704, for texts of this package and of vl-convert


def file_of(name: str) -> str:
    """Return a style sheet or script of the reports, not escaped."""
    return trusted(resources.files("loglift.report").joinpath(name).read_text("utf-8"))


def script_data(data: Any) -> str:
    """Return data as JSON for a script element; no text in it can end the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return trusted(text.translate(_UNSAFE_IN_SCRIPTS))


@cache
def _environment(package: str) -> Environment:
    filters: dict[str, Callable[..., Any]] = {
        "count": lambda number: f"{number:,}",
        "nats": lambda number: numbers.nats(number).replace("inf", "∞"),
        "percent": numbers.percent,
        "percent_up": numbers.percent_up,
        "event": words.event_words,
        "context": words.context_words,
        "limit": limit_of,
    }
    return environment(package, filters)
