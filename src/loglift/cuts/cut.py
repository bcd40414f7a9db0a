"""`Cut`: how a column is read, from texts and numbers, to words and JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise
from typing import Any

from loglift.cuts.dates import UNITS, moment
from loglift.cuts.edges import (
    NOT_A_NUMBER,
    check_labels,
    checked_edge,
    exact_fraction,
    labels_in,
    labels_text,
    number_or_date,
    of_one_type,
    text_of,
)
from loglift.errors import TableError
from loglift.values import checked_number, decode, encode, encode_all, plain

MAX_BANDS = 1000  # of edges and of quantiles
_MAX_WIDTH_TERM = 2**53  # numerator or denominator of a width
_QUANTILES = "quantiles:"
# The edges before the colon that begins the labels: a time of day has colons of its own.
_EDGES = re.compile(r"(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[+-]\d\d:\d\d)?|[^:])*")
_FORMS = (
    "a width (10), edges (20,30,65), edges with labels (20,65:young,adult,old), quantiles:10, "
    f"limits (..200000, 18.., 18..90), or a unit of dates ({', '.join(UNITS)})"
)


@dataclass(frozen=True)
class Cut:
    """How a column is read: the codes that mean a missing value, then the bands.

    Make it with `Cut.steps`, `Cut.edges`, `Cut.quantiles`, `Cut.limits` or `Cut.dates`; a number, a
    list of edges, or a text as on the command line stand for it wherever bins are given.

    Attributes
    ----------
    width
        Of the bands [k w, (k+1) w).
    points
        Edges, in increasing order: band i begins with edge i-1 and ends before edge i, and the
        first and the last band are open.
    labels
        Names of the bands between the edges, one more than there are edges; else empty.
    shares
        How many quantile bands were asked for; the edges are known once a table is counted.
    low, high
        Values below the one or above the other are one open band each; those between stay.
    unit
        Dates and times are cut by year, quarter, month or day; instants in UTC.
    automatic
        Whether the bands were chosen because the column has very many values.
    missing
        Values that count as NULL, before anything is cut. Texts stand for numbers and dates, too.

    Examples
    --------
    >>> import loglift
    >>> loglift.Cut.edges([18, 65]).points
    (18, 65)
    >>> loglift.Cut.quantiles(10).shares
    10
    """

    width: float | None = None
    points: tuple[Any, ...] = ()
    labels: tuple[str, ...] = ()
    shares: int | None = None
    low: Any = None
    high: Any = None
    unit: str | None = None
    automatic: bool = False
    missing: tuple[Any, ...] = ()

    @classmethod
    def steps(cls, width: float, *, of: str = "a column") -> Cut:
        """Cut into bands of one width: [0, 10), [10, 20), ..."""
        what = f"the width of the bins of {of}"
        checked_number(width, what, above=0, error=TableError)
        exact = None if width == math.inf else exact_fraction(width)
        if exact is None or max(exact.numerator, exact.denominator) > _MAX_WIDTH_TERM:
            raise TableError(
                f"{what} is too large, too small, or has too many digits: give a number between "
                "1e-15 and 9e15, of at most 15 digits"
            )
        return cls(width=int(exact) if exact.denominator == 1 else float(exact))

    @classmethod
    def edges(
        cls, points: Iterable[Any], labels: Iterable[str] = (), *, of: str = "a column"
    ) -> Cut:
        """Cut at edges, numbers or dates, which belong to the band that they begin."""
        found = of_one_type([checked_edge(point, of) for point in points], of)
        if not 1 <= len(found) < MAX_BANDS:
            raise TableError(f"the bins of {of} need 1 to {MAX_BANDS - 1} edges, got {len(found)}")
        for one, other in pairwise(found):
            if not one < other:
                raise TableError(
                    f"the edges of the bins of {of} must increase, and {text_of(other)} follows "
                    f"{text_of(one)}"
                )
        names = tuple(labels)
        check_labels(names, len(found) + 1, of)
        return cls(points=found, labels=names)

    @classmethod
    def quantiles(cls, bands: int, *, of: str = "a column") -> Cut:
        """Cut into bands of about as many records each, at edges found in the table."""
        what = f"the number of quantiles of {of}"
        checked_number(bands, what, least=2, most=MAX_BANDS, whole=True, error=TableError)
        return cls(shares=int(bands))

    @classmethod
    def limits(cls, low: Any = None, high: Any = None, *, of: str = "a column") -> Cut:
        """Leave values between two limits, and make one open band of those beyond each."""
        given = of_one_type([checked_edge(end, of) for end in (low, high) if end is not None], of)
        if not given:
            raise TableError(f"the bins of {of} need a limit on one side: ..200000, 18.. or 18..90")
        if given[0] > given[-1]:
            raise TableError(
                f"the limits of {of} are {text_of(given[0])} and {text_of(given[-1])}: give the "
                "smaller one first"
            )
        return cls(low=None if low is None else given[0], high=None if high is None else given[-1])

    @classmethod
    def dates(cls, unit: str, *, of: str = "a column") -> Cut:
        """Cut dates and times by year, quarter, month or day."""
        if unit not in UNITS:
            raise TableError(f"{unit!r} is no unit of the dates of {of}: {', '.join(UNITS)}")
        return cls(unit=unit)

    @classmethod
    def of(cls, given: Any, column: str) -> Cut:
        """Return the cut that a number, a list of edges, or a text as in `--bin COL=...` means."""
        of, given = repr(column), plain(given)
        if isinstance(given, Cut):
            return given
        if isinstance(given, str):
            return _from_text(given, of)
        if isinstance(given, (list, tuple)):
            return cls.edges(given, of=of)
        return cls.steps(given, of=of)

    def with_missing(self, codes: Iterable[Any]) -> Cut:
        """Return the cut with codes that count as NULL."""
        return replace(self, missing=tuple(codes))

    def at(self, points: Sequence[Any]) -> Cut:
        """Return quantiles as the edges that were found for them."""
        return replace(self, points=of_one_type(points, "a column"))

    @property
    def bands(self) -> bool:
        """Whether values are cut into bands at all, and not only codes read as NULL."""
        return any(
            part is not None for part in (self.width, self.shares, self.low, self.high, self.unit)
        ) or bool(self.points)

    @property
    def found(self) -> bool:
        """Whether the bands are known; those of quantiles are found in a table."""
        return self.shares is None or bool(self.points)

    @property
    def ends(self) -> tuple[Any, ...]:
        """The edges or the limits."""
        return self.points or tuple(end for end in (self.low, self.high) if end is not None)

    @property
    def is_of_dates(self) -> bool:
        """Whether it cuts dates and times, and not numbers."""
        return self.unit is not None or any(isinstance(end, date) for end in self.ends)

    @property
    def exact_width(self) -> Fraction:
        """The width as the fraction of its decimal form."""
        return exact_fraction(self.width)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the bands between the edges, in order."""
        if self.labels or not self.points:
            return self.labels
        texts = [text_of(point) for point in self.points]
        inner = [f"[{one}, {other})" for one, other in pairwise(texts)]
        return (f"< {texts[0]}", *inner, f">= {texts[-1]}")

    def place(self, name: Any) -> Any:
        """Return what sorts the names of bands; None for NULL and NaN, which have no place."""
        if name is None or name == NOT_A_NUMBER:
            return None
        if self.points:
            return self.names.index(name) if name in self.names else None
        if self.unit is not None:
            return name
        if self.width is not None:
            return Fraction(name[1:].partition(",")[0])
        return _place_between(name, self.low, self.high, dates=self.is_of_dates)

    def span(self, first: str, last: str) -> str:
        """Name a run of bands by its ends: [20, 40), < 40, >= 20, 25-34, 2019 to 2021."""
        if self.labels or self.unit is not None:
            return f"{first} to {last}"
        if self.width is not None or self.points:
            opens, closes = first.startswith("<"), last.startswith(">=")
            begin = first.removeprefix("[").partition(",")[0]
            end = last.removesuffix(")").rpartition(", ")[2]
            if opens and closes:
                return f"{first} to {last}"
            if opens or closes:
                return f"< {end}" if opens else f">= {begin}"
            return f"[{begin}, {end})"
        if first.startswith("< ") == last.startswith("> "):
            digits = first.isdigit() and last.isdigit()
            return f"{first}-{last}" if digits else f"{first} to {last}"
        return f"<= {last}" if first.startswith("< ") else f">= {first}"

    @property
    def option(self) -> str:
        """What `--bin COL=` takes for it."""
        if self.width is not None:
            return text_of(self.width)
        if self.points:
            edges = ",".join(map(text_of, self.points)) + ("," if len(self.points) == 1 else "")
            return f"{edges.rstrip(',')}:{labels_text(self.labels)}" if self.labels else edges
        if self.shares is not None:
            return f"{_QUANTILES}{self.shares}"
        if self.unit is not None:
            return self.unit
        return "..".join("" if end is None else text_of(end) for end in (self.low, self.high))

    @property
    def words(self) -> str:
        """How reports say it, after the name of a column: "in steps of 10, -9 as missing"."""
        said = [self.band_words] if self.bands else []
        if self.missing:
            said.append(f"{' and '.join(map(text_of, self.missing))} as missing")
        return ", ".join(said)

    @property
    def band_words(self) -> str:
        """How reports say the bands alone: "in 10 quantile bands"."""
        if self.width is not None:
            return f"in steps of {text_of(self.width)}"
        if self.shares is not None:
            count = f"{len(self.points) + 1} " if self.points else ""
            return f"in {count}quantile bands"
        if self.points:
            return f"in {len(self.points) + 1} bands"
        if self.unit is not None:
            return f"by {self.unit}"
        sides = (("below", self.low), ("above", self.high))
        said = [f"{word} {text_of(end)}" for word, end in sides if end is not None]
        return f"one band {' and one '.join(said)}"

    def document(self) -> dict[str, Any]:
        """Return the JSON form: what is set, and nothing else."""
        parts = {
            "width": self.width,
            "edges": encode_all(self.points) or None,
            "labels": list(self.labels) or None,
            "quantiles": self.shares,
            "low": encode(self.low),
            "high": encode(self.high),
            "unit": self.unit,
            "automatic": self.automatic or None,
            "missing": encode_all(self.missing) or None,
        }
        return {name: part for name, part in parts.items() if part is not None}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Cut:
        """Read the JSON form back; anything that no cut could have is refused."""
        given = dict(document)
        missing = tuple(map(decode, given.pop("missing", ())))
        automatic, shares = given.pop("automatic", False), given.pop("quantiles", None)
        if "edges" in given:
            edges = tuple(map(decode, given.pop("edges")))
            made = cls.edges(edges, given.pop("labels", ()))
        elif "width" in given:
            made = cls.steps(given.pop("width"))
        elif "unit" in given:
            made = cls.dates(given.pop("unit"))
        elif "low" in given or "high" in given:
            made = cls.limits(*(decode(given.pop(side, None)) for side in ("low", "high")))
        else:
            made = cls()
        if shares is not None:
            cls.quantiles(shares)
        unclear = given or type(automatic) is not bool or (shares is not None and not made.points)
        if unclear or not (made.bands or missing):
            raise TableError("the bins of a column cannot be read")
        return replace(made, shares=shares, automatic=automatic, missing=missing)


