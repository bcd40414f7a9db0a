"""The recipe of evaluating a release: what readers can do with it, and what an attacker can.

table, mechanism --count--> records --what readers see--> figures
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np

from loglift import tables
from loglift._compute.progress import OnProgress, Progress, silent
from loglift.errors import InputError, MechanismError, TableError
from loglift.joint import Column, IntArray, Joint
from loglift.mechanism.channel import Channel
from loglift.mechanism.columns import PublicColumn
from loglift.mechanism.kept import kept_columns
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.naming import BLOCK_COLUMN
from loglift.promise.bound import Bound, Limits
from loglift.promise.knowledge import Released
from loglift.readers.attack import AttackReading, counting_reading, learning_reading
from loglift.readers.columns import column_readings
from loglift.readers.context import columns_known, context_reading
from loglift.readers.evaluation import Evaluation, Shows
from loglift.readers.learner import (
    MAX_CLASSES,
    Seen,
    Sight,
    Target,
    commonest,
    model_reading,
    require_sklearn,
    split_of,
    target_of,
)
from loglift.readers.minimality import MinimalityReading, drawn_reading, merged_reading
from loglift.readers.pairs import pair_readings
from loglift.readers.queries import query_errors
from loglift.readers.views import (
    RecordColumn,
    Records,
    View,
    original_view,
    plain_view,
    released_view,
    shows_values,
    shuffled_view,
)
from loglift.release.apply import MechanismLike, as_mechanism
from loglift.release.knowledge import Readers, readers_of_table, rows_of_earlier
from loglift.release.result import Release
from loglift.release.sensitive import combined
from loglift.sparse import as_cells, block_sums, dense
from loglift.tables.columns import Names, as_names, same_name
from loglift.utility.bands import is_ordered
from loglift.values import NUMBERS, checked_number

ReleaseLike: TypeAlias = Release | Mechanism | str | PathLike[str]

MAX_RECORDS = 1_000_000  # a larger table is evaluated on a random sample of as many records
MAX_WITHOUT_REPLACEMENT = 10**9  # records that numpy draws from without replacement
UNKNOWN_TYPE = ""  # of a column that no mechanism names
MECHANISM = "mechanism.json"
RELEASED = tuple(f"released.{ending}" for ending in tables.FORMATS)


@dataclass(frozen=True, eq=False)
class _Evaluated:
    """A release as evaluated: its mechanism, and the columns that are released as they are.

    `released` names all columns of the released table; it is empty where only the mechanism is
    known.
    """

    mechanism: Mechanism
    released: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Counted:
    """The counts of a table, and its records with the number of their joint sensitive value.

    `known` are columns that an attacker knows. `earlier` has the records as each earlier release
    counts them; x is -1 for those that it does not know.
    """

    joint: Joint
    records: Records
    s: IntArray
    others: Joint
    known: tuple[RecordColumn, ...]
    earlier: tuple[Records, ...]


@dataclass(frozen=True, eq=False)
class _Knowing:
    """Readers who know more than the release, and what a learner sees of what they know."""

    readers: Readers
    promised: tuple[bool, ...]
    released: Released
    seen: Seen
    names: tuple[str, ...]


def evaluate(
    original: Any,
    release: ReleaseLike,
    *,
    purposes: Names = (),
    known: Names = (),
    given: MechanismLike | Sequence[MechanismLike] = (),
    seed: int = 0,
    on_progress: OnProgress = silent,
) -> Evaluation:
    """Measure what readers can do with a release, and what an attacker can.

    Every figure is beside the same figure of the original table and of a trivial release, in which
    each public column is shuffled on its own. It needs scikit-learn: `pip install
    'loglift[evaluate]'`.

    Parameters
    ----------
    original
        The table that was protected: a path or a dataframe, as in `protect`.
    release
        The directory that `Release.save` (`protect -o`) wrote, a `Release`, a `Mechanism`, or the
        path of a mechanism.json. Which columns are released as they are is known from a directory
        and from a `Release` only.
    purposes
        Columns of the original that readers want to predict from the public ones; those that are
        released as they are always belong to them.
    known
        Columns of the original that an attacker knows of a person, public or not; those that the
        mechanism was made with (`protect(known=...)`) always belong to them. Readers may know
        any combination of them.
    given
        The mechanisms of earlier releases of the same records, which an attacker reads too. The
        file of a mechanism does not hold those that it was made with: name them again.
    seed
        The seed of draws, shuffles, samples and queries.
    on_progress
        Called with a `Progress` as each stage of the work begins.

    """
    require_sklearn()
    number = int(checked_number(seed, "seed (--seed)", least=0, whole=True))
    told = _evaluated(release)
    mechanism = told.mechanism
    several = cast(
        "Sequence[MechanismLike]", given if isinstance(given, (list, tuple)) else [given]
    )
    earlier = tuple(as_mechanism(each) for each in several)
    opened = tables.open_table(original)
    wanted = as_names(purposes, "purposes (--for)", optional=True)
    beside, purposes_of = _columns_of(opened, told, wanted)
    known_columns = _known(mechanism, as_names(known, "known (--known)", optional=True))

    on_progress(Progress("counting"))
    random = np.random.default_rng(number)
    counted = _counted(opened, mechanism, (*beside, *purposes_of), known_columns, earlier, random)
    records = counted.records
    original_seen = original_view(records)
    released = released_view(records, mechanism, random)
    shuffled = shuffled_view(records, random)

    on_progress(Progress("measuring columns and pairs"))
    information = [column.information for column in kept_columns(counted.joint, mechanism)]
    columns = column_readings(records, released, shuffled, information)
    pairs = pair_readings(records, original_seen, released, shuffled)
    on_progress(Progress("asking queries"))
    queries = query_errors(records, released, shuffled, number)

    models = []
    plain = shows_values(mechanism)
    for done, column in enumerate(records.others):
        on_progress(Progress("training models", done, len(records.others)))
        target = target_of(column)
        sights = _sights(
            records.public, original_seen, released, shuffled, original_seen if plain else released
        )
        split = split_of(target, np.random.default_rng([number, done]))
        found = model_reading(target, split, sights, number)
        models += [] if found is None else [found]

    sensitive = tuple(column.name for column in mechanism.sensitive)
    sensitive_released = all(name in told.released for name in sensitive)
    on_progress(Progress("attacking"))
    knowing = _knowing(opened, counted, mechanism, known_columns, earlier, random)
    attacks = _attacks(
        counted,
        mechanism,
        knowing,
        (original_seen, released, shuffled),
        beside=len(beside),
        published=sensitive_released,
        seed=number,
    )
    return Evaluation(
        public=mechanism.column_names,
        sensitive=sensitive,
        passthrough=beside,
        purposes=purposes_of,
        sensitive_released=sensitive_released,
        shows=_shows(mechanism),
        bound=mechanism.bound,
        records=int(counted.joint.records.sum()),
        evaluated=records.size,
        seed=number,
        columns=columns,
        pairs=pairs,
        queries=queries,
        models=tuple(models),
        attacks=attacks,
        known=tuple(column.name for column in known_columns),
        given=() if knowing is None else knowing.readers.given,
        not_given=_not_given(mechanism, earlier),
    )


def _evaluated(release: ReleaseLike) -> _Evaluated:
    """Find the mechanism of a release, and the columns that were released."""
    if isinstance(release, Release):
        names = (*release.mechanism.column_names, *release.certificate.beside)
        return _Evaluated(as_mechanism(release), names)
    if isinstance(release, (str, PathLike)) and Path(release).is_dir():
        directory = Path(release)
        if not (directory / MECHANISM).is_file():
            raise MechanismError(
                f"{directory} has no {MECHANISM}: give the directory that protect wrote, or the "
                f"path of a {MECHANISM}"
            )
        mechanism = as_mechanism(directory / MECHANISM)
        written = [directory / name for name in RELEASED if (directory / name).is_file()]
        columns = tables.open_table(str(written[0])).columns if written else ()
        return _Evaluated(mechanism, columns)
    return _Evaluated(as_mechanism(release), ())


def _columns_of(
    opened: tables.Table, told: _Evaluated, wanted: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that are released as they are, and the purposes that are not."""
    sensitive = [column.name for column in told.mechanism.sensitive]
    public, fold = told.mechanism.column_names, opened.engine.folds_case
    for name in wanted:
        same = same_name(name, sensitive, fold=fold)
        if same is not None:
            raise TableError(
                f"the purpose (--for) {name!r} is sensitive: how well it is guessed is measured as "
                "an attack, leave it out"
            )
        if name in public:
            raise TableError(
                f"the purpose (--for) {name!r} is a public column: what is left of it is measured "
                "anyway, leave it out"
            )
        opened.position(name)
    protected = {*public, *sensitive, BLOCK_COLUMN}
    beside = tuple(
        name for name in told.released if name in opened.columns and name not in protected
    )
    return beside, tuple(name for name in wanted if name not in beside)


