"""An upper confidence bound on the leakage of a population, for whoever has counts at hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.confidence.population import population_of
from loglift.errors import JointError
from loglift.joint import Joint
from loglift.measures.partition import canonical
from loglift.mechanism.mechanism import Mechanism
from loglift.promise.bound import Bound
from loglift.sparse import dense


def leakage_bound(
    counts: Joint | ArrayLike,
    confidence: float = 0.95,
    mechanism: Mechanism | ArrayLike | None = None,
) -> float:
    """Return an upper confidence bound on max |log-lift| of the distribution behind the counts.

    Parameters
    ----------
    counts
        Integer counts with one row per public value and one column per sensitive value; rows and
        columns of zeros count. They are of records that had no say in the mechanism.
    confidence
        At least this share of samples, whatever the distribution, gives a bound that holds.
    mechanism
        A partition, or its block numbers, in the order of the rows; the values as they are without.

    Infinite where a count leaves a lift of zero possible; zero for a single released value.

    """
    given = _as_counts(counts)
    if isinstance(mechanism, Mechanism):
        if mechanism.labels is None:
            raise JointError("only partitions can be certified from counts, not a random channel")
        mechanism = mechanism.labels
    labels = np.arange(given.shape[0]) if mechanism is None else mechanism
    blocks = canonical(labels, size=given.shape[0])
    shown = np.zeros((int(blocks.max()) + 1, given.shape[1]), dtype=np.int64)
    np.add.at(shown, blocks, given)
    return population_of([shown], Bound.symmetric(0), confidence).upper


def _as_counts(counts: Joint | ArrayLike) -> NDArray[np.int64]:
    array = dense(counts.mass) if isinstance(counts, Joint) else np.asarray(counts)
    if array.ndim != 2 or array.size == 0:  # noqa: PLR2004, rows and columns
        raise JointError("counts have one row per public value and one column per sensitive value")
    if array.dtype.kind not in "iu" or array.min() < 0:
        raise JointError("confidence is about numbers of records: give whole counts, not shares")
    return array.astype(np.int64)
