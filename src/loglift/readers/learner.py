"""A learner: gradient boosting that predicts a column from what readers see of the public ones.

Half of the records train it, the other half test it. An ordered column is one number for the
learner, the mean of what readers believe, with the width of the set beside it; of any other column
it sees the probability of each value. A plain value is thus a number, or a one among zeros, so that
a model trained on plain values takes originals as they are.

Records that train are split once more: as many rounds of boosting are taken, up to `MAX_ROUNDS`, as
are best on a tenth of them; none where the first ones do not help.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loglift.errors import InputError
from loglift.joint import FloatArray, IntArray
from loglift.readers.compared import Compared
from loglift.readers.scores import area_under_curve, log_loss_gain, r_squared
from loglift.readers.views import RecordColumn, View

Kind: TypeAlias = Literal["classes", "number"]
Seen: TypeAlias = Sequence[tuple[Sequence[RecordColumn], View]]  # columns, and what is seen of them

MAX_LEARNED_RECORDS = 50_000  # half of them train, half test
MAX_CLASSES = 20  # of a target: the rarest others are one class
MAX_NUMBERED_CLASSES = 10  # a target of numbers with more values is predicted as a number
MAX_SHARES = 24  # values of a column that the learner tells apart: the rarest others are one
FIRST_ROUNDS = 10  # that tell whether there is anything to learn
MAX_ROUNDS = 100
CHECK_SHARE = 0.1  # of the training records
MIN_RECORDS = 20
MIN_PROBABILITY = 1e-12  # of a class: less counts as this much in a log-loss
MISSING = (
    "evaluating a release trains models, which needs scikit-learn: pip install 'loglift[evaluate]'"
)


@dataclass(frozen=True)
class ModelReading:
    """How well a column is predicted from the public columns.

    Attributes
    ----------
    target
        The column that is predicted.
    kind
        "classes", or "number" for a column of many numbers.
    trained, tested
        The numbers of records.
    gain
        For classes: by how many nats the log-loss is less than with the shares of the classes
        alone.
    auc
        For classes: the area under the ROC curve, each class against the others, weighted by their
        records.
    r2
        For a number: 1 - squared error / variance, on the records that test.

    """

    target: str
    kind: Kind
    trained: int
    tested: int
    gain: Compared | None = None
    auc: Compared | None = None
    r2: Compared | None = None

    @property
    def scores(self) -> dict[str, Compared]:
        """The scores that the model has, by name."""
        scores = {"gain": self.gain, "AUC": self.auc, "R^2": self.r2}
        return {name: score for name, score in scores.items() if score is not None}

    @property
    def score(self) -> tuple[str, Compared]:
        """The name of the score that says most, and the score: AUC of classes, R^2 of a number."""
        return list(self.scores.items())[-1]


@dataclass(frozen=True, eq=False)
class Target:
    """What is predicted: the class of each record, from 0 on, or a number, NaN where missing."""

    name: str
    kind: Kind
    values: NDArray[Any]

    @property
    def size(self) -> int:
        """The number of classes."""
        return int(self.values.max()) + 1


@dataclass(frozen=True, eq=False)
class Split:
    """The numbers of the records that train, and of those that test."""

    train: IntArray
    test: IntArray


@dataclass(frozen=True, eq=False)
class Sight:
    """What a model is trained on, and what it is tested on."""

    train: Seen
    test: Seen

    def beside(self, more: Seen) -> Sight:
        """Return what a model sees that sees more, in training and in tests."""
        return Sight([*self.train, *more], [*self.test, *more])


def require_sklearn() -> None:
    """Raise `InputError` unless scikit-learn is installed."""
    try:
        import sklearn  # noqa: F401, PLC0415, only to know whether it is there
    except ImportError:
        raise InputError(MISSING) from None


def target_of(column: RecordColumn) -> Target:
    """Return a column as a target."""
    distinct = np.unique(column.codes).size
    if column.numbers is not None and distinct > MAX_NUMBERED_CLASSES:
        return Target(column.name, "number", column.numbers[column.codes])
    return Target(column.name, "classes", commonest(column.codes, MAX_CLASSES))


def commonest(codes: IntArray, most: int) -> IntArray:
    """Number the values of codes by frequency; beyond `most`, the rarest are the last number."""
    return _ranks(np.bincount(codes), most)[codes]


def split_of(target: Target, random: np.random.Generator) -> Split:
    """Split the records with a known target at random, at most `MAX_LEARNED_RECORDS` of them."""
    known = np.flatnonzero(~np.isnan(target.values))
    chosen = random.permutation(known)[:MAX_LEARNED_RECORDS]
    half = chosen.size // 2
    return Split(chosen[:half], chosen[half:])


def model_reading(
    target: Target, split: Split, sights: Sequence[Sight], seed: int
) -> ModelReading | None:
    """Train and test on the original, the release and the trivial release, in this order.

    None where there are too few records, or where the target does not vary.
    """
    truth, train = target.values[split.test], target.values[split.train]
    made = partial(ModelReading, target.name, target.kind, train.size, truth.size)
    if not is_learnable(target, split):
        return None
    if target.kind == "number":
        told = [_numbers(sight, split, train, seed) for sight in sights]
        return made(r2=Compared(*(r_squared(truth, found) for found in told)))
    prior = prior_of(target, split)
    found = [probabilities(target, split, sight, seed) for sight in sights]
    return made(
        gain=Compared(*(log_loss_gain(truth, p, prior) for p in found)),
        auc=Compared(*(area_under_curve(truth, p) for p in found)),
    )


def is_learnable(target: Target, split: Split) -> bool:
    """Return whether there are enough records that train, and the target varies among them.

    R^2 is a share of the variance, so a number must vary among the records that test, too.
    """
    if split.train.size < MIN_RECORDS:
        return False
    parts = (split.train, split.test) if target.kind == "number" else (split.train,)
    return all(np.ptp(target.values[part]) > 0 for part in parts)


def prior_of(target: Target, split: Split) -> FloatArray:
    """Return the shares of the classes among the records that train.

    One more record is spread evenly over the classes, so that no share is zero.
    """
    return _with_one_more(np.bincount(target.values[split.train], minlength=target.size))


def probabilities(target: Target, split: Split, sight: Sight, seed: int) -> FloatArray:
    """Train on one view and return the probability of each class for each record that tests.

    One more training record is spread evenly over the classes, so that no probability is zero.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415, when used

    train = target.values[split.train]
    present = np.unique(train)
    prior = np.bincount(train, minlength=target.size) / train.size

    def loss(truth: NDArray[Any], found: NDArray[Any] | None) -> float:
        place = np.searchsorted(present, truth)
        p = prior[truth] if found is None else found[np.arange(truth.size), place]
        return float(-np.log(np.maximum(p, MIN_PROBABILITY)).mean())

    make = partial(HistGradientBoostingClassifier, **_options(seed))
    found = _boosted(make, "staged_predict_proba", loss, sight, split, train)
    full = np.zeros((split.test.size, target.size))
    full[:, present] = prior[present] if found is None else found
    return _with_one_more(full * train.size, train.size)


