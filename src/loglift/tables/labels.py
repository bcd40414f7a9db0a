"""Labels of a file: what its columns are called, and which texts stand for their codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Labels:
    """What a file says about a column.

    Attributes
    ----------
    title
        Its own label, such as "Highest school that was finished".
    texts
        What is shown for each code, in the order of the codes; empty for a column without labels.
    ordered
        Whether the file says that the order of the codes means something.

    """

    title: str | None = None
    texts: Mapping[Any, str] = field(default_factory=dict)
    ordered: bool = False


def shown_texts(labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return the text of each code, in the order of the codes; different codes look different.

    A blank label is the code itself, and the code follows a label that several codes have, or that
    looks like another code.
    """
    named = {code: labels[code] if labels[code].strip() else code_text(code) for code in labels}
    times, codes = Counter(named.values()), {code_text(code) for code in labels}

    def unclear(code: Any, text: str) -> bool:
        other = text != code_text(code) and (text in codes or _is_number(text))
        return other or times[text] > 1

    return {
        code: f"{text} ({code_text(code)})" if unclear(code, text) else text
        for code, text in sorted(named.items())
    }


def _is_number(text: str) -> bool:
    """Whether a label looks like a code that has no label."""
    try:
        return code_text(float(text)) == text
    except ValueError:
        return False


def code_text(code: Any) -> str:
    """Return a code as text: whole numbers without a point."""
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def is_labelled(codes: Iterable[Any], labels: Mapping[Any, str]) -> bool:
    """Whether a column shows its labels: at least half of its different codes have one.

    Of an age of which 89 is "89 or older", the labels are for few codes: it stays numbers.
    """
    seen = set(codes) - {None}
    return bool(seen) and 2 * len(seen & labels.keys()) >= len(seen)
