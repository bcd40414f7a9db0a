"""The scikit-learn transformer: scikit-learn's own checks, then what they cannot know."""

import doctest
import math
import pickle
import subprocess
import sys
from collections import Counter
from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

import loglift
import loglift.sklearn
from loglift.sklearn import LiftProtector

SUBTRACTED = "the check subtracts outputs from each other, and names are texts"
EXPECTED_TO_FAIL = {
    "names": {
        "check_estimators_pickle": SUBTRACTED,
        "check_fit_idempotent": SUBTRACTED,
        "check_methods_sample_order_invariance": SUBTRACTED,
        "check_methods_subset_invariance": SUBTRACTED,
        "check_pipeline_consistency": SUBTRACTED,
        "check_transformer_data_not_an_array": SUBTRACTED,
        "check_transformer_general": SUBTRACTED,
    },
}


@parametrize_with_checks(
    [
        LiftProtector(),
        LiftProtector(
            eps=None, bound=loglift.Bound(math.inf, 0.5), over="high-risk", output="codes"
        ),
        LiftProtector(eps=0.1, method="complete", min_count=3, each=True),
        LiftProtector(output="names"),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_TO_FAIL.get(estimator.output, {}),
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def sensitive_names(protector):
    return tuple(column.name for column in protector.mechanism_.sensitive)


def people(rows=400, seed=0):
    """Jobs and regions that say much about an illness, with rare values and zeros."""
    rng = np.random.default_rng(seed)
    job = rng.choice(
        ["clerk", "nurse", "smith", "pilot", "cook"], rows, p=[0.4, 0.3, 0.2, 0.07, 0.03]
    )
    region = rng.choice(["north", "south"], rows)
    odds = {"clerk": 0.5, "nurse": 0.9, "smith": 0.1, "pilot": 0.0, "cook": 1.0}
    ill = np.where(rng.random(rows) < [odds[j] for j in job], "yes", "no")
    return pd.DataFrame({"job": job, "region": region}), pd.Series(ill, name="ill")


def largest_log_lift(released, sensitive):
    """Recount and take max |log p(s|y)/p(s)| over all pairs; a pair that never occurs is inf."""
    ys = [tuple(row) for row in np.asarray(released, dtype=object).tolist()]
    ss = [tuple(np.atleast_1d(s).tolist()) for s in np.asarray(sensitive, dtype=object)]
    both, y_count, s_count = Counter(zip(ys, ss, strict=True)), Counter(ys), Counter(ss)
    lifts = [both[y, s] * len(ys) / (y_count[y] * s_count[s]) for y in y_count for s in s_count]
    return max(abs(math.log(lift)) if lift else math.inf for lift in lifts)


def kinds_of(frame):
    return {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "arrow": pa.Table.from_pandas(frame, preserve_index=False),
        "objects": frame.to_numpy(dtype=object),
        "texts": frame.to_numpy(dtype=str),
        "list": frame.to_numpy(dtype=object).tolist(),
    }


KINDS = ("pandas", "polars", "arrow", "objects", "texts", "list")


@pytest.mark.parametrize("output", ["names", "codes"])
@pytest.mark.parametrize("columns", [["job"], ["job", "region"]])
@pytest.mark.parametrize("eps", [0.2, 1.0])
def test_the_released_training_data_is_within_the_bound(eps, columns, output):
    frame, ill = people()
    assert largest_log_lift(frame[columns], ill) > eps
    released = LiftProtector(eps, output=output).fit_transform(frame[columns], ill)
    assert largest_log_lift(released, ill) <= eps
    assert len({tuple(row) for row in released.tolist()}) > 1


def test_the_fitted_attributes_tell_what_was_done():
    frame, ill = people()
    protector = LiftProtector(0.5, min_count=20).fit(frame, ill)
    assert protector.mechanism_.safe
    assert protector.certificate_.holds
    assert protector.certificate_.records == len(frame)
    assert min(value["records"] for value in protector.certificate_.as_dict()["values"]) >= 20
    assert protector.mechanism_.column_names == ("job", "region")
    assert sensitive_names(protector) == ("ill",)
    assert protector.n_features_in_ == 2
    assert protector.feature_names_in_.tolist() == ["job", "region"]


def test_it_releases_what_protect_releases():
    frame, ill = people()
    protector = LiftProtector(0.5, unseen="refuse").set_output(transform="pandas")
    table = pd.concat([frame, ill], axis=1)
    expected = loglift.protect(
        table, sensitive="ill", public=["job", "region"], eps=0.5, keep_order=True
    )
    pd.testing.assert_frame_equal(protector.fit_transform(frame, ill), expected.table)
    assert protector.certificate_ == expected.certificate
    assert loglift.verify(protector.mechanism_, table).holds


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_input_gives_the_same_rows(kind):
    frame, ill = people()
    expected = LiftProtector(0.5).fit_transform(frame, ill)
    given = kinds_of(frame)[kind]
    protector = LiftProtector(0.5).fit(given, ill.tolist())
    assert protector.transform(given).tolist() == expected.tolist()
    assert (
        protector.mechanism_.labels.tolist()
        == LiftProtector(0.5).fit(frame, ill).mechanism_.labels.tolist()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_row_i_comes_out_as_row_i(kind):
    frame, ill = people()
    protector = LiftProtector(0.5, output="codes").fit(kinds_of(frame)[kind], ill)
    order = np.random.default_rng(1).permutation(len(frame))
    shuffled = kinds_of(frame.iloc[order])[kind]
    lookup = protector.mechanism_.lookup
    blocks = [lookup[row] for row in frame.iloc[order].itertuples(index=False, name=None)]
    assert protector.transform(shuffled)[:, -1].tolist() == blocks


def test_numbers_give_numbers_and_texts_give_names():
    numbers = np.array([[1], [2], [3], [1], [2], [3]])
    s = [0, 0, 1, 1, 0, 1]
    codes = LiftProtector(0.1).fit_transform(numbers, s)
    assert codes.dtype == np.int64
    assert codes.tolist() == [[0], [1], [1], [0], [1], [1]]
    names = LiftProtector(0.1, output="names").fit_transform(numbers, s)
    assert names.tolist() == [["1"], ["2-3"], ["2-3"]] * 2
    texts = LiftProtector(0.1).fit_transform(numbers.astype(str), s)
    assert texts.tolist() == [["1"], ["2 | 3"], ["2 | 3"]] * 2


def test_codes_number_the_released_values_of_each_column():
    frame, ill = people()
    names = LiftProtector(0.5).fit_transform(frame, ill)
    codes = LiftProtector(0.5, output="codes").fit_transform(frame, ill)
    assert names.shape == codes.shape == (len(frame), 3)
    for i in range(3):
        pairs = set(zip(names[:, i], codes[:, i], strict=True))
        assert len(pairs) == len(set(names[:, i])) == len(set(codes[:, i]))
        assert {code for _, code in pairs} == set(range(len(pairs)))


@pytest.mark.parametrize("kind", KINDS)
def test_unseen_values_are_suppressed(kind):
    frame, ill = people()
    new = pd.DataFrame({"job": ["clerk", "diver"], "region": ["north", "north"]})
    protector = LiftProtector(0.5).fit(kinds_of(frame)[kind], ill)
    released = protector.transform(kinds_of(new)[kind])
    assert released[1].tolist() == ["(suppressed)", "(suppressed)", 0]
    assert "(suppressed)" not in released[0]
    assert released[0][2] > 0
    codes = protector.set_params(output="codes").transform(kinds_of(new)[kind])
    assert codes[1].tolist() == [-1] * 3
    assert codes[0].min() >= 0


@pytest.mark.parametrize("kind", KINDS)
def test_unseen_values_are_refused(kind):
    frame, ill = people()
    new = pd.DataFrame({"job": ["clerk", "diver"], "region": ["north", "north"]})
    protector = LiftProtector(0.5, unseen="refuse").fit(kinds_of(frame)[kind], ill)
    with pytest.raises(loglift.TableError, match="diver"):
        protector.transform(kinds_of(new)[kind])


def test_a_column_of_another_type_is_refused_not_suppressed():
    protector = LiftProtector().fit([["a"], ["b"]], [0, 1])
    with pytest.raises(loglift.TableError, match="integer"):
        protector.transform([[1]])


def test_several_sensitive_columns_are_bounded_together_or_each():
    frame, ill = people()
    rich = np.where(np.arange(len(ill)) % 3 == 0, "rich", "poor")
    both = np.column_stack([ill, rich])
    released = LiftProtector(0.5).fit_transform(frame[["job"]], both)
    assert largest_log_lift(released, both) <= 0.5
    protector = LiftProtector(0.5, each=True)
    released = protector.fit_transform(frame[["job"]], pd.DataFrame(both, columns=["ill", "rich"]))
    assert sensitive_names(protector) == ("ill", "rich")
    assert largest_log_lift(released, ill) <= 0.5
    assert largest_log_lift(released, rich) <= 0.5


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ([0, 1], ("sensitive",)),
        (pd.Series([0, 1], name="s"), ("s",)),
        (pd.Series([0, 1]), ("sensitive",)),
        (pd.Series([0, 1], name="a"), ("sensitive a",)),
        (pl.Series("s", [0, 1]), ("s",)),
        (pl.Series([0, 1]), ("sensitive",)),
        (np.array([[0, 1], [1, 0]]), ("sensitive0", "sensitive1")),
        (pl.DataFrame({"s": [0, 1], "t": [1, 0]}), ("s", "t")),
    ],
)
def test_sensitive_columns_have_names(given, names):
    protector = LiftProtector().fit(pd.DataFrame({"a": ["x", "y"]}), given)
    assert sensitive_names(protector) == names


def test_names_of_the_released_columns():
    frame, ill = people()
    one = LiftProtector().fit(frame[["job"]], ill)
    assert one.get_feature_names_out().tolist() == ["job"]
    two = LiftProtector().fit(frame, ill)
    assert two.get_feature_names_out().tolist() == ["job", "region", "loglift_block"]
    plain = LiftProtector().fit(frame.to_numpy(dtype=object), ill)
    assert plain.get_feature_names_out().tolist() == ["x0", "x1", "loglift_block"]
    assert plain.get_feature_names_out(["a", "b"]).tolist() == ["a", "b", "loglift_block"]
    numbered = frame.set_axis([0, 1], axis=1)
    assert LiftProtector().fit(numbered, ill).mechanism_.column_names == ("x0", "x1")
    with pytest.raises(NotFittedError):
        LiftProtector().get_feature_names_out()


@pytest.mark.parametrize("unseen", ["suppress", "refuse"])
def test_set_output_makes_dataframes_of_typed_columns(unseen):
    frame, ill = people()
    frame = frame.set_index(pd.Index(range(1000, 1000 + len(frame))))
    frame["level"] = 7
    protector = LiftProtector(0.5, unseen=unseen)
    names = ["job", "region", "level", "loglift_block"]
    as_pandas = protector.set_output(transform="pandas").fit_transform(frame, ill)
    as_polars = protector.set_output(transform="polars").fit_transform(frame, ill)
    assert isinstance(as_pandas, pd.DataFrame)
    assert as_pandas.columns.tolist() == as_polars.columns == names
    assert as_pandas.index.equals(frame.index)
    assert as_pandas.to_numpy().tolist() == [list(row) for row in as_polars.rows()]
    number = pl.Int64 if unseen == "refuse" else pl.String
    assert as_polars.dtypes == [pl.String, pl.String, number, pl.Int64]
    assert [str(dtype) for dtype in as_pandas.dtypes] == [
        *("str", "str"),
        *("int64" if unseen == "refuse" else "str", "int64"),
    ]
    as_array = protector.set_output(transform="default").transform(frame)
    assert as_array.tolist() == as_pandas.to_numpy().tolist()


def test_missing_values_are_one_value_in_arrays_and_pandas():
    nan = float("nan")
    s = [0, 1, 0, 1, 0, 1]
    objects = np.array([["a"], [None], ["b"], [nan], ["a"], [pd.NA]], dtype=object)
    protector = LiftProtector(2.0, unseen="refuse").fit(objects, s)
    assert (None,) in protector.mechanism_.lookup
    frame = pd.DataFrame({"x0": ["a", None]})
    with pytest.warns(UserWarning, match="fitted without feature names"):
        released = protector.transform(frame)
    assert released.tolist() == protector.transform([["a"], [None]]).tolist()
    floats = LiftProtector(2.0, unseen="refuse").fit([[1.0], [nan], [nan], [1.0]], [0, 1, 0, 1])
    assert floats.transform([[nan], [1.0]]).tolist() == [[0], [1]]


def test_not_a_number_is_found_after_pickling():
    frame = pl.DataFrame({"x": [1.5, float("nan"), None] * 2})
    protector = LiftProtector(5.0, unseen="refuse").fit(frame, [0, 0, 0, 1, 1, 1])
    again = pickle.loads(pickle.dumps(protector))
    assert again.transform(frame).tolist() == [[2], [1], [0]] * 2


def test_times_in_arrays():
    days = np.array([["2020-01-01"], ["2020-01-02"], ["NaT"]] * 2, dtype="datetime64[ns]")
    s = [0, 0, 0, 1, 1, 1]
    protector = LiftProtector().fit(days, s)
    found = list(protector.mechanism_.lookup)
    assert found == [(None,), (datetime(2020, 1, 1),), (datetime(2020, 1, 2),)]
    stamps = pd.DataFrame({"a": days[:, 0]}).to_numpy(dtype=object)
    assert list(LiftProtector().fit(stamps, s).mechanism_.lookup) == found
    with pytest.raises(loglift.TableError, match="nanoseconds"):
        LiftProtector().fit(days + np.timedelta64(1, "ns"), s)
    with pytest.raises(loglift.TableError, match="nanoseconds"):
        LiftProtector().fit(stamps + pd.Timedelta(1, "ns"), s)


@pytest.mark.parametrize("width", [10, 2.5])
@pytest.mark.parametrize("dtype", [int, float, object])
def test_bins_of_arrays_are_those_of_dataframes(width, dtype):
    rng = np.random.default_rng(0)
    ages = rng.integers(-30, 90, size=(300, 1)).astype(dtype)
    s = rng.integers(0, 2, size=300)
    array = LiftProtector(0.3, bins={"x0": width}).fit(ages, s)
    kind = int if dtype is object else dtype
    frame = pl.DataFrame({"x0": ages[:, 0].astype(kind)})
    expected = LiftProtector(0.3, bins={"x0": width}).fit(frame, s)
    assert array.mechanism_.to_json() == expected.mechanism_.to_json()
    assert array.transform(ages).tolist() == expected.transform(frame).tolist()


def test_sensitive_columns_can_be_binned():
    rng = np.random.default_rng(0)
    income = rng.normal(size=2000)
    public = rng.integers(0, 5, size=(2000, 1))
    own = LiftProtector(0.5).fit(public, income).mechanism_.bins["sensitive"]
    assert own.automatic
    assert largest_log_lift(public, np.searchsorted(own.points, income, side="right")) < 2
    protector = LiftProtector(0.5, bins={"sensitive": 2}).fit(public, income)
    released = protector.transform(public)
    assert largest_log_lift(released, np.floor(income / 2)) <= 0.5


def test_measurements_are_cut_into_the_same_bands_and_transformed_to_codes():
    heights = np.random.default_rng(0).normal(size=(2000, 1))
    s = np.arange(2000) % 2
    frames = (pd.DataFrame(heights, columns=["x0"]), pl.DataFrame(heights, schema=["x0"]))
    array = LiftProtector().fit(heights, s)
    assert array.mechanism_.bins["x0"].automatic
    assert array.transform(heights).dtype.kind == "i"
    for given in frames:
        fitted = LiftProtector().fit(given, s)
        assert fitted.mechanism_.bins == array.mechanism_.bins
        assert fitted.transform(given).tolist() == array.transform(heights).tolist()
    assert LiftProtector(bins={"x0": 1}).fit(heights, s).mechanism_.bins["x0"].width == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eps": -1}, "eps"),
        ({"bound": loglift.Bound(1, 1)}, "eps=None"),
        ({"eps": None}, "bound"),
        ({"method": "best"}, "method"),
        ({"over": "some"}, "over"),
        ({"min_count": 0}, "min_count"),
        ({"unseen": "keep"}, "unseen"),
        ({"output": "numbers"}, "output"),
        ({"bins": {"z": 1}}, "'z'"),
        ({"bins": {"x0": 1}}, "text"),
    ],
)
def test_bad_options_are_refused_in_fit(options, message):
    with pytest.raises(loglift.InputError, match=message):
        LiftProtector(**options).fit([["a"], ["b"]], [0, 1])


