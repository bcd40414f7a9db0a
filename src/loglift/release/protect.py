"""The recipe: from a table to a safe table.

    table --count--> Joint --choose--> Mechanism --certify--> certificate --apply--> released table

Everything between counting and applying sees a small matrix of counts, whatever the engine.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from numpy.typing import NDArray

from loglift import tables
from loglift._compute.kernels import load_compiler
from loglift._compute.progress import OnProgress, Progress, silent
from loglift._compute.threads import Begun, stop_on_error
from loglift.audit.audit import Audit, audit_joint
from loglift.certify.certify import certify_written
from loglift.joint import Joint
from loglift.mechanism.columns import PublicColumn
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.notions import Notions
from loglift.merging.merge import SEARCHING, Method, Over
from loglift.promise.bound import Bound
from loglift.release.apply import MechanismLike, as_mechanism, mechanisms_of
from loglift.release.choose import Task, choose
from loglift.release.draws import draws_of, noise_of
from loglift.release.earlier import with_absent
from loglift.release.goal import goal_of, with_taxonomies
from loglift.release.knowledge import readers_of_table, refuse_leaks
from loglift.release.least_eps import least_eps
from loglift.release.noting import plan_of
from loglift.release.options import Options, Ranges, ReleaseMethod, Show, options_of
from loglift.release.origin import Input
from loglift.release.reasons import reasons_of
from loglift.release.result import Release
from loglift.release.sensitive import combined, resolved
from loglift.report.detail import Detail
from loglift.tables.columns import Names, refuse_index, refuse_key, refuse_sensitive
from loglift.utility.utility import Utility

MIN_LARGE_FILE = 2**26  # bytes that take an engine a tenth of a second or more to count


@stop_on_error()
def protect(
    table: Any,
    *,
    sensitive: Names,
    public: Names,
    eps: float | None = None,
    bound: Bound | None = None,
    min_information: float | None = None,
    method: ReleaseMethod = "search",
    over: Over = "all",
    utility: Utility | Literal["joint", "columns"] | None = None,
    purposes: Names = (),
    importance: Mapping[str, float] | None = None,
    unordered: Names = (),
    taxonomies: Mapping[str, Any] | None = None,
    min_count: int | None = None,
    max_block: int | None = None,
    intact: Names | Mapping[Any, Hashable] | None = None,
    passthrough: Names = (),
    keep_sensitive: bool = False,
    keep_order: bool = False,
    each: bool = False,
    combine: Mapping[str, Any] | None = None,
    weights: str | None = None,
    both: bool = False,
    known: Names = (),
    given: MechanismLike | Sequence[MechanismLike] = (),
    coarser_than: MechanismLike | None = None,
    update: MechanismLike | None = None,
    bins: Mapping[str, Any] | None = None,
    missing: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    confidence: float | None = None,
    choose_share: float | None = None,
    show: Show = "groups",
    ranges: Ranges = "text",
    key: str | None = None,
    draw_seed: int | None = None,
    explain: bool = False,
    evaluate: bool = False,
    on_progress: OnProgress = silent,
) -> Release:
    """Rewrite the public columns so that no released value moves belief by more than the bound.

    Parameters
    ----------
    table, sensitive, public, eps, bound, each, bins, missing, on_progress
        As in `audit`; a bound is required, or `min_information`.
    min_information
        In place of a bound: the share to keep of the utility of the table as it is, say 0.9. The
        least eps that is found to keep it becomes the bound.
    method
        How to choose what to merge, as in `merge`; "ordered" takes a single public column, and
        releases runs of it as ranges, `25-34`. "randomized" draws released values at random,
        as in `randomize`, which keeps more.
    over
        "all" may merge low-risk values too, and always finds a release; "high-risk" merges
        high-risk values among themselves only, as the paper does.
    utility
        What is worth keeping. "columns": what each public column says, the mean of I(X_j;Y)/H(X_j),
        with coarser versions of ordered columns and whole rows beside them. "joint": I(X;Y) of
        whole rows, as in the paper. Or a `Utility`. By default "columns" for several public columns
        or an ordered one, else "joint".
    purposes
        Columns of the table, released or not, that the public columns are needed for, such as a
        variable that readers will model: what the release says about them is kept first.
    importance
        Weights of public columns that matter more, or less, than the others, which have 1.
    unordered
        Public columns of numbers, dates or times whose order means nothing, such as postal codes.
    taxonomies
        A taxonomy of the values of public columns: a file, as `Taxonomy.read` takes it, or a
        mapping. Its levels are kept as well as the column, and name merged values.
    min_count
        The least number of records of every released value.
    max_block
        The most public values of a block, by "search", "exact" or "ordered". There may be no safe
        release then.
    intact
        One or several of the public columns, whose values are never merged with different ones:
        with intact="country" every released value is within one country. Or a mapping of the
        public values (tuples for several columns) to groups that are never merged.
    passthrough
        Other columns to release as they are, or in the bands that `bins` has for them. They are
        not protected; `.passthrough_audit` tells what they give away together with the released
        ones.
    keep_sensitive
        Release the sensitive columns too, as they are.
    keep_order
        Keep the order of the rows, and in pandas their index, which are given up otherwise: they
        could link the rows to the input.
    combine
        Sensitive values that count as one, by column: {"diabetes": [None, "Borderline"]}, or a list
        of such groups. Nothing is promised about telling the values of a group apart.
    weights
        A column of survey weights, positive numbers: shares are then sums of weights, so the bound
        is about the population that the survey stands for. It is kept exactly: floats and decimals
        are rational numbers. `min_count` counts records. The column is not released, unless it is
        in `passthrough`, and then in bands: five with as many records each, or as `bins` says.
    both
        With weights: keep the bound also to readers who count every record the same.
    known
        Columns that readers may know of a person, public or not: the bound is kept to readers who
        know any of them, p(s|y,k) against p(s|k), as well as to those who know none.
    given
        The mechanisms of earlier releases of the same records: together with them the release is
        within the bound. `.certificate.kept_without` says what would be kept without this.
    coarser_than
        The mechanism of a finer release: only whole blocks of it are merged, so that the two
        releases together tell no more than the finer one.
    update
        The mechanism of an earlier table: the release merges whole blocks of it, and values that it
        does not know, as little as makes the release safe on this table.
    time_limit
        Seconds that "exact" may take to prove its release the best (60 by default), "search" to go
        on improving it (none by default), or "randomized" for both (no limit by default).
    confidence
        Certify the release for the population the records are a random sample of, with this
        confidence, such as 0.95; `.certificate.population` tells. Else it is about the table.
    choose_share
        With a confidence, the share of the records that choose what to merge or to draw, 0.4 by
        default; the others certify.
    show
        What a record of a block shows. "groups": the members of its block, as one name. "values": a
        plain value, a member of the block drawn by frequency. The records of a block exchange their
        own values, so every count of the public columns is exactly the table's, and every column
        keeps its type; what is shown next to other columns is true of blocks only.
    ranges
        "text" shows merged values of an ordered column as 25-34, "columns" as two columns,
        age_low and age_high, of its own type.
    key
        For "randomized", or show="values": a column that says whose record it is. Records of the
        same key and public value get the same draw, so that nobody averages it away. Values are
        then drawn by their shares, not exchanged: counts are the table's on average only.
    draw_seed
        For "randomized", or show="values", and for tests only: whoever knows it can repeat the
        draws. The certificate says so.
    explain
        Also find which sensitive values bind, what would help (`.explanation`) and what other
        bounds would keep (`.nearby`), for the report. This takes about as long as the release, and
        goes on in the background: whoever reads these waits for them.
    evaluate
        Also measure what readers can do with the release, and what an attacker can
        (`.evaluation`), for the report; see `evaluate`. It needs scikit-learn.

    Returns
    -------
    Release
        The released table with its mechanism, its certificate and more.

    Raises
    ------
    UnsafeError
        When there is no safe release under these limits.
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
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.5)
    >>> sorted(release.table["job"])
    ['a', 'a', 'b | c', 'b | c', 'b | c', 'b | c']
    >>> round(release.certificate.leakage, 3), release.certificate.holds
    (0.0, True)
    """
    options = options_of(
        sensitive=sensitive,
        public=public,
        eps=eps,
        bound=bound,
        min_information=min_information,
        method=method,
        over=over,
        utility=utility,
        purposes=purposes,
        importance=importance,
        unordered=unordered,
        taxonomies=taxonomies,
        min_count=min_count,
        max_block=max_block,
        intact=intact,
        passthrough=passthrough,
        keep_sensitive=keep_sensitive,
        keep_order=keep_order,
        each=each,
        combine=combine,
        weights=weights,
        both=both,
        known=known,
        given=mechanisms_of(given),
        coarser_than=None if coarser_than is None else as_mechanism(coarser_than),
        update=None if update is None else as_mechanism(update),
        bins=bins,
        missing=missing,
        time_limit=time_limit,
        confidence=confidence,
        choose_share=choose_share,
        show=show,
        ranges=ranges,
        key=key,
        draw_seed=draw_seed,
    )
    if evaluate:
        from loglift.readers.learner import require_sklearn  # noqa: PLC0415, when asked for

        require_sklearn()
    opened = tables.open_table(table)
    protected, fold = (*options.public, *options.sensitive), opened.engine.folds_case
    refuse_sensitive(
        options.passthrough,
        options.sensitive,
        fold=fold,
        hint="; keep_sensitive (--keep-sensitive) publishes it",
    )
    refuse_key(key, protected, fold=fold)
    if keep_order:
        refuse_index(opened, protected)

    on_progress(Progress("counting"))
    if opened.bytes >= MIN_LARGE_FILE:
        Begun(load_compiler)  # the engine needs no interpreter to count
    joint = with_taxonomies(options.counted(opened), options)
    joint, groups = combined(joint, options.combine)
    goal = goal_of(opened, joint, options)
    shown = options.shown(joint)
    readers = readers_of_table(
        opened,
        shown,
        known=options.known,
        given=options.given,
        bins=options.bins,
        combine=groups,
        both=options.both,
    )

    limit = resolved(options.bound or Bound.symmetric(0.0), joint, options.ignored, groups)
    start = None
    if options.bound is not None:
        refuse_leaks(shown, limit, readers.knowledge)
    else:
        on_progress(Progress("choosing eps"))
        found = least_eps(
            shown,
            cast("float", options.min_information),  # given where no bound is
            cast("Method", options.method),  # "randomized" is refused with it
            utility=goal,
            min_count=options.min_count,
            intact=options.groups(joint),
            promises=readers.knowledge,
            like=limit,
        )
        limit = limit.at(found.eps)
        start = found.mechanism.labels if options.method in SEARCHING else None

    order, holding = _begin_reading(opened, joint, options)
    on_progress(Progress("randomizing" if options.method == "randomized" else "merging"))
    chosen = choose(Task(joint, options, limit, goal, readers.knowledge, start), on_progress)
    mechanism = replace(
        chosen.mechanism,
        beside=_beside(opened, options),
        known=readers.known,
        given=readers.given,
        both=options.both,
        sensitive=tuple(
            replace(column, combined=groups.get(column.name, ()))
            for column in chosen.mechanism.sensitive
        ),
    )
    mechanism = _shown(mechanism, joint, shown, options)

    on_progress(Progress("certifying"))
    certificate = replace(
        certify_written(mechanism, shown, readers.knowledge),
        population=chosen.population,
        kept_without=chosen.kept_without,
        absent=readers.absent,
        draws=draws_of(mechanism, key, draw_seed),
        beside=(*options.published, *(opened.index if keep_order else ())),
    )
    before = audit_joint(shown, bound=limit, knowledge=readers.knowledge)
    explaining = None
    if explain:  # in a thread of its own: meanwhile the table is read, and written by `save`
        sampled = certificate.population is not None
        explaining = Begun(lambda: reasons_of(before.joint, mechanism, sampled=sampled))
    auditing = held = None
    if options.passthrough:
        on_progress(Progress("auditing the columns that pass through"))
        held = None if holding is None else holding.result()
        auditing = _audit_passthrough(opened, mechanism, options, limit, held)

    on_progress(Progress("applying"))
    released = tables.apply(
        opened,
        mechanism,
        passthrough=options.published,
        keep_order=keep_order,
        noise=noise_of(mechanism, key, draw_seed),
        key=key,
        counts=joint,
        order=order,
        held=held,
        narrow=True,
    )
    release = Release(
        table=tables.widened(opened, released),
        narrow_table=released,
        mechanism=mechanism,
        certificate=certificate,
        audit=before,
        notions=Notions.of_release(mechanism, shown),
        detail=Detail(before.public, certificate.bound, mechanism, certificate, before),
        passthrough_audit=None if auditing is None else auditing.result(),
        explaining=explaining,
        input=Input.of(opened, keeps_order=keep_order),
        plan=plan_of(
            opened,
            options,
            joint,
            limit,
            groups,
            files={"given": given, "coarser-than": coarser_than, "update": update},
        ).also(evaluate=evaluate),
    )
    return _evaluated(release, opened, options, on_progress) if evaluate else release


def _evaluated(
    release: Release, opened: tables.Table, options: Options, on_progress: OnProgress
) -> Release:
    """Return the release with what readers can do with it, and what an attacker can."""
    from loglift.release.evaluate import evaluate  # noqa: PLC0415, when asked for

    readings = evaluate(
        opened,
        release,
        purposes=[name for name in options.purposes if name not in options.public],
        given=options.given,
        on_progress=on_progress,
    )
    return replace(release, evaluation=readings)


def _beside(opened: tables.Table, options: Options) -> tuple[PublicColumn, ...]:
    """Return the columns that pass through in bands."""
    banded = {name: options.bins[name] for name in options.passthrough if name in options.bins}
    found = tables.settled(opened, banded)
    return tuple(PublicColumn(name, "text", cut) for name, cut in found.items())


def _shown(mechanism: Mechanism, joint: Joint, shown: Joint, options: Options) -> Mechanism:
    """Return the mechanism with what its records show: their groups, values or ranges."""
    if options.update is not None and options.show == "groups":
        mechanism = with_absent(mechanism, shown, options.update)
    if options.show == "values":
        return mechanism.shown_as_values(joint)
    return mechanism.with_ranges() if options.ranges == "columns" else mechanism


def _begin_reading(
    opened: tables.Table, joint: Joint, options: Options
) -> tuple[Begun[NDArray[Any]] | None, Begun[tables.HeldRows | None] | None]:
    """Begin to order the records, or to read the rows with what passes through, if that will do.

    In threads: merging leaves the engine idle, and a core now and then. A connection of the engine
    takes one query at a time: nothing may ask it until the rows are read.
    """
    order = holding = None
    if options.method != "randomized":
        order = tables.begin_order(
            opened, joint, options.published, options.key, keep_order=options.keep_order
        )
    if options.holds_rows:
        passing = options.passthrough, options.published
        holding = Begun(lambda: tables.hold_rows(opened, joint, *passing))
    return order, holding


def _audit_passthrough(
    opened: tables.Table,
    mechanism: Mechanism,
    options: Options,
    bound: Bound,
    held: tables.HeldRows | None,
) -> Begun[Audit]:
    """Count the released values together with the columns beside them, and begin to audit them.

    They are counted as readers see them; a column of very many numbers, dates or times is counted
    in quantile bands, which tell less. `held` are the rows, if they were read.
    """
    joint = tables.count_released(
        opened,
        mechanism,
        options.passthrough,
        bins={column.name: column.bin for column in mechanism.beside if column.bin is not None},
        weights=options.weights,
        held=held,
    )
    for name, groups in mechanism.combined.items():
        joint = joint.combined(name, groups)
    return Begun(lambda: audit_joint(options.shown(joint), bound=bound))
