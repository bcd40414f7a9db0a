"""From counts to a checked release: choose what to merge, name it, and check it exactly.

No tables here, only counts: what comes out is as good for a file of any size as for a dataframe.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from numbers import Integral
from typing import Any, TypeAlias, get_args

import numpy as np

from loglift.audit.audit import Audit, audit_counts
from loglift.certify.certificate import Certificate, SensitiveTable, certify, hash_counts
from loglift.errors import BoundError, InputError, TableError, UnsafeError
from loglift.explain.around import Nearby, around
from loglift.explain.case import Case
from loglift.explain.explain import Explanation, explained
from loglift.explain.suggest import Suggestion, suggested
from loglift.joint import IntArray, Joint
from loglift.measures.entropy import entropy
from loglift.measures.partition import canonical
from loglift.mechanism.mechanism import Mechanism, partition_mechanism
from loglift.mechanism.recode import recode
from loglift.mechanism.recoding import PublicColumn, Recoding, SensitiveColumn
from loglift.mechanism.scope import ALL_MERGINGS
from loglift.merging.intact import (
    Groups,
    as_groups,
    mixes,
    refuse_small,
    refuse_unsafe,
)
from loglift.merging.merge import Method, Over, check_choice, check_over, merge
from loglift.promise.bound import TOLERANCE, Bound, as_bound
from loglift.promise.integers import exactly_safe
from loglift.sparse import block_sums, side_by_side, take_columns

Names: TypeAlias = str | Sequence[str]


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
        How values are rewritten: what mechanism.json holds. The bound is not on what it tells.
    certificate
        The exact check, for the custodian.
    audit
        What the table gave away before.
    kept_audit
        What the released columns give away together with the kept ones; None without any.
    why
        Which sensitive values bind, what they cost, and what would help; found when asked for.
        None for a randomized release, and for one certified for the population, which it knows
        nothing of.
    around
        What merging would keep at bounds around the one asked for; found when asked for. Empty
        for a randomized release.

    """

    table: Any
    mechanism: Mechanism
    recoding: Recoding
    certificate: Certificate
    audit: Audit
    kept_audit: Audit | None
    _case: Case | None

    def __repr__(self) -> str:
        return f"Protected({self.mechanism!r})"

    @cached_property
    def why(self) -> Explanation | None:
        """Why the release keeps no more, found when asked for; for the custodian."""
        if self._case is None or self.certificate.population is not None:
            return None
        return explained(self._case, _partition(self.mechanism))

    @cached_property
    def around(self) -> tuple[Nearby, ...]:
        """What is kept at bounds around the one asked for, found when asked for."""
        return () if self._case is None else around(self._case, _partition(self.mechanism))


def learn(
    counts: Joint,
    bound: Bound,
    *,
    method: Method = "search",
    over: Over = "all",
    min_count: int | None = None,
    groups: Names | Mapping[Any, Hashable] | None = None,
    each: bool = False,
    bins: Mapping[str, float] | None = None,
    time_limit: float | None = None,
    mechanism: Mechanism | None = None,
    unseen: int | None = None,
    start: IntArray | None = None,
) -> Protected:
    """Choose, name and check the merging for counts; the result has no table yet.

    Arguments are those of `protect`; a partition chosen elsewhere may be given as `mechanism`, with
    its block for values not in the counts, and one to start from as `start`. What is chosen is
    checked in exact arithmetic as its file says it, and refused if it fails.
    """
    check_options(over, min_count)
    check_choice(method, get_args(Method), "method")
    check_over(method, over)
    if method == "ordered":
        refuse_several(counts.column_names)
    shown = sensitive_tables(counts, each=each)
    least = None if min_count is None else int(min_count)
    columns = group_columns(groups, counts.column_names)
    among = groups_of(counts, groups, columns)
    if mechanism is None:
        mechanism = _choose(
            shown,
            bound,
            method=method,
            over=over,
            min_count=least,
            among=among,
            time_limit=time_limit,
            start=start,
        )
    recoding = _recode(counts, mechanism, bins or {}, min_count=least, groups=columns, each=each)
    recoding = replace(recoding, unseen=unseen)
    certificate = _certify_written(recoding, counts, shown, mechanism, among)
    before = audited(counts, shown, bound=bound, each=each)
    case = _case_of(shown, bound, least=least or 0, among=among, runs=method == "ordered")
    return Protected(None, mechanism, recoding, certificate, before, None, case)


