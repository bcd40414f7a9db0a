"""The learner: what it sees, what it scores, and that it learns what is there."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

from loglift.errors import InputError
from loglift.readers.learner import (
    MAX_CLASSES,
    MAX_LEARNED_RECORDS,
    MAX_SHARES,
    MISSING,
    Sight,
    Split,
    Target,
    commonest,
    features,
    model_reading,
    prior_of,
    probabilities,
    require_sklearn,
    split_of,
    target_of,
)
from loglift.readers.scores import r_squared
from loglift.readers.views import (
    RecordColumn,
    original_view,
    plain_view,
    released_view,
    shuffled_view,
)
from small_records import believed, channel_of, partition_of, records_of

LABELS = [0, 1, 1, 2, 0, 3, 3, 3, 2, 4, 4, 1]


@pytest.mark.parametrize("kind", ["original", "merged", "drawn"])
def test_features_are_means_widths_and_probabilities(kind):
    records = records_of(0, size=50)
    views = {
        "original": lambda: original_view(records),
        "merged": lambda: released_view(
            records, partition_of(records, LABELS), np.random.default_rng(0)
        ),
        "drawn": lambda: released_view(records, channel_of(records), np.random.default_rng(0)),
    }
    view = views[kind]()
    found = features(records.public, view)[view.y]
    numbers = records.public[0].numbers
    order = np.argsort(-np.bincount(records.public[1].codes, minlength=3), kind="stable")
    for line, cells in zip(found, believed(view, 2), strict=True):
        known = [(numbers[row[0]], share) for row, share in cells if row[0] > 0]
        whole = sum(share for _, share in known)
        mean = sum(v * w for v, w in known) / whole if known else np.nan
        width = max(known)[0] - min(known)[0] if known else 0
        shares = [sum(share for row, share in cells if row[1] == code) for code in order]
        assert line == pytest.approx([mean, width, *shares], nan_ok=True)
    assert found.shape == (50, 5)


def test_rare_values_of_a_column_are_one_for_the_learner():
    codes = np.repeat(np.arange(60), np.arange(60, 0, -1))
    column = RecordColumn("town", tuple(range(60)), codes)
    found = features([column], plain_view([codes]))
    assert found.shape == (60, MAX_SHARES)
    assert found[:, -1].sum() == 60 - (MAX_SHARES - 1)
    assert (found.sum(axis=1) == 1).all()


def test_values_are_numbered_by_frequency():
    codes = np.array([4, 4, 4, 2, 2, 7, 9, 9, 9, 9])
    assert commonest(codes, 10).tolist() == [1, 1, 1, 2, 2, 3, 0, 0, 0, 0]
    assert commonest(codes, 2).tolist() == [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]


def test_many_numbers_are_a_number_and_others_classes():
    codes = np.arange(300) % 30
    numbers = np.arange(30.0)
    ages = target_of(RecordColumn("age", tuple(numbers), codes, numbers, np.arange(30)))
    assert ages.kind == "number"
    assert ages.values.tolist() == codes.tolist()
    few = target_of(RecordColumn("rooms", (1, 2), codes % 2, np.array([1.0, 2.0])))
    assert few.kind == "classes"
    assert few.size == 2
    assert target_of(RecordColumn("town", tuple(range(30)), codes)).size == MAX_CLASSES


def test_a_split_halves_the_records_with_a_known_target():
    numbers = np.arange(1000.0)
    numbers[::4] = np.nan
    split = split_of(Target("age", "number", numbers), np.random.default_rng(0))
    both = np.concatenate([split.train, split.test])
    assert sorted(both) == np.flatnonzero(~np.isnan(numbers)).tolist()
    assert abs(split.train.size - split.test.size) <= 1
    zeros = np.zeros(2 * MAX_LEARNED_RECORDS, dtype=int)
    many = split_of(Target("s", "classes", zeros), np.random.default_rng(0))
    assert many.train.size + many.test.size == MAX_LEARNED_RECORDS


def sights(records, seed=0):
    random = np.random.default_rng(seed)
    original = original_view(records)
    merged = released_view(records, partition_of(records, LABELS), random)
    views = (original, merged, shuffled_view(records, random))
    return [Sight([(records.public, view)], [(records.public, view)]) for view in views]


def test_it_learns_what_is_there_and_nothing_from_shuffled_columns():
    records = records_of(1, size=4000)
    random = np.random.default_rng(1)
    chance = random.dirichlet(np.ones(3), len(records.rows))
    classes = np.array([random.choice(3, p=chance[x]) for x in records.x])
    target = Target("u", "classes", classes)
    split = split_of(target, np.random.default_rng(0))
    found = model_reading(target, split, sights(records), 0)
    truth = classes[split.test]
    prior = np.bincount(classes[split.train]) / split.train.size
    best = np.log(chance[records.x[split.test], truth] / prior[truth]).mean()
    assert found.kind == "classes"
    assert found.gain.original == pytest.approx(best, abs=0.03)
    assert found.gain.original > found.gain.released > 0.02
    assert found.gain.shuffled == pytest.approx(0, abs=0.005)
    assert found.auc.original > found.auc.released > found.auc.shuffled - 0.01
    assert found.auc.shuffled == pytest.approx(0.5, abs=0.05)
    assert found.r2 is None
    assert found.trained + found.tested == 4000


def test_it_learns_numbers():
    records = records_of(2, size=4000)
    random = np.random.default_rng(2)
    means = random.normal(size=len(records.rows))
    numbers = means[records.x] + 0.3 * random.normal(size=4000)
    numbers[:100] = np.nan
    target = Target("income", "number", numbers)
    split = split_of(target, np.random.default_rng(0))
    found = model_reading(target, split, sights(records), 0)
    best = r_squared(numbers[split.test], means[records.x[split.test]])
    assert found.kind == "number"
    assert found.r2.original == pytest.approx(best, abs=0.02)
    assert best > found.r2.released > 0.05
    assert found.r2.shuffled == pytest.approx(0, abs=0.02)
    assert found.gain is None
    assert found.trained + found.tested == 3900


def test_probabilities_are_positive_and_add_up_even_of_classes_never_trained():
    records = records_of(3, size=600)
    classes = np.zeros(600, dtype=int)
    classes[records.x > 5] = 1
    target = Target("u", "classes", np.where(np.arange(600) == 599, 2, classes))
    split = Split(np.arange(300), np.arange(300, 600))  # the only record of its class tests
    found = probabilities(target, split, sights(records)[0], 0)
    assert found.shape == (split.test.size, 3)
    assert found.sum(axis=1) == pytest.approx(1)
    assert found.min() > 0
    assert prior_of(target, split)[2] == pytest.approx(1 / 3 / (split.train.size + 1))


def test_it_is_the_same_again_and_silent_where_there_is_nothing_to_learn():
    records = records_of(4, size=300)
    target = target_of(records.others[0])
    split = split_of(target, np.random.default_rng(0))
    twice = [model_reading(target, split, sights(records), 5) for _ in range(2)]
    assert twice[0] == twice[1]
    constant = Target("u", "classes", np.zeros(300, dtype=int))
    assert model_reading(constant, split, sights(records), 0) is None
    assert model_reading(Target("u", "number", np.ones(300)), split, sights(records), 0) is None
    few = split_of(Target("u", "classes", np.arange(10) % 2), np.random.default_rng(0))
    assert model_reading(Target("u", "classes", np.arange(10) % 2), few, sights(records), 0) is None


def test_without_scikit_learn_it_says_how_to_install_it(monkeypatch):
    found = builtins.__import__

    def missing(name, *rest, **options):
        if name == "sklearn":
            raise ImportError(name)
        return found(name, *rest, **options)

    require_sklearn()
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(InputError, match=r"pip install 'loglift\[evaluate\]'"):
        require_sklearn()
    assert "loglift[evaluate]" in MISSING