@pytest.mark.parametrize(
    ("public", "sensitive", "message"),
    [
        ([["a"], ["b"]], None, "requires y to be passed"),
        ([["a"], ["b"]], [1, 1], "1 class"),
        ([["a"], ["b"]], [0, 1, 0], "inconsistent numbers of samples"),
        ([["a"], ["b"]], 3, "[Ss]ingleton|scalar"),
        ([["a"], [1]], [0, 1], "mixes"),
        (pl.LazyFrame({"a": [1, 2]}), [0, 1], "in memory"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), [0, 1], "2 times"),
    ],
)
def test_bad_data_is_refused(public, sensitive, message):
    with pytest.raises((ValueError, TypeError), match=message):
        LiftProtector().fit(public, sensitive)


def test_no_safe_release_under_the_limits():
    jobs, ill = [["clerk"]] * 4 + [["nurse"]] * 2, [0, 0, 1, 1, 1, 1]
    with pytest.raises(loglift.UnsafeError):
        LiftProtector(0.5, over="high-risk").fit(jobs, ill)
    assert LiftProtector(0.5).fit(jobs, ill).certificate_.holds


def test_in_a_pipeline_the_target_is_the_sensitive_variable():
    frame, ill = people()
    model = make_pipeline(LiftProtector(0.5), OneHotEncoder(), LogisticRegression())
    model.fit(frame, ill)
    assert sensitive_names(model[0]) == ("ill",)
    assert set(model.predict(frame)) <= {"yes", "no"}
    assert model[:2].get_feature_names_out()[0].startswith("job_")
    open_model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, ill)
    assert model.score(frame, ill) < open_model.score(frame, ill)


