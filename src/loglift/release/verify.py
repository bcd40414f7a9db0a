"""The recipe of verifying a mechanism on a table.

mechanism, table --count--> Joint --certify--> certificate
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from loglift import tables
from loglift._compute.progress import OnProgress, Progress, silent
from loglift.certify.certificate import Certificate, certify
from loglift.confidence.population import population_of
from loglift.confidence.variables import counts_of
from loglift.errors import InputError
from loglift.release.apply import MechanismLike, Unseen, as_mechanism, for_unseen


def verify(
    mechanism: MechanismLike,
    table: Any,
    *,
    unseen: Unseen = "refuse",
    confidence: float | None = None,
    on_progress: OnProgress = silent,
) -> Certificate:
    """Count a table again and check a mechanism on it in exact arithmetic; `.holds` tells.

    What is checked is what `apply` with the same `unseen` would release; `.sensitive`, `.public`
    and `.beside` tell which columns it is about, and which others of the table it is not about.

    With a confidence, `.population` tells what the table, a random sample of records that had no
    say in the mechanism, proves about the population.
    """
    given = for_unseen(as_mechanism(mechanism), unseen)
    if confidence is not None and given.exact_channel is not None:
        raise InputError(
            "a randomized mechanism cannot be certified for the population: leave the confidence "
            "(--confidence) out"
        )
    on_progress(Progress("counting"))
    opened = tables.open_table(table)
    sensitive = tuple(column.name for column in given.sensitive)
    types = [column.type for column in given.columns]
    joint = tables.count(opened, given.column_names, sensitive, bins=given.bins, types=types)
    tables.refuse_types(joint.columns, types)
    joint = joint.apart() if given.each else joint
    on_progress(Progress("checking"))
    known = np.array([value in given.lookup for value in joint.tuples])
    certificate = replace(
        certify(replace(given, figures=None), joint),  # figures are of another table
        beside=tuple(n for n in opened.columns if n not in {*given.column_names, *sensitive}),
        unseen=unseen,
        unseen_records=int(joint.weight[~known].sum()),
    )
    if confidence is None:
        return certificate
    blocks = joint.merged(given.rows_of(joint.tuples), given.size)
    population = population_of(counts_of(blocks), given.bound, confidence)
    return replace(certificate, population=population)
