"""Estimate the distribution of the public values from a randomized release.

Records are drawn from p(y|x), so that the shares f(y) found have the mean sum over x of
p(x) p(y|x). Two linear estimates sum over y of f(y) a(y,x) undo it:

- *inverse*: a is a right inverse of p(y|x). Its mean is p(x), whatever p(x) is: unbiased for every
  table the mechanism was applied to, and every part of one. It needs a channel of full rank.
- *posterior*: a(y,x) = p(x|y), from the table the mechanism was made from. Its mean is p(x) for
  that table; for another one it leans towards that table. Never negative, and less noisy.

The standard error comes from the draws. With b(x',x) = sum over y of p(y|x') a(y,x), the mean that
a record of x' adds to the estimate for x, the draws of n records have the variance

    1/n sum over x' of p(x') v(x',x),    v(x',x) = sum over y of p(y|x') a(y,x)^2 - b(x',x)^2,

and where the records are themselves a random sample of a population, p(x) (1 - p(x)) / n is added:
for the inverse it is the variance over x' of b(x',x), and the posterior of the table the mechanism
was made from is off by what that table is off (p(x) is the estimate itself there).

p(x') is not known. The *inverse* may put it below zero, which would let the variance vanish where
nothing is certain; so it is the likeliest p(x') for the released shares, by `_EM_STEPS` steps of
expectation maximization from equal shares. Both are mixed with `_PSEUDO_RECORDS` records spread
over all values (as Agresti and Coull do for a proportion: about 1.96^2). All terms are positive, so
that an error of zero means that the draws cannot change the estimate.

Public values that share no released value do not meet in any of these sums, nor in the inverse. So
a channel of very many values, which is sparse, is estimated part by part: O(k^3) for k values each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from loglift import tables
from loglift.display.card import shortened
from loglift.display.frame import frame
from loglift.errors import InputError, TableError
from loglift.joint import FloatArray, IntArray
from loglift.mechanism.channel import MAX_CHANNEL_CELLS, Channel
from loglift.mechanism.mechanism import Mechanism
from loglift.promise.integers import DENOMINATOR
from loglift.release.apply import MechanismLike, as_mechanism
from loglift.release.result import Release
from loglift.sparse import Cells, apart, between

Way: TypeAlias = Literal["inverse", "posterior"]

MIN_PART_VALUES = 200  # public values: smaller parts of a channel are estimated together
_EM_STEPS = 200  # enough for the variance, which averages over p(x'); more would follow the noise
_PSEUDO_RECORDS = 4


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """The estimated distribution of the public values of a randomized release.

    Attributes
    ----------
    values
        The public values; tuples where there are several columns.
    shares
        The estimated p(x). Those of the inverse may be below zero, within their errors.
    errors
        The standard error of each: how much the draws move it, and with `population` the choice of
        the records. Zero only where they cannot. How far the posterior estimate of other records
        leans towards the table the mechanism was made from is not in it.
    records
        The number of released records.
    method
        "inverse" or "posterior".

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> rows = [("a", "y"), ("a", "n"), ("b", "n")] * 40 + [("b", "y")] * 20
    >>> table = pl.DataFrame(rows, schema=["job", "ill"], orient="row")
    >>> columns = {"sensitive": "ill", "public": "job"}
    >>> release = loglift.protect(table, **columns, eps=0.1, method="randomized", draw_seed=1)
    >>> found = loglift.estimate(release, release.table, method="posterior")
    >>> round(float(found.shares.sum()), 6)
    1.0
    """

    values: tuple[Any, ...]
    shares: FloatArray
    errors: FloatArray
    records: int
    method: Way

    def __repr__(self) -> str:
        return f"Estimate({self.method}: {len(self.values)} public values, {self.records} records)"

    def to_frame(self) -> Any:
        """Return the estimates as a dataframe: public value, share, standard error."""
        return frame(
            {
                "value": [shortened(value) for value in self.values],
                "share": self.shares.tolist(),
                "error": self.errors.tolist(),
            }
        )


def estimate(
    mechanism: MechanismLike,
    released: Any,
    *,
    method: Way | None = None,
    population: bool = False,
) -> Estimate:
    """Estimate p(x) of the records behind a randomized release, with standard errors.

    Parameters
    ----------
    mechanism
        The result of `protect`, its mechanism, or the path of its mechanism.json.
    released
        The released table, or some of its rows: a path or a dataframe.
    method
        "inverse" is unbiased for any records; "posterior" for those of the table the mechanism was
        made from. By default the inverse, where the channel has one.
    population
        Count the records themselves as a random sample in the standard errors, and estimate p(x) of
        their population; by the posterior, only from the table the mechanism was made from, whole.
        Otherwise the errors are about the records that were released.

    Returns
    -------
    Estimate
        The shares of the public values, with standard errors.

    Raises
    ------
    TableError
        When the table, or a column that is named, cannot be read.
    InputError
        When the mechanism is not randomized, or does not fit the released table.

    Examples
    --------
    >>> import polars as pl
    >>> import loglift
    >>> rows = [("a", "y"), ("a", "n"), ("b", "n")] * 40 + [("b", "y")] * 20
    >>> table = pl.DataFrame(rows, schema=["job", "ill"], orient="row")
    >>> columns = {"sensitive": "ill", "public": "job"}
    >>> release = loglift.protect(table, **columns, eps=0.1, method="randomized", draw_seed=1)
    >>> found = loglift.estimate(release, release.table)
    >>> found.values, found.records, found.method
    (('a', 'b'), 140, 'inverse')
    """
    given = as_mechanism(mechanism)
    channel = given.exact_channel
    if channel is None:
        raise InputError("this mechanism merges values and draws none: there is nothing to undo")
    found = _records(given, released)
    records, parts = int(found.sum()), _parts(channel)
    way = _way(parts, method)
    estimated, variance = np.zeros(len(channel.rows)), np.zeros(len(channel.rows))
    for part in parts:
        shares, weights = found[part.columns] / records, part.weights(way)
        estimated[part.rows] = of_part = shares @ weights
        likely = _mixed(_likeliest(part, shares), part.of, records)
        means = part.probabilities @ weights
        of_draws = part.probabilities @ weights**2 - means**2
        variance[part.rows] = likely @ np.maximum(of_draws, 0)  # negative only by rounding
        if population:
            p = likely if way == "inverse" else _mixed(of_part, part.of, records)
            variance[part.rows] += p * (1 - p)
    return Estimate(given.public, estimated, np.sqrt(variance / records), records, way)


@dataclass(frozen=True, eq=False)
class _Part:
    """Public values that share no released value with others: their rows, and those values.

    All sums over y or x' of an estimate are within a part, so that parts are estimated one by one.
    `of` is the number of public values of all parts.
    """

    channel: Cells
    posterior: Cells
    rows: IntArray
    columns: IntArray
    of: int

    @property
    def probabilities(self) -> FloatArray:
        """p(y|x) of the part, dense."""
        return np.asarray(between(self.channel, self.rows, self.columns) / DENOMINATOR)

    def weights(self, way: Way) -> FloatArray:
        """Return a(y,x) of the part, dense."""
        if way == "inverse":
            return np.linalg.pinv(self.probabilities).astype(np.float64)
        return between(self.posterior, self.columns, self.rows)


def _parts(channel: Channel) -> list[_Part]:
    """Return the parts of a channel; raise `InputError` where one is too large to be inverted."""
    cells, posterior, n = channel.cells(), channel.posterior_cells(), len(channel.rows)
    found = [_Part(cells, posterior, *part, n) for part in apart(cells, MIN_PART_VALUES)]
    for part in found:
        if part.rows.size * part.columns.size > MAX_CHANNEL_CELLS:
            raise InputError(
                f"{part.rows.size:,} public values share {part.columns.size:,} released values: an "
                f"estimate takes their p(y|x) at once, of at most {MAX_CHANNEL_CELLS:,} entries: "
                "release fewer public values (bins, or fewer columns)"
            )
    return found


def _way(parts: Sequence[_Part], method: Way | None) -> Way:
    """Return the name of the estimate: the inverse where the channel has full rank, by default."""
    if method not in (None, "inverse", "posterior"):
        raise InputError(f"method must be 'inverse' or 'posterior', got {method!r}")
    if method == "posterior" or _has_inverse(parts):
        return method or "inverse"
    if method == "inverse":
        raise InputError(
            "different p(x) give the same released shares, so that the channel has no "
            "inverse: use method='posterior'"
        )
    return "posterior"


def _has_inverse(parts: Sequence[_Part]) -> bool:
    """Return whether p(y|x) has full row rank, to the tolerance of `numpy.linalg.matrix_rank`."""
    if any(part.rows.size > part.columns.size for part in parts):
        return False
    values = np.concatenate([np.linalg.svdvals(part.probabilities) for part in parts])
    rounding = max(parts[0].channel.shape) * np.finfo(np.float64).eps
    return bool(values.min() > values.max() * rounding)


def _mixed(p: FloatArray, values: int, records: int) -> FloatArray:
    """Return p(x) of records mixed with a few more, which are spread over so many values."""
    mixed: FloatArray = (records * p + _PSEUDO_RECORDS / values) / (records + _PSEUDO_RECORDS)
    return mixed


def _likeliest(part: _Part, shares: FloatArray) -> FloatArray:
    """Return p(x), never negative, under which the released shares are about the likeliest."""
    p, shown = np.full(part.rows.size, 1 / part.of), shares > 0
    reached, seen = part.probabilities[:, shown], shares[shown]
    for _ in range(_EM_STEPS):
        p = p * (reached @ (seen / (p @ reached)))
    return p


def _records(mechanism: Mechanism, released: Any) -> FloatArray:
    """Return how many records show each released value."""
    column = mechanism.released[-1]  # the only one, or the one that numbers the released values
    table = released.table if isinstance(released, Release) else released
    place = {value: y for y, value in enumerate(column.values)}
    found = np.zeros(mechanism.size)
    for value, records in tables.count_values(table, column.name, column.type).items():
        if value not in place:
            raise TableError(
                f"column {column.name!r} shows {value!r}, which this mechanism never releases: "
                "leave out suppressed records, and give the table that it released"
            )
        found[place[value]] = records
    return found
