"""The recipe of evaluating a release: what readers can do with it, and what an attacker can.

table, mechanism --count--> records --what readers see--> figures
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from loglift import tables
from loglift._compute.progress import OnProgress, Progress, silent
from loglift.errors import TableError
from loglift.mechanism.columns import PublicColumn
from loglift.mechanism.kept import kept_columns
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.naming import BLOCK_COLUMN
from loglift.readers.columns import column_readings
from loglift.readers.evaluation import Evaluation
from loglift.readers.learner import (
    Sight,
    model_reading,
    require_sklearn,
    split_of,
    target_of,
)
from loglift.readers.pairs import pair_readings
from loglift.readers.queries import query_errors
from loglift.readers.views import (
    Views,
    original_view,
    released_view,
    shows_values,
    shuffled_view,
)
from loglift.release.apply import MechanismLike, as_mechanism, mechanisms_of
from loglift.release.attack import attacks_on, knowing_of
from loglift.release.counted_records import UNKNOWN_TYPE, counted_records
from loglift.release.result import Release
from loglift.tables.columns import Names, as_names, same_name
from loglift.values import checked_number

ReleaseLike: TypeAlias = Release | Mechanism | str | PathLike[str]
RELEASED = tuple(f"released.{ending}" for ending in tables.FORMATS)


@dataclass(frozen=True, eq=False)
class _Evaluated:
    """A release as evaluated: its mechanism, and the columns that are released as they are.

    `released` names all columns of the released table; it is empty where only the mechanism is
    known.
    """

    mechanism: Mechanism
    released: tuple[str, ...]


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

    Returns
    -------
    Evaluation
        What is kept of columns, pairs, queries and models, and what attacks find.

    Raises
    ------
    TableError
        When the table, or a column that is named, cannot be read.
    InputError
        When scikit-learn is not installed.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> rows = [(job, "y" if i % 5 < 2 + job % 2 else "n") for job in range(4) for i in range(40)]
    >>> table = pl.DataFrame(rows, schema=["job", "ill"], orient="row")
    >>> release = loglift.protect(table, sensitive="ill", public="job", eps=0.2)
    >>> found = loglift.evaluate(table, release)
    >>> [column.name for column in found.columns], found.records
    (['job'], 160)
    """
    require_sklearn()
    number = int(checked_number(seed, "seed (--seed)", least=0, whole=True))
    told = _evaluated(release)
    mechanism = told.mechanism
    earlier = mechanisms_of(given)
    opened = tables.open_table(original)
    wanted = as_names(purposes, "purposes (--for)", optional=True)
    beside, purposes_of = _columns_of(opened, told, wanted)
    known_columns = _known(mechanism, as_names(known, "known (--known)", optional=True))

    on_progress(Progress("counting"))
    random = np.random.default_rng(number)
    counted = counted_records(
        opened, mechanism, (*beside, *purposes_of), known_columns, earlier, random
    )
    records = counted.records
    views = Views(
        original_view(records),
        released_view(records, mechanism, random),
        shuffled_view(records, random),
    )
    released, shuffled = views.released, views.shuffled

    on_progress(Progress("measuring columns and pairs"))
    information = [column.information for column in kept_columns(counted.joint, mechanism)]
    columns = column_readings(records, released, shuffled, information)
    pairs = pair_readings(records, views.original, released, shuffled)
    on_progress(Progress("asking queries"))
    queries = query_errors(records, released, shuffled, number)

    models, plain = [], shows_values(mechanism)
    # Models that are trained on plain values take originals as they are.
    tested = (views.original, views.original if plain else released, views.original)
    sights = [
        Sight([(records.public, train)], [(records.public, test)])
        for train, test in zip((views.original, released, shuffled), tested, strict=True)
    ]
    for done, column in enumerate(records.others):
        on_progress(Progress("training models", done, len(records.others)))
        target = target_of(column)
        split = split_of(target, np.random.default_rng([number, done]))
        found = model_reading(target, split, sights, number)
        models += [] if found is None else [found]

    hashes = {each.sha256 for each in earlier}
    sensitive_released = all(name in told.released for name in mechanism.sensitive_names)
    on_progress(Progress("attacking"))
    knowing = knowing_of(opened, counted, mechanism, known_columns, earlier, random)
    attacks = attacks_on(
        counted,
        mechanism,
        knowing,
        views,
        beside=len(beside),
        published=sensitive_released,
        seed=number,
    )
    return Evaluation(
        public=mechanism.column_names,
        sensitive=mechanism.sensitive_names,
        passthrough=beside,
        purposes=purposes_of,
        sensitive_released=sensitive_released,
        shows="random values" if mechanism.labels is None else "values" if plain else "groups",
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
        not_given=sum(each.sha256 not in hashes for each in mechanism.given),
    )


def _evaluated(release: ReleaseLike) -> _Evaluated:
    """Find the mechanism of a release, and the columns that were released."""
    if isinstance(release, Release):
        names = (*release.mechanism.column_names, *release.certificate.beside)
        return _Evaluated(as_mechanism(release), names)
    if isinstance(release, (str, PathLike)) and Path(release).is_dir():
        directory = Path(release)
        mechanism = as_mechanism(directory)
        written = [directory / name for name in RELEASED if (directory / name).is_file()]
        columns = tables.open_table(str(written[0])).columns if written else ()
        return _Evaluated(mechanism, columns)
    return _Evaluated(as_mechanism(release), ())


def _columns_of(
    opened: tables.Table, told: _Evaluated, wanted: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that are released as they are, and the purposes that are not."""
    sensitive = told.mechanism.sensitive_names
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
    names = dict.fromkeys([*mechanism.known_names, *wanted])
    return tuple(types.get(name, PublicColumn(name, UNKNOWN_TYPE)) for name in names)