def _numbers(sight: Sight, split: Split, train: FloatArray, seed: int) -> FloatArray:
    from sklearn.ensemble import HistGradientBoostingRegressor  # noqa: PLC0415, when used

    mean = train.mean()

    def loss(truth: NDArray[Any], found: NDArray[Any] | None) -> float:
        return float(((truth - (mean if found is None else found)) ** 2).mean())

    make = partial(HistGradientBoostingRegressor, **_options(seed))
    found = _boosted(make, "staged_predict", loss, sight, split, train)
    return np.full(split.test.size, mean) if found is None else found


def _options(seed: int) -> dict[str, Any]:
    return {
        "learning_rate": 0.1,
        "max_leaf_nodes": 31,
        "early_stopping": False,
        "warm_start": True,
        "random_state": seed,
    }


def _boosted(
    make: Any, staged: str, loss: Any, sight: Sight, split: Split, train: NDArray[Any]
) -> NDArray[Any] | None:
    """Take the rounds that are best on the last tenth of the training records; predict the others.

    None where no round helps: there is nothing to learn. The first record of each class is always
    fitted, so that the model knows all classes.
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415, comes with scikit-learn

    shown = _shown(sight.train, split.train)
    first = np.unique(train, return_index=True)[1] if train.dtype.kind == "i" else np.arange(0)
    checked = np.zeros(train.size, dtype=np.bool_)
    checked[train.size - max(1, round(CHECK_SHARE * train.size)) :] = True
    checked[first] = False
    model, nothing = make(), loss(train[checked], None)
    rounds = 0
    for most in (FIRST_ROUNDS, MAX_ROUNDS):
        model.set_params(max_iter=most)
        with threadpool_limits(1, user_api="openmp"):  # several wait in loops where cores are busy
            model.fit(shown[~checked], train[~checked])
            stages = getattr(model, staged)(shown[checked])
            errors = [nothing, *(loss(train[checked], found) for found in stages)]
        rounds = int(np.argmin(errors))
        if not rounds:
            return None
    with threadpool_limits(1, user_api="openmp"):
        stages = getattr(model, staged)(_shown(sight.test, split.test))
        return np.asarray(next(islice(stages, rounds - 1, None)))


def _shown(seen: Seen, records: IntArray) -> FloatArray:
    """Return what the learner sees of some records, shape (records, features)."""
    return np.concatenate([features(*part)[part[1].y[records]] for part in seen], axis=1)


def features(columns: Sequence[RecordColumn], view: View) -> FloatArray:
    """Return what the learner sees of each released value, shape (released values, features)."""
    found = []
    for place, column in enumerate(columns):
        codes = view.rows[view.cell_row, place]
        if column.places is None:
            told = _ranks(np.bincount(column.codes, minlength=len(column.values)), MAX_SHARES)
            shares = np.zeros((view.shown, int(told.max()) + 1))
            np.add.at(shares, (view.cell_y, told[codes]), view.share)
            found.append(shares)
            continue
        values = column.places.astype(np.float64) if column.numbers is None else column.numbers
        found.append(_mean_and_width(view, values[codes]))
    return np.concatenate(found, axis=1)


def _mean_and_width(view: View, values: FloatArray) -> FloatArray:
    """Return the mean and the width of the believed values of each released one; NaN if missing."""
    known = ~np.isnan(values)
    y, share, numbers = view.cell_y[known], view.share[known], values[known]
    mass = np.bincount(y, share, minlength=view.shown)
    sums = np.bincount(y, share * numbers, minlength=view.shown)
    mean = np.divide(sums, mass, out=np.full(view.shown, np.nan), where=mass > 0)
    low, high = np.full(view.shown, np.inf), np.full(view.shown, -np.inf)
    np.minimum.at(low, y, numbers)
    np.maximum.at(high, y, numbers)
    width = np.where(mass > 0, high - np.where(mass > 0, low, 0), 0.0)
    return np.stack([mean, width], axis=1)


def _ranks(counts: IntArray, most: int) -> IntArray:
    """Return the rank of each value by frequency; beyond `most`, the rarest have the last rank."""
    rank = np.empty(counts.size, dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(counts.size)
    return np.minimum(rank, most - 1)


def _with_one_more(counts: NDArray[Any], total: int | None = None) -> FloatArray:
    """Return shares along the last axis, with one more record spread evenly."""
    whole = counts.sum(axis=-1, keepdims=True) if total is None else total
    found: FloatArray = (counts + 1 / counts.shape[-1]) / (whole + 1)
    return found