def refuse_several(public: Sequence[str]) -> None:
    """Raise if there are several columns, whose values have no order together."""
    if len(public) > 1:
        raise TableError("runs are of one ordered column: name a single public column, or search")


def suggest_for(shown: Sequence[SensitiveTable], bound: Bound) -> Suggestion:
    """Choose a merging for counts, and suggest sensitive values to group so that it keeps more."""
    among = Groups.one(shown[0].counts.shape[0])
    chosen = _choose(shown, bound, method="search", over="all", min_count=None, among=among)
    steps = suggested(_case_of(shown, bound, least=0, among=among), _partition(chosen))
    return Suggestion(1 - chosen.nmil, tuple(steps))


def _case_of(
    shown: Sequence[SensitiveTable],
    bound: Bound,
    *,
    least: float,
    among: Groups,
    runs: bool = False,
) -> Case:
    """Return the counts of all sensitive variables as a case to solve again."""
    sizes = [len(table.labels) for table in shown]
    return Case(
        mass=side_by_side([table.counts for table in shown]).astype(np.float64),
        weight=shown[0].weight,
        names=tuple(table.label(j) for table in shown for j in range(len(table.labels))),
        variables=np.repeat(np.arange(len(shown)), sizes),
        bound=bound,
        least=least,
        groups=among.runs() if runs else among,
        runs=runs,
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


def check_options(over: str, min_count: int | None) -> None:
    """Refuse options that are none."""
    if over not in ("all", "high-risk"):
        raise InputError(f"over must be 'all' or 'high-risk', got {over!r}")
    whole = isinstance(min_count, Integral) and not isinstance(min_count, bool)
    if min_count is not None and not whole:
        raise InputError(f"min_count must be a whole number of records, got {min_count!r}")
    if min_count is not None and min_count < 1:
        raise InputError(f"min_count must be at least 1, got {min_count}")


def group_columns(
    groups: Names | Mapping[Any, Hashable] | None, public: Sequence[str]
) -> tuple[str, ...] | None:
    """Return the public columns that `groups` names; none of them when it maps values."""
    if groups is None or isinstance(groups, Mapping):
        return None if groups is None else ()
    names = (groups,) if isinstance(groups, str) else tuple(groups)
    for name in names:
        if name not in public:
            raise TableError(
                f"groups (--groups) names {name!r}, which is not a public column: name one of "
                f"{', '.join(public)}, or make it public too (-p {name})"
            )
    return names or None


def groups_of(
    counts: Joint,
    groups: Names | Mapping[Any, Hashable] | None,
    columns: tuple[str, ...] | None,
) -> Groups:
    """Return the group of each public value of the counts."""
    if isinstance(groups, Mapping):
        return as_groups(groups, tuple(v[0] if len(v) == 1 else v for v in counts.tuples))
    if columns is None:
        return Groups.one(len(counts.tuples))
    places = [counts.column_names.index(name) for name in columns]
    values = [tuple(value[i] for i in places) for value in counts.tuples]
    return as_groups(
        [value[0] if len(value) == 1 else value for value in values], tuple(counts.tuples)
    )


def audited(counts: Joint, tables: Sequence[SensitiveTable], **options: Any) -> Audit:
    """Audit counts; the options are those of `audit_counts`."""
    columns, codes = counts.column_names, [column.codes for column in counts.columns]
    return audit_counts(columns, counts.tuples, tables, codes, **options)


def sensitive_tables(counts: Joint, *, each: bool) -> list[SensitiveTable]:
    """Return the counts of the joint sensitive value, or with `each` of every column apart."""
    names = tuple(column.name for column in counts.sensitive_columns)
    if not each or len(names) == 1:
        labels: Any = tuple(v if len(names) > 1 else (v,) for v in counts.sensitive)
        return [SensitiveTable(names, labels, counts.mass)]
    apart = counts.apart()
    return [
        SensitiveTable(
            (str(variable.name),),
            tuple((v,) for v in apart.sensitive[variable.place]),
            take_columns(apart.mass, np.arange(variable.start, variable.stop)),
        )
        for variable in apart.variables
    ]


def _choose(
    shown: Sequence[SensitiveTable],
    bound: Bound,
    *,
    method: Method,
    over: Over,
    min_count: int | None,
    among: Groups,
    time_limit: float | None = None,
    start: IntArray | None = None,
) -> Mechanism:
    """Choose a partition that is safe in exact arithmetic.

    Events of several sensitive variables stand side by side: a lift does not change when the
    counts of a public value and of the whole table are both taken k times.
    """
    joint = Joint(side_by_side([table.counts for table in shown]))
    weight = shown[0].weight
    if min_count is not None and weight.sum() < min_count:
        raise UnsafeError(
            f"no release can have {min_count} records for every value: the table has {weight.sum()}"
        )
    refuse_small(weight, among, min_count or 0)
    least = None if min_count is None else min_count * len(shown)
    labels, most, scope = np.arange(len(weight)), entropy(weight), ALL_MERGINGS
    if not _holds(labels, shown, bound) or weight.min() < (min_count or 0):
        refuse_unsafe(joint.scaled, bound, among)
        solved = partial(
            merge,
            joint,
            method=method,
            over=over,
            min_count=least,
            groups=among.numbered(),
            time_limit=time_limit,
            start=start,
        )
        chosen = solved(bound)
        # Proven for the bound itself, not for the one just inside it.
        most, scope = chosen.upper_bound, chosen.upper_bound_scope
        if chosen.safe and not _holds(_partition(chosen), shown, bound):
            chosen = solved(_just_inside(bound))
        if not chosen.safe:
            raise UnsafeError(
                "merging high-risk values among themselves leaves a leakage of "
                f"{chosen.leakage:.4g} nats: use --over all, which may merge low-risk values too"
            )
        labels = _exactly_inside(_partition(chosen), shown, bound, among)
    return partition_mechanism(joint, labels, bound, method=method, upper_bound=most, scope=scope)


def _partition(mechanism: Mechanism) -> IntArray:
    if mechanism.labels is None:
        raise TypeError("merge returns partitions")
    return mechanism.labels


def _just_inside(bound: Bound) -> Bound:
    """Tighten a bound by more than the solvers' tolerance, so that the exact check passes."""
    margin = 10 * TOLERANCE
    return Bound(max(0.0, bound.lower - margin), max(0.0, bound.upper - margin))


def _exactly_inside(
    labels: IntArray, shown: Sequence[SensitiveTable], bound: Bound, among: Groups
) -> IntArray:
    """Merge blocks that fail the exact check into the largest of their group, until none fails.

    Only eps = 0 on very large counts comes here, where safe and unsafe differ by less than a
    float can tell. The whole alphabet has lifts of exactly one, so this ends; a group that fails
    as a whole is refused.
    """
    while not _holds(labels, shown, bound):
        blocks = [block_sums(table.counts, labels) for table in shown]
        unsafe = np.any([~exactly_safe(block, bound) for block in blocks], axis=0)
        group_of = np.zeros(unsafe.size, dtype=np.int64)
        group_of[labels] = among.numbers
        for group in np.unique(group_of[unsafe]):
            inside = np.flatnonzero(group_of == group)
            if inside.size == 1:
                raise UnsafeError(
                    f"{among.names[group]!r} is not safe even as one released value, if only by a "
                    "rounding: use a larger eps, or no groups (--groups)"
                )
            unsafe[inside[blocks[0].sum(axis=1)[inside].argmax()]] = True
            if unsafe[inside].sum() == 1:
                unsafe[inside] = True
        labels = canonical(np.where(unsafe[labels], -1 - among.numbers, labels))
    return labels


def _holds(labels: IntArray, shown: Sequence[SensitiveTable], bound: Bound) -> bool:
    """Whether every block is safe for every sensitive variable, exactly."""
    return all(exactly_safe(block_sums(t.counts, labels), bound).all() for t in shown)


def _recode(
    counts: Joint,
    mechanism: Mechanism,
    bins: Mapping[str, float],
    *,
    min_count: int | None,
    groups: tuple[str, ...] | None,
    each: bool,
) -> Recoding:
    public, sensitive = columns_of(counts, bins)
    return recode(
        public,
        sensitive,
        counts.tuples,
        _partition(mechanism),
        orders=[column.values for column in counts.columns],
        bound=mechanism.bound,
        method=mechanism.method,
        min_count=min_count,
        groups=groups,
        each=each,
    )


def columns_of(
    counts: Joint, bins: Mapping[str, float]
) -> tuple[list[PublicColumn], list[SensitiveColumn]]:
    """Return the columns of counts as a mechanism names them."""
    types = zip(counts.column_names, [column.type for column in counts.columns], strict=True)
    public = [PublicColumn(name, type_name, bins.get(name)) for name, type_name in types]
    return public, [
        SensitiveColumn(name, bins.get(name))
        for name in (column.name for column in counts.sensitive_columns)
    ]


def _certify_written(
    recoding: Recoding,
    counts: Joint,
    shown: Sequence[SensitiveTable],
    mechanism: Mechanism,
    among: Groups,
) -> Certificate:
    """Check what is about to be written: the mechanism as its file says it, on the counts."""
    written = Recoding.from_json(recoding.to_json())
    certificate = certify_counts(written, counts, shown, mechanism)
    differs = mixes(np.array(written.blocks), among) or written.unseen != recoding.unseen
    if differs or not certificate.holds or certificate.records != counts.total:
        raise UnsafeError(
            "the release failed its exact check, so nothing is released: please report this"
        )
    return certificate


def certify_counts(
    recoding: Recoding,
    counts: Joint,
    tables: Sequence[SensitiveTable],
    mechanism: Mechanism | None = None,
) -> Certificate:
    """Check a recoding on counts; values it does not know belong to its block of unseen ones.

    The certificate says what is proven about the mechanism, where one is given.
    """
    blocks, digest = blocks_of(recoding, counts), hash_counts(counts.tuples, tables)
    certificate = certify(recoding, blocks, tables, counts_sha256=digest)
    if mechanism is None:
        return certificate
    return replace(
        certificate,
        upper_bound=mechanism.upper_bound,
        upper_bound_scope=mechanism.upper_bound_scope,
    )


def blocks_of(recoding: Recoding, counts: Joint) -> IntArray:
    """Return the block (or row of the channel) of each public value of the counts."""
    missing = [value for value in counts.tuples if value not in recoding.lookup]
    if missing and recoding.unseen is None:
        listed = ", ".join(repr(v[0] if len(v) == 1 else v) for v in missing[:10])
        raise TableError(
            f"{len(missing)} values of the table are not in the mechanism: {listed}"
            f"{', ...' if len(missing) > 10 else ''}: say what becomes of them with unseen "  # noqa: PLR2004, as many as are listed  # noqa: E501
            "(--unseen), as in apply"
        )
    found = [recoding.lookup.get(value, recoding.unseen) for value in counts.tuples]
    return np.array(found, dtype=np.int64)