def _known(mechanism: Mechanism, wanted: Sequence[str]) -> tuple[PublicColumn, ...]:
    """Return the columns that the attacker knows: those of the mechanism, then those asked for.

    A public column is known in the bins that it is released in.
    """
    types = {column.name: column for column in (*mechanism.columns, *mechanism.known)}
    names = dict.fromkeys([*(column.name for column in mechanism.known), *wanted])
    return tuple(types.get(name, PublicColumn(name, UNKNOWN_TYPE)) for name in names)


def _combine(mechanism: Mechanism) -> dict[str, tuple[tuple[Any, ...], ...]]:
    """Return the sensitive values that count as one, by column."""
    return {column.name: column.combined for column in mechanism.sensitive if column.combined}


def _use(column: PublicColumn) -> tables.Use:
    plain = not column.banded and column.type != UNKNOWN_TYPE
    return tables.Use(column.name, column.bin, column.type if plain else None)


def _not_given(mechanism: Mechanism, earlier: Sequence[Mechanism]) -> int:
    """Return how many of the earlier releases that a mechanism was made with are not given."""
    hashes = {each.sha256 for each in earlier}
    return sum(each.sha256 not in hashes for each in mechanism.given)


def _counted(
    opened: tables.Table,
    mechanism: Mechanism,
    others: tuple[str, ...],
    known: Sequence[PublicColumn],
    earlier: Sequence[Mechanism],
    random: np.random.Generator,
) -> _Counted:
    """Count the table, and make records of the counts; of a sample where there are very many."""
    width = len(mechanism.columns)
    kinds = [column.type for column in mechanism.columns]
    sensitive = tuple(column.name for column in mechanism.sensitive)
    counted = tables.count(
        opened,
        (*mechanism.column_names, *others),
        sensitive,
        bins={**mechanism.bins, **{c.name: c.bin for c in mechanism.beside if c.name in others}},
        types=[*kinds, *(None for _ in others)],
        also=[*map(_use, known), *(_use(c) for each in earlier for c in each.columns)],
        weights=mechanism.weights,
    )
    counted, _ = combined(counted, _combine(mechanism))
    tables.refuse_types(counted.columns[:width], kinds)
    number = {value: row for row, value in enumerate(mechanism.tuples)}
    values = [value[:width] for value in counted.tuples]
    unknown = next((value for value in values if value not in number), None)
    if unknown is not None:
        shown = unknown[0] if width == 1 else unknown
        raise TableError(
            f"{opened.where} has the public value {shown!r}, which the mechanism does not know: "
            "give the table that was protected"
        )
    public = np.array([number[value] for value in values], dtype=np.int64)
    cells = as_cells(counted.counts)
    times = np.asarray(cells.values, dtype=np.int64)
    if (total := int(times.sum())) > MAX_RECORDS:
        if total < MAX_WITHOUT_REPLACEMENT:
            times = random.multivariate_hypergeometric(times, MAX_RECORDS, method="marginals")
        else:
            times = random.multinomial(MAX_RECORDS, times / total)
    row, s = np.repeat(cells.rows, times), np.repeat(cells.columns, times)
    known_from, earlier_from = width + len(others), width + len(others) + len(known)
    records = replace(
        _records(counted.columns[:width], mechanism, row, public),
        others=tuple(_record_column(c, row) for c in counted.columns[width:known_from]),
    )
    records_of_earlier = []
    for each in earlier:
        places = range(earlier_from, earlier_from + len(each.columns))
        earlier_from += len(each.columns)
        x = rows_of_earlier(each, counted, places)
        records_of_earlier.append(_records([counted.columns[i] for i in places], each, row, x))
    return _Counted(
        joint=counted.seen_as(counted.columns[:width]),
        records=records,
        s=s.astype(np.int64),
        others=counted.merged(public, len(mechanism.public)),
        known=tuple(
            _record_column(c, row) for c in counted.columns[known_from : known_from + len(known)]
        ),
        earlier=tuple(records_of_earlier),
    )