def test_cross_validation_meets_unseen_values():
    frame, ill = people()
    frame.loc[7, "job"] = "diver"
    encoder = OneHotEncoder(handle_unknown="ignore")
    model = make_pipeline(LiftProtector(), encoder, LogisticRegression())
    for given in (frame, pl.from_pandas(frame), frame.to_numpy(dtype=object)):
        scores = cross_val_score(model, given, ill, error_score="raise")
        assert np.isfinite(scores).all()
    search = GridSearchCV(model, {"liftprotector__eps": [0.1, 2.0]}, error_score="raise")
    assert search.fit(frame, ill).best_params_ == {"liftprotector__eps": 2.0}


def test_metadata_routing_brings_the_sensitive_variable():
    frame, ill = people()
    target = np.arange(len(frame)) % 2
    with sklearn.config_context(enable_metadata_routing=True):
        protector = LiftProtector(0.5).set_fit_request(sensitive=True)
        encoder = OneHotEncoder(handle_unknown="ignore")
        model = make_pipeline(protector, encoder, LogisticRegression())
        model.fit(frame, target, sensitive=ill)
        scores = cross_val_score(
            model, frame, target, params={"sensitive": ill}, error_score="raise"
        )
    assert sensitive_names(model[0]) == ("ill",)
    assert largest_log_lift(model[0].transform(frame), ill) <= 0.5
    assert len(scores) == 5


