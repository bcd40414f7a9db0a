"""From a table to a safe table: audit, protect, apply and verify.

    table --count--> Counts --merge--> Mechanism --name--> Recoding --apply--> released table

Everything between counting and applying sees a small matrix of counts, whatever the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from loglift.bound import TOLERANCE, Bound, as_bound
from loglift.certificate import Certificate, SensitiveTable, certify, hash_counts
from loglift.errors import BoundError, InputError, TableError, UnsafeError
from loglift.exact import exactly_safe
from loglift.joint import IntArray, Joint
from loglift.measures.partition import block_sums, canonical
from loglift.mechanism import Mechanism, partition_mechanism
from loglift.naming import ReleasedColumn, with_suppressed
from loglift.recoding import PublicColumn, Recoding, SensitiveColumn, recode
from loglift.report.audit import Audit, audit_counts
from loglift.solve import Method, merge

if TYPE_CHECKING:
    from loglift.tables import Counts

Names: TypeAlias = str | Sequence[str]
Over: TypeAlias = Literal["all", "high-risk"]
OnStage: TypeAlias = Callable[[str], None]


def _unheard(_stage: str) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, eq=False, repr=False)
class Protected:
    """A protected table, and everything to know about it.

    Attributes
    ----------
    table
        The released table: the same kind of dataframe as came in; for a path, a DuckDB relation.
    mechanism
        The mechanism, with `.labels`, `.leakage`, `.utility` and the rest.
    recoding
        How values are rewritten: what mechanism.json holds. `recoding.to_json()` can be published.
    certificate
        The exact check, for the custodian.
    audit
        What the table gave away before.
    kept_audit
        What the released columns give away together with the kept ones; None without any.

    """

    table: Any
    mechanism: Mechanism
    recoding: Recoding
    certificate: Certificate
    audit: Audit
    kept_audit: Audit | None

    def __repr__(self) -> str:
        return f"Protected({self.mechanism!r})"


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
    on_stage
        Told the name of each stage of the work as it begins.

    """
    bound = None if eps is lower is upper is None else bound_of(eps, lower, upper)
    on_stage("counting")
    counts = _count(table, public, sensitive, bins)
    on_stage("measuring")
    tables = sensitive_tables(counts, each=each)
    return audit_counts(
        counts.public_columns, counts.public, tables, bound=bound, top=top, each=each
    )


def protect(
    table: Any,
    *,
    sensitive: Names,
    public: Names,
    eps: float | None = None,
    lower: float | None = None,
    upper: float | None = None,
    method: Method = "search",
    over: Over = "all",
    min_count: int | None = None,
    keep: Names = (),
    keep_sensitive: bool = False,
    keep_order: bool = False,
    each: bool = False,
    bins: Mapping[str, float] | None = None,
    on_stage: OnStage = _unheard,
) -> Protected:
    """Rewrite the public columns so that no released value moves belief by more than the bound.

    Parameters
    ----------
    table, sensitive, public, eps, lower, upper, each, bins, on_stage
        As in `audit`; a bound is required.
    method
        How to choose what to merge, as in `merge`; "ordered" takes a single public column, and
        releases runs of it as intervals, `[25, 34]`.
    over
        "all" may merge low-risk values too, and always finds a release; "high-risk" merges
        high-risk values among themselves only, as the paper does.
    min_count
        The least number of records of every released value.
    keep
        Other columns to pass through as they are. They are not protected; `.kept_audit` tells
        what they give away together with the released ones.
    keep_sensitive
        Publish the sensitive columns beside the released ones.
    keep_order
        Keep the order of the rows, which is shuffled otherwise: it could link them to the input.

    Raises
    ------
    UnsafeError
        When there is no safe release under these limits.

    """
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    bound = bound_of(eps, lower, upper)
    _check_ordered(method, public)
    opened, kept = engine.open_table(table), _names(keep)
    passed = _passed(kept, public, sensitive, keep_sensitive=keep_sensitive)
    on_stage("counting")
    counts = _count(opened, public, sensitive, bins)
    on_stage("merging")
    learned = learn(
        counts, bound, method=method, over=over, min_count=min_count, each=each, bins=bins
    )
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
    )
    return replace(learned, table=released, kept_audit=kept_audit)


