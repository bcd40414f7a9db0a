"""Compare the figures that a page states with what the code computes."""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path
from string import Formatter

import pytest

ROOT = Path(__file__).parents[2]
NUMBER = r"\d(?:[\d,]*\d)?(?:\.\d+)?"
# A figure: a percentage, a decimal, or a number of at least two digits.
FIGURE = re.compile(rf"(?<![\w.^])(?:{NUMBER}(?= ?%)|\d+\.\d+|\d[\d,]*\d)(?![\w.]*\w)")
# Code, formulas, links, anchors and powers are no figures.
SILENT = re.compile(
    r"^```.*?^```$|^    [^\n]*$|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$|\]\([^)\s]*\)|\b\d+\^-?\d+",
    re.DOTALL | re.MULTILINE,
)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Page:
    """A page of the documentation, and what is claimed about the figures in it."""

    def __init__(self, name):
        self.name = name
        text = (ROOT / name).read_text("utf-8")
        # Blanked, not removed, so that positions are those in the file.
        self.prose = SILENT.sub(lambda part: re.sub(r"[^\n]", " ", part[0]), text)
        self.text = text
        self.claimed, self.faults = [], []
        self.computed = {}  # span of each figure that differs -> the computed figure

    def states(self, template, *values):
        """Claim that the page contains the template, with these values in its fields.

        A template is a piece of the page with a format field for every figure. A blank of the
        template matches any blanks, line ends and quotation marks of the page.
        """
        fields = [spec for _, _, spec, _ in Formatter().parse(template) if spec is not None]
        pattern = "".join(
            _literal(text) + ("" if spec is None else rf"({NUMBER})")
            for text, _, spec, _ in Formatter().parse(template)
        )
        found = list(re.finditer(pattern, self.text))
        if len(found) != 1:
            self.faults.append(f"{self.name} states {len(found)} times, not once: {template}")
            return
        [match] = found
        self.claimed.append(match.span())
        for i, (spec, value) in enumerate(zip(fields, values, strict=True), 1):
            computed = format(value, spec)
            if match[i] != computed:
                where = f"{self.name}:{self._line(match.start(i))}"
                self.faults.append(f"{where} states {match[i]}, computed {computed}: {template}")
                self.computed[match.span(i)] = computed

    def gives(self, *texts):
        """Name pieces of the page whose figures need no test: choices, names, examples."""
        for text in texts:
            places = [match.span() for match in re.finditer(_literal(text), self.text)]
            if not places:
                self.faults.append(f"{self.name} no longer says: {text}")
            self.claimed += places

    def run(self, number=0):
        """Run a Python block of the page; return its names."""
        names = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(BLOCK.findall(self.text)[number], names)  # noqa: S102, our own documentation
        return names

    def check(self):
        """Fail with a list of the figures that differ and the figures that no test computes."""
        for match in FIGURE.finditer(self.prose):
            if not any(first <= match.start() < last for first, last in self.claimed):
                line = self._line(match.start())
                said = self.text.splitlines()[line - 1].strip()
                self.faults.append(f"{self.name}:{line} states {match[0]}, untested: {said}")
        if os.environ.get("LOGLIFT_WRITE_FIGURES"):
            self._write()
        if self.faults:
            pytest.fail("\n".join(self.faults), pytrace=False)

    def _write(self):
        text = self.text
        for (first, last), computed in sorted(self.computed.items(), reverse=True):
            text = text[:first] + computed + text[last:]
        (ROOT / self.name).write_text(text, "utf-8")

    def _line(self, place):
        return self.text.count("\n", 0, place) + 1


def _literal(text):
    """Return a pattern for a text; its blanks match any blanks and marks of a quotation."""
    words = [re.escape(word) for word in re.split(r"\s+", text)]
    return r"(?:\s|(?<=\n)> ?)+".join(words)
