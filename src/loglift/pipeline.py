"""From a table to a safe table: audit, protect, apply and verify.

    table --count--> Counts --merge--> Mechanism --name--> Recoding --apply--> released table

Everything between counting and applying sees a small matrix of counts, whatever the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from loglift.bound import Bound
from loglift.certificate import Certificate, SensitiveTable
from loglift.certified import learn_certified, verify_population
from loglift.choosing import Sweepable, sweepable
from loglift.drawn import drawing_of, draws_of, refuse_options
from loglift.errors import BoundError, InputError, TableError
from loglift.learning import (
    Names,
    Protected,
    bound_of,
    certify_counts,
    group_columns,
    learn,
    sensitive_tables,
    suggest_for,
)
from loglift.measures.partition import block_sums
from loglift.naming import ReleasedColumn, with_suppressed
from loglift.randomized_learning import learn_randomized
from loglift.recoding import Recoding
from loglift.report.audit import Audit, audit_counts
from loglift.solve import Method, Over
from loglift.sweep import checked_share

if TYPE_CHECKING:
    from loglift.tables import Counts

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
    counts = _count(table, public, sensitive, bins)
    on_stage("measuring")
    tables = sensitive_tables(counts, each=each)
    result = audit_counts(
        counts.public_columns,
        counts.public,
        tables,
        bound=bound,
        top=top,
        each=each,
        confidence=confidence,
    )
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
    choose_share: float = 0.4,
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
        Keep the order of the rows, which is shuffled otherwise: it could link them to the input.
    confidence
        Certify the release for the population the records are a random sample of, with this
        confidence, such as 0.95; `.certificate.population` tells. Else it is about the table.
    choose_share
        With a confidence, the share of the records that choose what to merge; the others certify.
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

    bound = _bound_asked(eps, lower, upper, keep_information, confidence)
    _check_ordered(method, public)
    refuse_options(
        method,
        key=key,
        seed=seed,
        confidence=confidence,
        groups=groups,
        keep=_names(keep),
        time_limit=time_limit,
        over=over,
    )
    group_columns(groups, _names(public))
    opened, kept = engine.open_table(table), _names(keep)
    passed = _passed(kept, public, sensitive, keep_sensitive=keep_sensitive)
    on_stage("counting")
    counts = _count(opened, public, sensitive, bins)
    learning: Callable[..., Protected] = learn
    if bound is None:
        if method == "randomized":
            raise InputError("keep_information finds an eps for merging: give eps to randomize")
        on_stage("choosing eps")
        swept = sweepable(counts, min_count=min_count, groups=groups, each=each)
        chosen = swept.least_eps(checked_share(keep_information), method)
        bound = Bound.symmetric(chosen.eps)
        learning = partial(learn, start=chosen.mechanism.labels)
    if confidence is not None:
        learning = partial(learn_certified, confidence=confidence, choose_share=choose_share)
    on_stage("choosing" if method == "randomized" else "merging")
    if method == "randomized":
        learning = partial(learn_randomized, draws=draws_of(key, seed))
    else:
        learning = partial(learning, method=method, over=over, groups=groups, time_limit=time_limit)
    learned = learning(counts, bound, min_count=min_count, each=each, bins=bins)
    on_stage("checking")
    kept_audit = _audit_kept(opened, learned.recoding, kept, bound) if kept else None
    on_stage("applying")
    released = engine.apply(
        opened,
        counts.public_columns,
        learned.recoding.lookup,
        _outputs(learned.recoding.released),
        types=counts.public_types,
        bins=learned.recoding.bins,
        keep=passed,
        keep_order=keep_order,
        counts=counts,
        drawing=drawing_of(learned.recoding, key, seed),
    )
    return replace(learned, table=released, kept_audit=kept_audit)


def apply(
    mechanism: Recoding | Protected | str | PathLike[str],
    table: Any,
    *,
    keep: Names = (),
    keep_order: bool = False,
    unseen: Literal["refuse", "suppress", "merge"] = "refuse",
    key: str | None = None,
    seed: int | None = None,
) -> Any:
    """Apply a mechanism to new rows, which need not have the sensitive columns.

    Values that were not there when the mechanism was made are refused, or with
    unseen="suppress" released as one suppressed value (their columns are then texts), or with
    unseen="merge" released as the block that a certificate for the population counts them in.

    A randomized mechanism draws anew at every call; `key` and `seed` are as in `protect`. Two
    releases of the same records give more away than one.
    """
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    recoding = as_recoding(mechanism)
    suppress, other = unseen == "suppress", _block_of_unseen(recoding, unseen)
    columns = with_suppressed_block(recoding) if suppress else recoding.released
    return engine.apply(
        table,
        recoding.columns,
        recoding.lookup,
        _outputs(columns),
        types=[column.type for column in recoding.public],
        bins=recoding.bins,
        keep=_names(keep),
        keep_order=keep_order,
        unseen="refuse" if other is None else other,
        drawing=drawing_of(recoding, key, seed),
    )


def _block_of_unseen(recoding: Recoding, unseen: str) -> int | None:
    """Return the block (or row of the drawing) of unseen values; None to refuse them."""
    if unseen not in ("refuse", "suppress", "merge"):
        raise InputError(f"unseen must be 'refuse', 'suppress' or 'merge', got {unseen!r}")
    if unseen == "merge" and recoding.unseen is None:
        raise InputError(
            "this mechanism has no block for unseen values, which only a confidence gives it: "
            "refuse or suppress them"
        )
    rows = recoding.size if recoding.channel is None else len(recoding.values)
    return {"refuse": None, "suppress": rows, "merge": recoding.unseen}[unseen]


def suppressed_records(mechanism: Recoding | str | PathLike[str], table: Any) -> int:
    """Return how many records of a table `apply` would release as suppressed."""
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    recoding = as_recoding(mechanism)
    types = [column.type for column in recoding.public]
    return engine.unseen_records(
        table, recoding.columns, recoding.lookup, types=types, bins=recoding.bins
    )


def verify(
    mechanism: Recoding | Protected | str | PathLike[str],
    table: Any,
    *,
    confidence: float | None = None,
) -> Certificate:
    """Count a table again and check a mechanism on it in exact arithmetic; `.holds` tells.

    With a confidence, `.population` tells what the table, a random sample of records that had no
    say in the mechanism, proves about the population.
    """
    recoding = as_recoding(mechanism)
    if confidence is not None and recoding.channel is not None:
        raise InputError(
            "a randomized mechanism cannot be certified for the population: leave the confidence "
            "(--confidence) out"
        )
    counts = _count(
        table,
        recoding.columns,
        tuple(column.name for column in recoding.sensitive),
        recoding.bins | recoding.sensitive_bins,
        types=[column.type for column in recoding.public],
    )
    tables = sensitive_tables(counts, each=recoding.each)
    certificate = certify_counts(recoding, counts, tables)
    if confidence is None:
        return certificate
    population = verify_population(recoding, counts, tables, confidence)
    return replace(certificate, population=population)


def as_recoding(mechanism: Recoding | Protected | str | PathLike[str]) -> Recoding:
    """Return the recoding of a protected table, of a mechanism.json, or itself."""
    if isinstance(mechanism, Recoding):
        return mechanism
    if isinstance(mechanism, Protected):
        return mechanism.recoding
    if isinstance(mechanism, (str, PathLike)):
        return Recoding.load(mechanism)
    raise InputError(
        f"a {type(mechanism).__name__} is not a mechanism for tables: give the result of protect, "
        "its .recoding, or the path of a mechanism.json"
    )


def _count(
    table: Any,
    public: Names,
    sensitive: Names,
    bins: Mapping[str, float] | None,
    types: Sequence[str | None] | None = None,
) -> Counts:
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    counts = engine.count(table, public, sensitive, bins=bins, types=types)
    for j, name in enumerate(counts.sensitive_columns):
        if len({value[j] for value in counts.sensitive}) == 1:
            raise TableError(
                f"the sensitive column {name!r} has the same value in every record: there is "
                "nothing to protect, leave it out"
            )
    return counts


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
    counts = _count(table, public, sensitive, bins)
    return sweepable(counts, min_count=min_count, groups=groups, each=each)


def _bound_asked(
    eps: float | None,
    lower: float | None,
    upper: float | None,
    keep_information: float | None,
    confidence: float | None,
) -> Bound | None:
    """Return the bound that is given, or None when it is to be found from what to keep."""
    if keep_information is None:
        return bound_of(eps, lower, upper)
    if not eps is lower is upper is None:
        raise BoundError("give a bound, or keep_information (--keep-information), not both")
    if confidence is not None:
        raise BoundError(
            "what a release keeps with a confidence is not known before it is made: give eps with "
            "confidence, not keep_information"
        )
    checked_share(keep_information)
    return None


def _audit_kept(opened: Any, recoding: Recoding, kept: Sequence[str], bound: Bound) -> Audit:
    """Audit the released columns together with the kept ones, as their readers will see them."""
    counts = _count(
        opened,
        (*recoding.columns, *kept),
        tuple(column.name for column in recoding.sensitive),
        recoding.bins | recoding.sensitive_bins,
        types=[*(column.type for column in recoding.public), *(None for _ in kept)],
    )
    width = len(recoding.columns)
    seen = [(recoding.lookup[value[:width]] + 1, *value[width:]) for value in counts.public]
    values = tuple(dict.fromkeys(seen))
    place = {value: i for i, value in enumerate(values)}
    labels = np.array([place[value] for value in seen])
    tables = [
        SensitiveTable(t.names, t.labels, block_sums(t.counts, labels))
        for t in sensitive_tables(counts, each=recoding.each)
    ]
    names = ("released group", *kept)
    return audit_counts(names, values, tables, bound=bound, each=recoding.each)


def _outputs(columns: Sequence[ReleasedColumn]) -> list[Any]:
    from loglift.tables import Output  # noqa: PLC0415, dataframe engines load only when used

    return [Output(column.name, column.values, column.type) for column in columns]


def with_suppressed_block(recoding: Recoding) -> list[ReleasedColumn]:
    """Return the released columns with one more block, for values never seen."""
    originals = dict(zip(recoding.columns, zip(*recoding.values, strict=True), strict=True))
    return [with_suppressed(column, originals.get(column.name, ())) for column in recoding.released]


def _passed(
    keep: Sequence[str], public: Names, sensitive: Names, *, keep_sensitive: bool
) -> list[str]:
    """Return the columns that pass through: the kept ones, and the sensitive ones if asked."""
    for name in keep:
        if name in _names(public):
            raise TableError(f"column {name!r} is public: it is released, it cannot be kept too")
        if name in _names(sensitive):
            raise TableError(
                f"column {name!r} is sensitive: keep_sensitive (--keep-sensitive) publishes it"
            )
    return [*keep, *(_names(sensitive) if keep_sensitive else ())]


def _names(names: Names) -> tuple[str, ...]:
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, Iterable):
        raise TableError(f"columns are named by a text or a list of texts, got {names!r}")
    return tuple(names)


def _check_ordered(method: str, public: Names) -> None:
    if method == "ordered" and len(_names(public)) != 1:
        raise TableError("runs are of one ordered column: name a single public column, or search")
