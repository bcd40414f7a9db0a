"""Releases that lost much: columns of sets, nothing left, and what may help."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence

from loglift.audit.audit import Audit
from loglift.certify.certificate import Certificate
from loglift.display.numbers import exact, percent
from loglift.identifiers import MIN_SHARE
from loglift.joint import Column
from loglift.report.sentences.statement import Statement
from loglift.report.words import MAX_LISTED_NAMES, listed, series
from loglift.values import NUMBERS, looks_fractional

MIN_UNCHANGED = 0.5  # of the cells of a column: a column with fewer is warned of
QUANTILES = "quantiles:10"  # bands to suggest where nearly every record has its own number
HIGHER_IMPORTANCE = 3  # times the importance a column has, to suggest


def mostly_sets(certificate: Certificate, audit: Audit) -> list[Statement]:
    """Warn of columns in which most cells stand for several values, and say what may help.

    Runs of an ordered column are ranges because ranges were asked for.
    """
    few = [column for column in certificate.columns if column.unchanged < MIN_UNCHANGED]
    if not few or certificate.method == "ordered":
        return []
    shares = [percent(1 - column.unchanged) for column in few]
    what = "stand for several values"
    if certificate.show == "values":
        what = "may show another value of their block"
    if len(few) == 1:
        headline = f"Most cells of {few[0].name} {what} ({shares[0]})."
    else:
        names = [f"{column.name} ({share})" for column, share in zip(few, shares, strict=True)]
        columns = series(names) if len(names) <= MAX_LISTED_NAMES else listed(names)
        headline = f"Most cells of {columns} {what}."
    helps = _remedies_of_sets([column.name for column in few], certificate, audit)
    return [Statement("bad", headline, f"What may help: {series(helps, 'or')}.")]


def _remedies_of_sets(names: Sequence[str], certificate: Certificate, audit: Audit) -> list[str]:
    """Return what may leave more cells of these columns as they are, in the order of effort."""
    several, first, bound = len(names) > 1, names[0], certificate.bound
    plain = bound.lower == bound.upper and bound.is_plain
    looser = "a larger eps" if plain else "a looser bound"
    helps = [looser] if _is_looser_better(certificate, audit) else []
    if len(certificate.public) > 1:
        helps.append("leaving some of them out" if several else f"leaving {first} out")
    numbers = [c.name for c in audit.joint.columns if c.name in names and _holds_numbers(c)]
    if numbers:
        wider = "wider bands" if numbers[0] in certificate.bins else "bands"
        [column] = [c for c in audit.joint.columns if c.name == numbers[0]]
        how = QUANTILES if _is_continuous(column, audit) else "WIDTH"
        option = shlex.quote(f"{numbers[0]}={how}")
        helps.append(f"{wider} of {listed(numbers)} (--bin {option})")
    if len(numbers) < len(names):
        others = listed([name for name in names if name not in numbers])
        helps.append(f"coarser values of {others}")
    if certificate.population is not None:  # it is certified for whole rows only
        helps.append("leaving --confidence out, and its promise with it")
    elif len(certificate.public) > 1 and certificate.goal == "joint":
        helps.append("--utility columns, which keeps what each column says")
    elif len(certificate.public) > 1 and certificate.goal == "columns":
        higher = HIGHER_IMPORTANCE * max(1.0, certificate.importance.get(first, 1.0))
        option = shlex.quote(f"{first}={exact(higher)}")
        some = "--importance for the one that matters most, such as "
        helps.append(f"{some if several else '--importance '}{option}")
    return helps


def _holds_numbers(column: Column) -> bool:
    banded = column.bin is not None and column.bin.bands and not column.bin.is_of_dates
    # Fractions in a file of texts stay texts: 0.50 is released as it is written.
    return column.type in NUMBERS or banded or looks_fractional(column.values)


def _is_continuous(column: Column, audit: Audit) -> bool:
    """Whether nearly every record has a number of its own, which only bands make common."""
    return _holds_numbers(column) and len(column.values) >= MIN_SHARE * audit.records


def nothing_left(certificate: Certificate, audit: Audit) -> str:
    """Say that a release without information has no use, and what may help."""
    values, bound = f"{audit.public_values:,}", certificate.bound
    if len(certificate.values) == 1:
        fact = f"All {values} public values are released as one."
    else:
        fact = f"A released value tells nothing about which of {values} values it was."
    helps = [
        f"bands of {c.name} (--bin {shlex.quote(f'{c.name}={QUANTILES}')})"
        for c in audit.joint.sensitive_columns
        if _is_continuous(c, audit)
    ] or ["fewer or coarser sensitive values"]
    if certificate.given:
        drawn = [] if certificate.drawn else ["values that are drawn (--method randomized)"]
        coarser = "earlier releases with more records in each value (--min-count)"
        helps = [*drawn, coarser, "one release of all columns"]
        return f"{fact} What may keep more: {series(helps, 'or')}."
    if math.isfinite(bound.lower):
        helps.append("a bound upwards only (--upper)")
    if _is_looser_better(certificate, audit):
        helps.append("a looser bound")
    return f"{fact} What may keep more: {series(helps, 'or')}."


def _is_looser_better(certificate: Certificate, audit: Audit) -> bool:
    """Whether a looser bound may keep more.

    By merging, a sensitive value that only one public value has allows one block at any bound.
    """
    return certificate.drawn or not audit.caps or audit.caps[0].blocks > 1
