"""The recipe of an audit: what a table's public columns reveal about its sensitive ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from loglift import tables
from loglift._compute.progress import OnProgress, Progress, silent
from loglift.audit.audit import Audit, audit_joint
from loglift.errors import BoundError, InputError
from loglift.explain.suggest import suggestion_of
from loglift.promise.bound import Bound
from loglift.promise.knowledge import bounding_lifts
from loglift.release.apply import MechanismLike, mechanisms_of
from loglift.release.knowledge import readers_of_table
from loglift.release.options import cuts_of, groups_of, refuse_unused
from loglift.release.sensitive import combined, resolved
from loglift.tables.columns import Names, as_names


def audit(
    table: Any,
    *,
    sensitive: Names,
    public: Names,
    eps: float | None = None,
    bound: Bound | None = None,
    top: int = 20,
    each: bool = False,
    combine: Mapping[str, Any] | None = None,
    known: Names = (),
    given: MechanismLike | Sequence[MechanismLike] = (),
    bins: Mapping[str, Any] | None = None,
    missing: Mapping[str, Any] | None = None,
    weights: str | None = None,
    suggest: bool = False,
    confidence: float | None = None,
    on_progress: OnProgress = silent,
) -> Audit:
    """Measure what the public columns of a table reveal about its sensitive ones.

    Parameters
    ----------
    table
        A path (CSV, TSV, Parquet, JSON lines, Arrow, Stata, SPSS, SAS, a glob), a part of a file
        ("book.xlsx::Sheet2", "warehouse.duckdb::people"), the address of a PostgreSQL table
        ("postgresql://user@host/db::people") or a dataframe (pandas, Polars, PyArrow, DuckDB,
        Spark, Dask).
    sensitive, public
        One column or several; several stand for their joint value.
    eps, bound
        The bound to check: `eps` in nats for both directions, or a `Bound`; neither for no check.
    top
        How many of the riskiest values to list.
    each
        Look at every sensitive column on its own instead of their joint value.
    combine
        Sensitive values that count as one, as in `protect`.
    known
        Columns that readers may know, public or not: `.readers` tells what the public values add to
        what readers know who know any of them.
    given
        The mechanisms of earlier releases of the same records: `.readers` tells what the public
        values, as they are, and these releases tell together.
    bins
        How to cut columns of numbers and dates into bands first, by column: a width, a list of
        edges, a text as on the command line ("quantiles:10", "..200000", "year"), or a `Cut`.
        Columns with very many numbers, dates or times are cut into quantile bands by themselves.
    missing
        Values that count as NULL, by column, such as {"income": [-9, -8]}. "ignore" among them, for
        a sensitive column: NULL is not bounded, but its records count in all shares.
    weights
        A column of survey weights, positive numbers: shares are then sums of weights, so that
        leakages are those of the population that the survey stands for. `.unweighted_leakage` is
        that of the records.
    suggest
        Also find which rare sensitive values to group so that a release within the bound keeps
        more: `.suggestion`. This searches for releases, which takes a while.
    confidence
        Take the records for a random sample, and tell with this confidence, such as 0.95, what
        they prove about the population: `.population`, and `.population` of each riskiest value.
    on_progress
        Called with a `Progress` as each stage of the work begins.

    Returns
    -------
    Audit
        Figures about the whole table, its riskiest values and its columns.

    Raises
    ------
    TableError
        When the table, or a column that is named, cannot be read.
    BoundError
        When the bound is missing, given twice, or not a bound.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> people = [("a", "y"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "n"), ("c", "n")]
    >>> table = pl.DataFrame(people, schema=["job", "ill"], orient="row")
    >>> found = loglift.audit(table, sensitive="ill", public="job", eps=0.5)
    >>> found.holds, found.leakage, found.values_at_risk
    (False, inf, 2)
    """
    if eps is not None and bound is not None:
        raise BoundError("give eps or bound, not both")
    limit = bound if eps is None else Bound.symmetric(eps)
    if suggest and limit is None:
        raise BoundError("what grouping would keep depends on the bound: give eps (--eps)")
    if suggest and (known or given):
        raise InputError(
            "what grouping would keep is suggested for readers of the release alone: leave known "
            "(--known) and given (--given) out, or the suggestion (--suggest)"
        )
    if limit is not None and (known or given):
        bounding_lifts(limit)
    if confidence is not None and (known or given or not (limit is None or limit.is_plain)):
        raise BoundError(
            "a confidence (--confidence) is about one bound for all sensitive values, and about "
            "readers of the release alone: leave out known, given, other limits than eps, and the "
            "bounds of single values"
        )
    if confidence is not None and weights is not None:
        raise InputError(
            "what weighted records prove about their population is not known to loglift: leave "
            "the confidence (--confidence) out, or the weights (--weights)"
        )
    on_progress(Progress("counting"))
    opened, secret = tables.open_table(table), as_names(sensitive, "sensitive")
    columns, names = (*as_names(public, "public"), *secret), as_names(known, "known", optional=True)
    cuts, ignored = cuts_of(bins, missing, secret)
    refuse_unused(cuts, (*columns, *names))
    counted = {name: cut for name, cut in cuts.items() if name in columns}
    joint = tables.count(opened, public, sensitive, bins=counted, weights=weights)
    joint, groups = combined(joint, groups_of(combine or {}))
    if limit is not None:
        limit = resolved(limit, joint, ignored, groups)
    joint = joint.apart() if each else joint
    readers = readers_of_table(
        opened,
        joint,
        known=names,
        given=mechanisms_of(given),
        bins=cuts,
        combine=groups,
    )
    on_progress(Progress("measuring"))
    result = replace(
        audit_joint(
            joint, bound=limit, top=top, confidence=confidence, knowledge=readers.knowledge
        ),
        combined=groups,
    )
    if limit is None or not suggest:
        return result
    on_progress(Progress("grouping sensitive values"))
    return replace(result, suggestion=suggestion_of(joint, limit, groups))
