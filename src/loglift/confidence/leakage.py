"""An upper confidence bound on the leakage of a population, from counts of a sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from loglift.confidence.population import population_of
from loglift.confidence.variables import counts_of
from loglift.errors import JointError
from loglift.joint import Joint
from loglift.measures.partition import canonical
from loglift.mechanism.mechanism import Mechanism
from loglift.promise.bound import Bound
from loglift.sparse import block_sums


def leakage_bound(
    counts: Joint | ArrayLike,
    confidence: float = 0.95,
    mechanism: Mechanism | ArrayLike | None = None,
) -> float:
    """Return an upper confidence bound on max |log-lift| of the population, nats.

    Parameters
    ----------
    counts
        A `Joint` of counts, or an array of them with one row per public value and one column per
        sensitive value; rows and columns of zeros count. They are of records that the mechanism was
        chosen without.
    confidence
        Whatever the population, at least this share of random samples gives a bound that holds.
    mechanism
        A partition, or its block numbers, in the order of the rows. Without one, every public
        value is released as it is.

    Returns
    -------
    float
        Infinite where a lift of zero is possible; zero for a single released value. With several
        sensitive variables it bounds the log-lifts of all of them.

    Raises
    ------
    JointError
        When the counts are not whole numbers.
    BoundError
        When the confidence is not between 0 and 1.

    Examples
    --------
    >>> import loglift
    >>> round(loglift.leakage_bound([[400, 300], [300, 400]], confidence=0.95), 3)
    0.246
    """
    variables = counts_of(counts)
    if isinstance(mechanism, Mechanism):
        if mechanism.labels is None:
            raise JointError(
                "a random channel is certified by draws of its own: verify(mechanism, table, "
                "confidence=...) draws a released value for each record"
            )
        mechanism = mechanism.labels
    size = variables[0].shape[0]
    labels = canonical(np.arange(size) if mechanism is None else mechanism, size=size)
    blocks = [block_sums(n, labels) for n in variables]
    return population_of(blocks, Bound.symmetric(0), confidence).upper
