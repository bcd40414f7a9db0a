"""Which share of the goal is kept, and what is proven about the most that can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loglift.certify.certificate import Certificate
from loglift.display.numbers import exact, percent, percent_up
from loglift.mechanism.kept import WHOLE_ROWS, KeptTarget
from loglift.report.sentences.statement import Statement
from loglift.report.sweep import LeastEps
from loglift.report.words import amount


def proven(certificate: Certificate) -> str:
    """Say what is proven about the most that a release can keep, and for which releases."""
    words = f"no {certificate.upper_bound_scope} can keep more"
    kept, most = certificate.goal_kept, certificate.upper_bound
    if kept is None or most is None or not certificate.goal_most:
        return words
    if kept >= most * (1 - 1e-9) - 1e-12:
        return words
    return f"{words} than {percent_up(certificate.at_most)}"


def kept_words(certificate: Certificate) -> str:
    """Say which share of the goal is kept, what is proven about it, and what whole rows keep."""
    rows = percent(1 - certificate.nmil)
    if certificate.keeps_rows:
        return f"Kept {rows} of the information; {proven(certificate)}."
    return (
        f"Kept {percent(certificate.goal_share)} of {asked_for(certificate.goal_words)}; "
        f"{proven(certificate)}. It keeps {rows} of the information in whole rows."
    )


def asked_for(goal_words: str | None) -> str:
    """Return what shares are shares of: "the information", or what was asked for, in words."""
    if goal_words in (None, WHOLE_ROWS):
        return "the information"
    return f"what was asked for ({goal_words})"


def shares_of_words(goal_words: str, *, rows: bool) -> str:
    """Say what the shares of a sweep are shares of; `rows` if whole rows have their own column."""
    words = f"What is kept is a share of {asked_for(goal_words)}."
    return f"{words} Whole rows: the share of their information, I(X;Y)/H(X)." if rows else words


def weights_words(targets: Sequence[KeptTarget]) -> str:
    """Return the targets of a goal with their weights, such as "age 50 %, whole rows 50 %"."""
    if len(targets) == 1:
        return "the information in whole rows"
    return ", ".join(f"{target.name} {100 * target.weight:.3g} %" for target in targets)


def at_most_words(scopes: Mapping[str, str]) -> str:
    """Say for which releases "at most" is proven; `scopes` has them by method."""
    if len(set(scopes.values())) == 1:
        return f"At most: no {next(iter(scopes.values()))} can keep more."
    said = (f"for {method}, no {scope} can keep more" for method, scope in scopes.items())
    return f"At most: {'; '.join(said)}."


def least_eps_statement(found: LeastEps) -> Statement:
    """Say which eps keeps the share of the goal that was asked for."""
    headline = (
        f"eps {exact(found.eps)} is the least found with {found.mechanism.method} that keeps "
        f"{percent(found.asked)} of {asked_for(found.goal_words)}."
    )
    leakage = amount(found.mechanism.leakage)
    return Statement("good", headline, f"It keeps {percent(found.kept)}; leakage {leakage}.")
