"""What the figures rest on: survey weights, bands, sensitive values that count as one."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from loglift.audit.audit import Audit
from loglift.certify.certificate import Certificate
from loglift.cuts import Cut
from loglift.explain.commands import Combined
from loglift.mechanism.words import value_words
from loglift.report.sentences.statement import Statement
from loglift.report.words import amount, either, series


def weights_statements(of: Certificate | Audit) -> list[Statement]:
    """Say that shares are sums of survey weights, and what records tell that count the same."""
    if of.weights is None or of.unweighted_leakage is None:
        return []
    words = (
        f"Shares are sums of {of.weights}, so this is about the population that the survey stands "
        f"for. Where every record counts the same, the leakage is {amount(of.unweighted_leakage)}"
    )
    bounded = isinstance(of, Certificate) and of.both
    if of.bound is not None and not bounded:
        own = [max(value.lower, value.upper) for value in of.bound.values]
        if of.unweighted_leakage > max(of.bound.lower, of.bound.upper, *own):
            words += ", beyond the bound"
            words += ": --both bounds that, too" if isinstance(of, Certificate) else ""
    return [Statement("plain", f"Weighted by {of.weights}.", f"{words}.")]


def own_bands(bins: Mapping[str, Cut]) -> list[Statement]:
    """Say which columns were cut because they have very many values, and how to cut them else."""
    own = {name: cut for name, cut in bins.items() if cut.automatic}
    if not own:
        return []
    first, cut = next(iter(own.items()))
    example = "month" if cut.is_of_dates else "quantiles:20"
    each = series([f"{name} {cut.band_words}" for name, cut in own.items()])
    words = (
        f"{each}, with round edges: very many values differ. Cut {either(len(own), 'it', 'them')} "
        f"otherwise with --bin, for example --bin {shlex.quote(f'{first}={example}')}."
    )
    return [Statement("plain", "Cut into bands.", words)]


def combined_statements(combined: Combined) -> list[Statement]:
    """Say which sensitive values count as one, where some do."""
    return [Statement("plain", "Counted as one.", combined_words(combined))] if combined else []


def combined_words(combined: Combined) -> str:
    """Say which sensitive values count as one, and that they are not told apart."""
    parts = [
        f"{series([value_words(value) for value in group])} of {name}"
        for name, groups in combined.items()
        for group in groups
    ]
    return (
        f"{'; '.join(parts)} {either(len(parts), 'count', 'each count')} as one value: nothing is "
        "promised about which of them a person has. A released value may point at one of them, or "
        "rule it out."
    )