def _place_between(name: str, low: Any, high: Any, *, dates: bool) -> tuple[int, Any]:
    """Return the place of an open band, or of a value between the limits."""
    for end, sign, place in ((low, "<", 0), (high, ">", 2)):
        if end is not None and name == f"{sign} {text_of(end)}":
            return (place, 0)
    return (1, moment(datetime.fromisoformat(name), zoned=False) if dates else Fraction(name))


def _from_text(text: str, of: str) -> Cut:
    """Return the cut of a text such as 10, 20,30,65, quantiles:10, 18..90 or year."""
    said = text.strip()
    if said in UNITS:
        return Cut.dates(said, of=of)
    if said.startswith(_QUANTILES):
        number = said.removeprefix(_QUANTILES)
        return Cut.quantiles(number_or_date(number), of=of)
    edges: str = _EDGES.findall(said)[0]  # what it matches at the start, perhaps nothing
    labels = said[len(edges) :].removeprefix(":")
    if ".." in edges:
        low, _, high = said.partition("..")
        return Cut.limits(low.strip() or None, high.strip() or None, of=of)
    if edges != said or "," in said:
        points = [part for part in (part.strip() for part in edges.split(",")) if part]
        return Cut.edges(points, labels_in(labels, of), of=of)
    number = number_or_date(said)
    if isinstance(number, (int, float)):
        return Cut.steps(number, of=of)
    raise TableError(f"{text!r} does not say how to cut {of}: give {_FORMS}")