def test_sensitive_takes_the_place_of_y():
    frame, ill = people()
    expected = LiftProtector(0.5).fit(frame, ill).certificate_
    assert LiftProtector(0.5).fit(frame, sensitive=ill).certificate_ == expected
    target = np.arange(len(frame)) % 2
    protector = LiftProtector(0.5)
    protector.fit_transform(frame, target, sensitive=ill)
    assert protector.certificate_ == expected


def test_beside_other_columns():
    frame, ill = people()
    frame["height"] = 1.8
    both = make_column_transformer(
        (LiftProtector(0.5), ["job", "region"]), ("passthrough", ["height"])
    ).set_output(transform="pandas")
    released = both.fit_transform(frame, ill)
    assert released.columns[-1] == "passthrough__height"
    assert largest_log_lift(released, ill) <= 0.5


def test_clones_and_pickles():
    frame, ill = people()
    options = {"eps": None, "bound": loglift.Bound(2.0, 0.5), "bins": {}, "unseen": "refuse"}
    protector = LiftProtector(**options).fit(frame, ill)
    assert options.items() <= clone(protector).get_params().items()
    assert not hasattr(clone(protector), "mechanism_")
    again = pickle.loads(pickle.dumps(protector))
    assert again.transform(frame).tolist() == protector.transform(frame).tolist()


