"""From a table to a safe table: audit and protect it, or sweep eps over it.

    table --count--> Joint --merge--> Mechanism --name--> Recoding --apply--> released table

Everything between counting and applying sees a small matrix of counts, whatever the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeAlias, cast

from loglift.audit.audit import Audit, audit_counts
from loglift.errors import BoundError, TableError
from loglift.mechanism.recoding import Recoding
from loglift.merging.merge import SEARCHING, Method, Over
from loglift.promise.bound import Bound
from loglift.release.apply import outputs_of
from loglift.release.certified import CHOOSE_SHARE, learn_certified
from loglift.release.choosing import Sweepable, sweepable
from loglift.release.counted import as_columns, counted, refuse_index, refuse_key, refuse_sensitive
from loglift.release.drawn import drawing_of, draws_of
from loglift.release.frontier import checked_share
from loglift.release.learning import (
    Names,
    Protected,
    audited,
    bound_of,
    group_columns,
    learn,
    sensitive_tables,
    suggest_for,
)
from loglift.release.options import refuse_options
from loglift.release.randomized import learn_randomized

OnStage: TypeAlias = Callable[[str], None]


def _unheard(_stage: str) -> None:
    """Nobody wants to know."""


def audit(
    table: Any,
    *,
    sensitive: Names,
    public: Names,
    eps: float | None = None,
    lower: float | None = None,
    upper: float | None = None,
    top: int = 20,
    each: bool = False,
    bins: Mapping[str, float] | None = None,
    suggest: bool = False,
    confidence: float | None = None,
    on_stage: OnStage = _unheard,
) -> Audit:
    """Measure what the public columns of a table reveal about its sensitive ones.

    Parameters
    ----------
    table
        A path (CSV, TSV, Parquet, JSON lines, a glob) or a dataframe (pandas, Polars, PyArrow,
        DuckDB, Spark, Dask).
    sensitive, public
        One column or several; several stand for their joint value.
    eps, lower, upper
        The bound to check, in nats: `eps` for both directions, or one or both of `lower` and
        `upper`; none for no check.
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
    on_stage
        Told the name of each stage of the work as it begins.

    """
    bound = None if eps is lower is upper is None else bound_of(eps, lower, upper)
    if suggest and bound is None:
        raise BoundError("what grouping would keep depends on the bound: give eps (--eps)")
    on_stage("counting")
    counts = counted(table, public, sensitive, bins)
    on_stage("measuring")
    tables = sensitive_tables(counts, each=each)
    result = audited(counts, tables, bound=bound, top=top, each=each, confidence=confidence)
    if bound is None or not suggest:
        return result
    on_stage("grouping sensitive values")
    return replace(result, suggestion=suggest_for(tables, bound))


def protect(
    table: Any,
    *,
    sensitive: Names,
    public: Names,
    eps: float | None = None,
    lower: float | None = None,
    upper: float | None = None,
    keep_information: float | None = None,
    method: Method | Literal["randomized"] = "search",
    over: Over = "all",
    min_count: int | None = None,
    groups: Names | Mapping[Any, Hashable] | None = None,
    keep: Names = (),
    keep_sensitive: bool = False,
    keep_order: bool = False,
    each: bool = False,
    bins: Mapping[str, float] | None = None,
    time_limit: float | None = None,
    confidence: float | None = None,
    choose_share: float | None = None,
    key: str | None = None,
    seed: int | None = None,
    on_stage: OnStage = _unheard,
) -> Protected:
    """Rewrite the public columns so that no released value moves belief by more than the bound.

    Parameters
    ----------
    table, sensitive, public, eps, lower, upper, each, bins, on_stage
        As in `audit`; a bound is required, or `keep_information`.
    keep_information
        In place of a bound: the share of the information to keep, say 0.9. The least eps that is
        found to keep it becomes the bound.
    method
        How to choose what to merge, as in `merge`; "ordered" takes a single public column, and
        releases runs of it as intervals, `[25, 34]`. "randomized" draws released values at random,
        as in `randomize`, which keeps more.
    time_limit
        Seconds that "exact" may take to prove its release the best (60 by default), or "search" to
        go on improving it (none by default).
    over
        "all" may merge low-risk values too, and always finds a release; "high-risk" merges
        high-risk values among themselves only, as the paper does.
    min_count
        The least number of records of every released value.
    groups
        One or several of the public columns, whose values are never merged with different ones:
        with groups="country" every released value is within one country. Or a mapping of the
        public values (tuples for several columns) to groups.
    keep
        Other columns to pass through as they are. They are not protected; `.kept_audit` tells
        what they give away together with the released ones.
    keep_sensitive
        Publish the sensitive columns beside the released ones.
    keep_order
        Keep the order of the rows, and in pandas their index, which are given up otherwise: they
        could link the rows to the input.
    confidence
        Certify the release for the population the records are a random sample of, with this
        confidence, such as 0.95; `.certificate.population` tells. Else it is about the table.
    choose_share
        With a confidence, the share of the records that choose what to merge, 0.4 by default; the
        others certify.
    key
        For "randomized": a column that says whose record it is. Records of the same key and public
        value get the same draw, so that nobody averages it away.
    seed
        For "randomized", and for tests only: repeats the draws to whoever knows it. The certificate
        says so.

    Raises
    ------
    UnsafeError
        When there is no safe release under these limits.

    """
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    bound = _bound_asked(eps, lower, upper, keep_information)
    refuse_options(
        method,
        key=key,
        seed=seed,
        confidence=confidence,
        choose_share=choose_share,
        groups=groups,
        keep=as_columns(keep),
        keep_information=keep_information,
        time_limit=time_limit,
        over=over,
    )
    group_columns(groups, as_columns(public))
    opened, kept = engine.open_table(table), as_columns(keep)
    protected, fold = (*as_columns(public), *as_columns(sensitive)), opened.engine.folds_case
    refuse_key(key, protected, fold=fold)
    if keep_order:
        refuse_index(opened, protected)
    passed = _passed(kept, public, sensitive, keep_sensitive=keep_sensitive, fold=fold)
    on_stage("counting")
    counts = counted(opened, public, sensitive, bins)
    start = None
    if bound is None:
        on_stage("choosing eps")
        swept = sweepable(counts, min_count=min_count, groups=groups, each=each)
        merging = cast("Method", method)  # keep_information and randomized were refused above
        chosen = swept.least_eps(checked_share(keep_information), merging)
        bound = Bound.symmetric(chosen.eps)
        start = chosen.mechanism.labels if method in SEARCHING else None
    learning: Callable[..., Protected]
    if method == "randomized":
        on_stage("choosing")
        learning = partial(learn_randomized, draws=draws_of(key, seed))
    elif confidence is not None:
        on_stage("merging and certifying")
        share = CHOOSE_SHARE if choose_share is None else choose_share
        learning = partial(
            learn_certified, confidence=confidence, choose_share=share, method=method
        )
    else:
        on_stage("merging")
        learning = partial(learn, method=method, over=over, groups=groups)
        learning = partial(learning, time_limit=time_limit, start=start)
    learned = learning(counts, bound, min_count=min_count, each=each, bins=bins)
    on_stage("checking")
    kept_audit = _audit_kept(opened, learned.recoding, kept, bound) if kept else None
    on_stage("applying")
    released = engine.apply(
        opened,
        counts.column_names,
        learned.recoding.lookup,
        outputs_of(learned.recoding.released),
        types=[column.type for column in counts.columns],
        bins=learned.recoding.bins,
        keep=passed,
        keep_order=keep_order,
        counts=counts,
        drawing=drawing_of(learned.recoding, key, seed),
    )
    beside = (*passed, *(opened.index if keep_order else ()))
    certificate = replace(learned.certificate, beside=beside)
    return replace(learned, table=released, certificate=certificate, kept_audit=kept_audit)


def sweep(
    table: Any,
    *,
    sensitive: Names,
    public: Names,
    min_count: int | None = None,
    groups: Names | Mapping[Any, Hashable] | None = None,
    each: bool = False,
    bins: Mapping[str, float] | None = None,
) -> Sweepable:
    """Count a table once, to sweep eps over it; the arguments are those of `protect`."""
    counts = counted(table, public, sensitive, bins)
    return sweepable(counts, min_count=min_count, groups=groups, each=each)


def _bound_asked(
    eps: float | None,
    lower: float | None,
    upper: float | None,
    keep_information: float | None,
) -> Bound | None:
    """Return the bound that is given, or None when it is to be found from what to keep."""
    if keep_information is None:
        return bound_of(eps, lower, upper)
    if not eps is lower is upper is None:
        raise BoundError("give a bound, or keep_information (--keep-information), not both")
    checked_share(keep_information)
    return None


def _audit_kept(opened: Any, recoding: Recoding, kept: Sequence[str], bound: Bound) -> Audit:
    """Audit the released columns together with the kept ones, as their readers will see them."""
    from loglift.tables.coded import Coded  # noqa: PLC0415, loaded with the engine

    counts = counted(
        opened,
        (*recoding.columns, *kept),
        tuple(column.name for column in recoding.sensitive),
        recoding.bins | recoding.sensitive_bins,
        types=[*(column.type for column in recoding.public), *(None for _ in kept)],
    )
    width = len(recoding.columns)
    seen = [(recoding.lookup[value[:width]] + 1, *value[width:]) for value in counts.tuples]
    whole = Coded.of(seen)
    tables = [table.merged(whole.places) for table in sensitive_tables(counts, each=recoding.each)]
    names = ("released group", *kept)
    codes = [Coded.of(column).places for column in zip(*whole.values, strict=True)]
    return audit_counts(names, whole.values, tables, codes, bound=bound, each=recoding.each)


def _passed(
    keep: Sequence[str], public: Names, sensitive: Names, *, keep_sensitive: bool, fold: bool
) -> list[str]:
    """Return the columns that pass through: the kept ones, and the sensitive ones if asked."""
    for name in keep:
        if name in as_columns(public):
            raise TableError(f"column {name!r} is public: it is released, it cannot be kept too")
        if keep.count(name) > 1:
            raise TableError(f"column {name!r} is named twice among those to keep: name it once")
    hint = "; keep_sensitive (--keep-sensitive) publishes it"
    refuse_sensitive(keep, as_columns(sensitive), fold=fold, hint=hint)
    return [*keep, *(as_columns(sensitive) if keep_sensitive else ())]