def learn(
    counts: Counts,
    bound: Bound,
    *,
    method: Method = "search",
    over: Over = "all",
    min_count: int | None = None,
    each: bool = False,
    bins: Mapping[str, float] | None = None,
) -> Protected:
    """Choose, name and check the merging for counts; the result has no table yet.

    Arguments are those of `protect`. What is chosen is checked in exact arithmetic as its file
    says it, and refused if it fails.
    """
    check_options(over, min_count)
    shown = sensitive_tables(counts, each=each)
    least = None if min_count is None else int(min_count)
    mechanism = _choose(shown, bound, method=method, over=over, min_count=least)
    recoding = _recode(counts, mechanism, bins or {}, min_count=least, each=each)
    certificate = _certify_written(recoding, counts, shown, mechanism.upper_bound)
    before = audit_counts(counts.public_columns, counts.public, shown, bound=bound, each=each)
    return Protected(None, mechanism, recoding, certificate, before, None)


def apply(
    mechanism: Recoding | Protected | str | PathLike[str],
    table: Any,
    *,
    keep: Names = (),
    keep_order: bool = False,
    unseen: Literal["refuse", "suppress"] = "refuse",
) -> Any:
    """Apply a mechanism to new rows, which need not have the sensitive columns.

    Values that were not there when the mechanism was made are refused, or with
    unseen="suppress" released as one suppressed value (their columns are then texts).
    """
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    if unseen not in ("refuse", "suppress"):
        raise InputError(f"unseen must be 'refuse' or 'suppress', got {unseen!r}")
    recoding = as_recoding(mechanism)
    suppress = unseen == "suppress"
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
        unseen=recoding.size if suppress else "refuse",
    )


def suppressed_records(mechanism: Recoding | str | PathLike[str], table: Any) -> int:
    """Return how many records of a table `apply` would release as suppressed."""
    from loglift import tables as engine  # noqa: PLC0415, dataframe engines load only when used

    recoding = as_recoding(mechanism)
    types = [column.type for column in recoding.public]
    return engine.unseen_records(
        table, recoding.columns, recoding.lookup, types=types, bins=recoding.bins
    )


def verify(mechanism: Recoding | Protected | str | PathLike[str], table: Any) -> Certificate:
    """Count a table again and check a mechanism on it in exact arithmetic; `.holds` tells."""
    recoding = as_recoding(mechanism)
    counts = _count(
        table,
        recoding.columns,
        tuple(column.name for column in recoding.sensitive),
        recoding.bins | recoding.sensitive_bins,
        types=[column.type for column in recoding.public],
    )
    tables = sensitive_tables(counts, each=recoding.each)
    return _certify(recoding, counts, tables)


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


def bound_of(eps: float | None, lower: float | None, upper: float | None) -> Bound:
    """Return the bound given as eps, or as lower and upper of which one may be left out."""
    if eps is not None and (lower is not None or upper is not None):
        raise BoundError("give eps, or lower and upper, not both")
    if eps is not None:
        return as_bound(eps)
    if lower is None and upper is None:
        raise BoundError("give a bound: eps, or lower, or upper")
    infinite = float("inf")
    return Bound(infinite if lower is None else lower, infinite if upper is None else upper)


def sensitive_tables(counts: Counts, *, each: bool) -> list[SensitiveTable]:
    """Return the counts of the joint sensitive value, or with `each` of every column apart."""
    matrix, names = counts.matrix(), counts.sensitive_columns
    if not each or len(names) == 1:
        return [SensitiveTable(names, counts.sensitive, matrix)]
    found = []
    for j, name in enumerate(names):
        labels = tuple(dict.fromkeys((value[j],) for value in counts.sensitive))
        place = {label: i for i, label in enumerate(labels)}
        codes = np.array([place[value[j],] for value in counts.sensitive])
        found.append(SensitiveTable((name,), labels, block_sums(matrix.T, codes).T))
    return found


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


def _choose(
    shown: Sequence[SensitiveTable],
    bound: Bound,
    *,
    method: Method,
    over: Over,
    min_count: int | None,
) -> Mechanism:
    """Choose a partition that is safe in exact arithmetic.

    Events of several sensitive variables stand side by side: a lift does not change when the
    counts of a public value and of the whole table are both taken k times.
    """
    joint = Joint(np.hstack([table.counts for table in shown]))
    weight = shown[0].counts.sum(axis=1)
    if min_count is not None and weight.sum() < min_count:
        raise UnsafeError(
            f"no release can have {min_count} records for every value: the table has {weight.sum()}"
        )
    least = None if min_count is None else min_count * len(shown)
    chosen = merge(joint, _just_inside(bound), method=method, over=over, min_count=least)
    labels = _partition(chosen)
    if _holds(np.arange(len(weight)), shown, bound) and weight.min() >= (min_count or 0):
        labels = np.arange(len(weight))  # nothing is at risk, though some may be within rounding
    elif not chosen.safe:
        raise UnsafeError(
            f"merging high-risk values among themselves leaves a leakage of {chosen.leakage:.4g} "
            "nats: use --over all, which may merge low-risk values too"
        )
    labels = _exactly_inside(labels, shown, bound)
    return partition_mechanism(joint, labels, bound, method=method, upper_bound=chosen.upper_bound)