def test_the_published_mechanism_does_the_same(tmp_path):
    frame, ill = people()
    protector = LiftProtector(0.5).set_output(transform="pandas")
    released = protector.fit_transform(frame, ill)
    (tmp_path / "mechanism.json").write_text(protector.mechanism_.to_json(), "utf-8")
    applied = loglift.apply(tmp_path / "mechanism.json", frame, keep_order=True, unseen="suppress")
    pd.testing.assert_frame_equal(released, applied)


@pytest.mark.parametrize("method", ["search", "randomized"])
def test_intact_columns_are_not_merged_with_others(method):
    frame, ill = people()
    protector = LiftProtector(0.8, intact="region", method=method).set_output(transform="pandas")
    released = protector.fit_transform(frame, ill)
    assert released["region"].tolist() == frame["region"].tolist()
    assert protector.mechanism_.intact == ("region",)
    with pytest.raises(loglift.TableError, match="not a public column"):
        LiftProtector(0.8, intact="street").fit(frame, ill)


def test_a_time_limit_is_for_methods_that_take_one():
    frame, ill = people()
    exact = LiftProtector(0.8, method="exact", time_limit=0).fit(frame, ill)
    assert exact.certificate_.holds
    with pytest.raises(loglift.InputError, match="time_limit"):
        LiftProtector(0.8, method="greedy", time_limit=1).fit(frame, ill)