def _records(
    columns: Sequence[Column], mechanism: Mechanism, row: IntArray, x: IntArray
) -> Records:
    """Return records as a mechanism sees them, given by their row in the counts.

    `x` is the public value of the mechanism of each row.
    """
    first = tuple(_with_all_values(c, mechanism, i) for i, c in enumerate(columns))
    places = [{value: code for code, value in enumerate(column.values)} for column in first]
    rows = np.array(
        [[place[v] for place, v in zip(places, value, strict=True)] for value in mechanism.tuples],
        dtype=np.int64,
    )
    return Records(tuple(_record_column(column, row) for column in first), (), rows, x[row])


def _knowing(
    opened: tables.Table,
    counted: _Counted,
    mechanism: Mechanism,
    known: Sequence[PublicColumn],
    earlier: Sequence[Mechanism],
    random: np.random.Generator,
) -> _Knowing | None:
    """Count what readers know, who know columns or read earlier releases; None without any.

    A learner sees all of it: the known columns as they are, earlier releases as their readers do.
    """
    if not known and not earlier:
        return None
    joint = counted.joint.apart() if mechanism.each else counted.joint
    readers = readers_of_table(
        opened,
        joint,
        known=[c.name if c.type == UNKNOWN_TYPE else c for c in known],
        given=earlier,
        combine=_combine(mechanism),
        each=mechanism.each,
    )
    hashes = {each.sha256 for each in mechanism.given}
    kept_together = all(each.sha256 in hashes for each in earlier)
    promised_columns = {column.name for column in mechanism.known}
    promised = tuple(
        kept_together and promised_columns >= set(columns_known(each)) for each in readers.knowledge
    )
    rows = mechanism.rows_of(joint.tuples)
    released = Released(rows)
    if mechanism.labels is None:
        exact = mechanism.exact_channel
        numerators = Channel.rounded(mechanism.channel) if exact is None else exact.numerators()
        released = Released.of_channel(numerators[rows])
    seen: list[tuple[Sequence[RecordColumn], View]] = []
    if counted.known:
        seen.append((counted.known, plain_view([column.codes for column in counted.known])))
    for each, records in zip(earlier, counted.earlier, strict=True):
        seen += _seen_of_earlier(records, each, random)
    names = (
        *(column.name for column in known),
        *(f"earlier release {place}" for place in range(1, len(earlier) + 1)),
    )
    return _Knowing(readers, promised, released, seen, names)


