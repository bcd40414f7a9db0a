"""The recipe of an audit: what a table's public columns reveal about its sensitive ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from loglift import tables
from loglift._compute.progress import OnProgress, Progress, silent
from loglift.audit.audit import Audit, audit_joint
from loglift.errors import BoundError
from loglift.explain.suggest import suggestion_of
from loglift.promise.bound import Bound
from loglift.tables.columns import Names


def audit(
    table: Any,
    *,
    sensitive: Names,
    public: Names,
    eps: float | None = None,
    bound: Bound | None = None,
    top: int = 20,
    each: bool = False,
    bins: Mapping[str, float] | None = None,
    suggest: bool = False,
    confidence: float | None = None,
    on_progress: OnProgress = silent,
) -> Audit:
    """Measure what the public columns of a table reveal about its sensitive ones.

    Parameters
    ----------
    table
        A path (CSV, TSV, Parquet, JSON lines, a glob) or a dataframe (pandas, Polars, PyArrow,
        DuckDB, Spark, Dask).
    sensitive, public
        One column or several; several stand for their joint value.
    eps, bound
        The bound to check: `eps` in nats for both directions, or a `Bound`; neither for no check.
    top
        How many of the riskiest values to list.
    each
        Look at every sensitive column on its own instead of their joint value.
    bins
        Widths of the intervals to cut numeric columns into first.
    suggest
        Also find which rare sensitive values to group so that a release within the bound keeps
        more: `.suggestion`. This searches for releases, which takes a while.
    confidence
        Take the records for a random sample, and tell with this confidence, such as 0.95, what
        they prove about the population: `.population`, and `.population` of each riskiest value.
    on_progress
        Called with a `Progress` as each stage of the work begins.

    """
    if eps is not None and bound is not None:
        raise BoundError("give eps or bound, not both")
    limit = bound if eps is None else Bound.symmetric(eps)
    if suggest and limit is None:
        raise BoundError("what grouping would keep depends on the bound: give eps (--eps)")
    on_progress(Progress("counting"))
    joint = tables.count(table, public, sensitive, bins=bins)
    joint = joint.apart() if each else joint
    on_progress(Progress("measuring"))
    result = audit_joint(joint, bound=limit, top=top, confidence=confidence)
    if limit is None or not suggest:
        return result
    on_progress(Progress("grouping sensitive values"))
    return replace(result, suggestion=suggestion_of(joint, limit))