def test_randomized_releases_are_drawn_anew_and_within_the_bound():
    frame, ill = people(rows=2000)
    protector = LiftProtector(0.2, method="randomized", draw_seed=1).fit(frame, ill)
    assert protector.certificate_.holds
    assert protector.certificate_.draws.seeded
    names = set(protector.mechanism_.released[0].values)
    first, again = (protector.transform(frame)[:, 0].tolist() for _ in range(2))
    assert first == again
    assert set(first) <= names
    anew = LiftProtector(0.2, method="randomized").fit(frame, ill)
    assert anew.transform(frame).tolist() != anew.transform(frame).tolist()
    strange = frame.head(1).assign(job="diver")
    assert protector.transform(strange)[0].tolist() == ["(suppressed)", "(suppressed)", 0]


def test_the_examples_run():
    result = doctest.testmod(loglift.sklearn)
    assert result.attempted > 0
    assert result.failed == 0


def python(program):
    return subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )


def test_scikit_learn_loads_only_when_used():
    done = python("import loglift, sys; print('sklearn' in sys.modules)")
    assert done.stdout.strip() == "False"


def test_arrays_need_no_dataframe_library():
    done = python(
        "import sys; sys.modules.update(pandas=None, polars=None, pyarrow=None)\n"
        "from loglift.sklearn import LiftProtector\n"
        "print(LiftProtector().fit_transform([['a'], ['b']], ['x', 'y']).tolist())"
    )
    assert done.stdout.strip() == "[['*'], ['*']]", done.stderr


def test_without_scikit_learn_the_error_says_what_to_install():
    done = python("import sys; sys.modules['sklearn'] = None; import loglift.sklearn")
    assert "ImportError: loglift.sklearn needs scikit-learn" in done.stderr
    assert "pip install loglift[sklearn]" in done.stderr