def _seen_of_earlier(
    records: Records, mechanism: Mechanism, random: np.random.Generator
) -> Iterator[tuple[Sequence[RecordColumn], View]]:
    """Yield what readers see of an earlier release, and which records are not in it."""
    absent = records.x < 0
    inside = replace(records, x=np.where(absent, 0, records.x))
    yield records.public, released_view(inside, mechanism, random)
    if absent.any():
        column = RecordColumn("absent", (False, True), absent.astype(np.int64))
        yield (column,), plain_view([column.codes])


def _with_all_values(column: Column, mechanism: Mechanism, place: int) -> Column:
    """Return a column with the values that only the mechanism knows at the end."""
    more = dict.fromkeys(value[place] for value in mechanism.tuples)
    known = set(column.values)
    extra = [value for value in more if value not in known]
    if not extra:
        return column
    return Column(column.name, column.type, column.bin, (*column.values, *extra), column.codes)


def _record_column(column: Column, row: IntArray) -> RecordColumn:
    """Return a counted column with the code of each record."""
    numbers = places = None
    if column.type in NUMBERS:
        numbers = np.array([np.nan if v is None else float(v) for v in column.values])
    if is_ordered(column):
        places = np.arange(len(column.values))
        if column.ranks:
            places = np.argsort(np.argsort(column.ranks, kind="stable"))
    return RecordColumn(
        column.name, column.values, column.codes[row].astype(np.int64), numbers, places
    )