def _partition(mechanism: Mechanism) -> IntArray:
    if mechanism.labels is None:
        raise TypeError("merge returns partitions")
    return mechanism.labels


def _just_inside(bound: Bound) -> Bound:
    """Tighten a bound by more than the solvers' tolerance, so that the exact check passes."""
    margin = 10 * TOLERANCE
    return Bound(max(0.0, bound.lower - margin), max(0.0, bound.upper - margin))


def _exactly_inside(labels: IntArray, shown: Sequence[SensitiveTable], bound: Bound) -> IntArray:
    """Merge blocks that fail the exact check into the largest block, until none fails.

    Only eps = 0 on very large counts comes here, where safe and unsafe differ by less than a
    float can tell. The whole alphabet has lifts of exactly one, so this ends.
    """
    while not _holds(labels, shown, bound):
        if labels.max() == 0:
            raise UnsafeError("not even one released value is safe: please report this")
        blocks = [block_sums(table.counts, labels) for table in shown]
        unsafe = np.any([~exactly_safe(block, bound) for block in blocks], axis=0)
        unsafe[blocks[0].sum(axis=1).argmax()] = True
        if unsafe.sum() == 1:
            unsafe[:] = True
        labels = canonical(np.where(unsafe[labels], -1, labels))
    return labels


def _holds(labels: IntArray, shown: Sequence[SensitiveTable], bound: Bound) -> bool:
    """Whether every block is safe for every sensitive variable, exactly."""
    return all(exactly_safe(block_sums(t.counts, labels), bound).all() for t in shown)


def _recode(
    counts: Counts,
    mechanism: Mechanism,
    bins: Mapping[str, float],
    *,
    min_count: int | None,
    each: bool,
) -> Recoding:
    columns = [
        PublicColumn(name, type_name, bins.get(name))
        for name, type_name in zip(counts.public_columns, counts.public_types, strict=True)
    ]
    return recode(
        columns,
        [SensitiveColumn(name, bins.get(name)) for name in counts.sensitive_columns],
        counts.public,
        _partition(mechanism),
        orders=counts.public_orders,
        bound=mechanism.bound,
        method=mechanism.method,
        min_count=min_count,
        each=each,
    )


def _certify_written(
    recoding: Recoding, counts: Counts, shown: Sequence[SensitiveTable], upper_bound: float
) -> Certificate:
    """Check what is about to be written: the mechanism as its file says it, on the counts."""
    written = Recoding.from_json(recoding.to_json())
    certificate = replace(_certify(written, counts, shown), upper_bound=upper_bound)
    if not certificate.holds or certificate.records != counts.total:
        raise UnsafeError(
            "the release failed its exact check, so nothing is released: please report this"
        )
    return certificate


def _certify(recoding: Recoding, counts: Counts, tables: Sequence[SensitiveTable]) -> Certificate:
    missing = [value for value in counts.public if value not in recoding.lookup]
    if missing:
        listed = ", ".join(repr(v[0] if len(v) == 1 else v) for v in missing[:10])
        raise TableError(
            f"{len(missing)} values of the table are not in the mechanism: {listed}"
            f"{', ...' if len(missing) > 10 else ''}"  # noqa: PLR2004, as many as are listed
        )
    blocks = np.array([recoding.lookup[value] for value in counts.public])
    return certify(recoding, blocks, tables, counts_sha256=hash_counts(counts.public, tables))


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


def check_options(over: str, min_count: int | None) -> None:
    """Refuse options that are none."""
    if over not in ("all", "high-risk"):
        raise InputError(f"over must be 'all' or 'high-risk', got {over!r}")
    whole = isinstance(min_count, Integral) and not isinstance(min_count, bool)
    if min_count is not None and not whole:
        raise InputError(f"min_count must be a whole number of records, got {min_count!r}")
    if min_count is not None and min_count < 1:
        raise InputError(f"min_count must be at least 1, got {min_count}")