def _sights(
    columns: Sequence[RecordColumn], original: View, released: View, shuffled: View, tested: View
) -> list[Sight]:
    """Return what models of the original, the release and the trivial release see."""
    return [
        Sight([(columns, train)], [(columns, test)])
        for train, test in ((original, original), (released, tested), (shuffled, original))
    ]


def _attacks(
    counted: _Counted,
    mechanism: Mechanism,
    knowing: _Knowing | None,
    views: tuple[View, View, View],
    *,
    beside: int,
    published: bool,
    seed: int,
) -> tuple[AttackReading, ...]:
    """Attack each sensitive variable."""
    records, whole = counted.records, counted.others
    joint = whole.apart() if mechanism.each else whole
    passed = records.others[:beside]
    names = [column.name for column in records.public]
    found = []
    for place, variable in enumerate(joint.by_variable()):
        codes = counted.s
        if mechanism.each:
            codes = whole.sensitive_columns[place].codes[counted.s].astype(np.int64)
        columns = tuple(column.name for column in variable.sensitive_columns)
        target = Target(", ".join(columns), classes=commonest(codes, MAX_CLASSES))
        split = split_of(target, np.random.default_rng([seed, place, 1]))
        protected = [Sight([(records.public, view)], [(records.public, view)]) for view in views]
        mass = dense(variable.mass).astype(np.float64)
        learned = learning_reading(target, split, protected, seed, names)
        learned_beside = None
        if passed:
            plain = (passed, plain_view([column.codes for column in passed]))
            every = [Sight([*sight.train, plain], [*sight.test, plain]) for sight in protected]
            more = [*names, *(column.name for column in passed)]
            learned_beside = learning_reading(target, split, every, seed, more)
        limits = mechanism.bound.on(variable)
        values = [variable.event(s) for s in range(len(variable.sensitive))]
        reading = AttackReading(
            sensitive=columns,
            counting=counting_reading(mass, _shown_mass(mass, mechanism), limits, values),
            learning=learned,
            learning_beside=learned_beside,
            minimality=_minimality(mass, mechanism, limits, published=published),
        )
        if knowing is not None:
            every = [
                Sight([*sight.train, *knowing.seen], [*sight.test, *knowing.seen])
                for sight in protected
            ]
            more = list(dict.fromkeys([*names, *knowing.names]))
            reading = replace(
                reading,
                learning_knowing=learning_reading(target, split, every, seed, more),
                readers=tuple(
                    context_reading(
                        each,
                        joint.variables[place],
                        knowing.released,
                        limits,
                        size=len(counted.joint.public),
                        promised=promised,
                    )
                    for each, promised in zip(
                        knowing.readers.knowledge, knowing.promised, strict=True
                    )
                ),
            )
        found.append(reading)
    return tuple(found)


def _shown_mass(mass: Any, mechanism: Mechanism) -> Any:
    """Return n(s,y), expected for a channel."""
    if mechanism.labels is None:
        return mechanism.channel.T @ mass
    return block_sums(mass, mechanism.labels, mechanism.size)


def _minimality(
    mass: Any, mechanism: Mechanism, limits: Bound | Limits, *, published: bool
) -> MinimalityReading:
    if mechanism.labels is not None:
        return merged_reading(mass, mechanism.labels, limits, published=published)
    if mechanism.exact_channel is None:
        raise InputError("only a channel that was made from the counts of a table is evaluated")
    posterior = mechanism.exact_channel.posterior()
    return drawn_reading(mass, posterior, limits, published=published)


def _shows(mechanism: Mechanism) -> Shows:
    if mechanism.labels is None:
        return "random values"
    return "values" if shows_values(mechanism) else "groups"
