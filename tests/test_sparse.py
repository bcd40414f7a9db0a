"""Sparse mass against the arrays it stands for."""

from __future__ import annotations

import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from scipy import sparse

import loglift
from loglift import Bound, Joint, JointError, merge, sparse as cells
from loglift.measures.leakage import information_of, shannon_information
from loglift.measures.lift import omegas_of
from loglift.measures.partition import canonical
from loglift.merging.ceiling import ceiling, prices
from loglift.merging.intact import as_groups
from loglift.merging.problem import Problem
from loglift.promise.bipartition import safe_rows
from loglift.promise.integers import exactly_safe
from loglift.sparse import (
    Cells,
    any_row,
    apart,
    as_cells,
    between,
    block_sums,
    by_rows,
    column_of,
    column_sums,
    dense,
    drawn_sums,
    held,
    holders,
    in_parts,
    refinement,
    side_by_side,
    stable_order,
    stacked,
    take_columns,
    take_rows,
    tallied,
)


def few_cells(rng, rows=60, columns=9, share=0.3):
    """Counts with many zeros, but none in a whole row or column."""
    counts = rng.poisson(2, (rows, columns)) * (rng.random((rows, columns)) < share)
    counts[np.arange(rows), rng.integers(0, columns, rows)] += 1
    counts[rng.integers(0, rows, columns), np.arange(columns)] += 1
    return counts


@pytest.fixture
def always_sparse(monkeypatch):
    """Every table is held as cells, and looked at a few rows at a time."""
    monkeypatch.setattr(cells, "MAX_ALWAYS_DENSE_CELLS", 0)
    monkeypatch.setattr(cells, "MIN_CELLS_PER_NONZERO", 0)
    monkeypatch.setattr(cells, "CELLS_PER_PART", 50)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_cells_are_what_the_array_is(seed):
    rng = np.random.default_rng(seed)
    array = few_cells(rng, rows=rng.integers(1, 30), columns=rng.integers(1, 9))
    sparse_ = as_cells(array)
    assert sparse_.shape == array.shape
    assert (sparse_[:] == array).all()
    assert (sparse_.sum(axis=0) == array.sum(axis=0)).all()
    assert (sparse_.sum(axis=1) == array.sum(axis=1)).all()
    assert sparse_.sum() == array.sum()
    rows = rng.integers(0, len(array), 5)
    mask = rng.random(len(array)) < 0.5
    for chosen in (rows, mask, slice(1, 4), rows[:0]):
        assert (sparse_[chosen] == array[chosen]).all()
        assert sparse_[chosen].shape == array[chosen].shape
    labels = canonical(rng.integers(0, 4, len(array)))
    assert (block_sums(sparse_, labels)[:] == block_sums(array, labels)).all()
    assert (holders(sparse_) == holders(array)).all()
    for j in range(array.shape[1]):
        assert (column_of(sparse_, j) == array[:, j]).all()
    assert (cells.side_by_side([sparse_, array])[:] == np.hstack([array, array])).all()
    assert (cells.stacked([array, sparse_])[:] == np.vstack([array, array])).all()


def test_cells_of_the_same_place_are_added_up_in_any_order():
    made = Cells.of([1, 0, 1, 1], [2, 0, 2, 0], [5, 1, 7, 0], (3, 3))
    assert made[:].tolist() == [[1, 0, 0], [0, 0, 12], [0, 0, 0]]
    assert made.values.tolist() == [1, 12]  # zeros are not held


def test_what_is_held_how(monkeypatch):
    place = np.arange(10)
    assert isinstance(held(place, place, np.ones(10), (10, 10)), np.ndarray)
    monkeypatch.setattr(cells, "MAX_ALWAYS_DENSE_CELLS", 50)
    assert isinstance(held(place, place, np.ones(10), (10, 10)), Cells)  # a tenth is not zero
    assert isinstance(held(place, place % 2, np.ones(10), (10, 2)), np.ndarray)  # a half


def test_too_many_cells_are_not_made_an_array():
    wide = Cells.of([0, 10**6 - 1], [0, 10**6 - 1], [1, 1], (10**6, 10**6))
    with pytest.raises(JointError, match="1,000,000 public and 1,000,000 sensitive values"):
        dense(wide)


@given(st.integers(0, 2**32 - 1), st.sampled_from([Bound(0.7, 0.7), Bound(2, 0.4), Bound(9, 9)]))
@settings(max_examples=40)
def test_measures_of_cells_are_those_of_the_array(seed, bound):
    rng = np.random.default_rng(seed)
    counts = few_cells(rng)
    for array in (counts, Joint(counts / 7).scaled):
        mass = as_cells(array)
        assert (safe_rows(mass.astype(float), bound) == safe_rows(array.astype(float), bound)).all()
        np.testing.assert_allclose(omegas_of(mass), omegas_of(array), rtol=1e-12)
        found, known = (
            prices(Problem.of(each, bound)) for each in (mass.astype(float), array * 1.0)
        )
        np.testing.assert_allclose(found, known, atol=1e-12)
    assert (exactly_safe(as_cells(counts), bound) == exactly_safe(counts, bound)).all()
    groups = as_groups(rng.integers(0, 3, len(counts)).tolist(), tuple(range(len(counts))))
    whole = counts * 1.0
    for among in (None, groups):
        found, known = (
            ceiling(Problem.of(mass, bound, groups=among)) for mass in (as_cells(whole), whole)
        )
        assert found == known


def test_counts_whose_products_exceed_an_integer():
    """Whole counts, as an audit has them, of more records than 2^63 has a root for."""
    counts = np.array([[2**40, 3], [2**39, 2**41], [5, 2**38]])
    exact = [
        max(
            abs(math.log(Fraction(int(n) * int(counts.sum()), int(row.sum()) * int(column))))
            for n, column in zip(row, counts.sum(axis=0), strict=True)
        )
        for row in counts
    ]
    for mass in (counts, as_cells(counts)):
        np.testing.assert_allclose(omegas_of(mass), exact, rtol=1e-12)
        assert information_of(mass) == pytest.approx(shannon_information(counts / 7))


@pytest.mark.parametrize("eps", [Bound(0.5, 0.5), Bound(np.inf, 1.0), Bound(3.0, 3.0)])
@pytest.mark.parametrize("options", [{}, {"min_count": 9}, {"over": "high-risk"}, {"intact": 2}])
def test_sparse_joints_are_merged_like_dense_ones(eps, options):
    rng, compared = np.random.default_rng(4), 0
    for counts in (few_cells(rng, share=0.7), few_cells(rng, rows=200, columns=3, share=0.8)):
        chosen = dict(options)
        if "intact" in chosen:
            chosen["intact"] = [i % 2 for i in range(len(counts))]
        compared += 1
        results = []
        for joint in (Joint(counts), Joint(sparse.csr_array(counts))):
            try:
                results.append(merge(joint, bound=eps, iterations=300, **chosen))
            except loglift.UnsafeError as error:
                results.append(str(error))
        array, cells_ = results
        if isinstance(array, str):
            assert cells_ == array
            continue
        assert cells_.labels.tolist() == array.labels.tolist()
        assert (cells_.leakage, cells_.utility) == (array.leakage, array.utility)
        assert cells_.upper_bound == pytest.approx(array.upper_bound, rel=1e-12)
    assert compared == 2


def test_with_little_room_search_ends_safe_too(monkeypatch):
    """Little room stands for many sensitive values: few values are looked at together."""
    for module in ("building", "improving"):
        monkeypatch.setattr(f"loglift.merging.{module}.MAX_GAINS_AT_A_TIME", 120)
    rng = np.random.default_rng(6)
    for bound in (Bound(1.0, 1.0), Bound(np.inf, 0.7)):
        counts = few_cells(rng, rows=120, columns=5, share=0.6)
        found = merge(sparse.coo_matrix(counts), bound=bound, iterations=500)
        assert found.safe
        assert found.utility > 0
        assert found.upper_bound >= found.utility


def test_a_sparse_joint_is_checked_like_an_array():
    with pytest.raises(JointError, match="negative"):
        Joint(sparse.csr_array([[1, -1], [1, 1]]))
    with pytest.raises(JointError, match="no mass at all"):
        Joint(sparse.csr_array(np.zeros((2, 2))))
    with pytest.raises(JointError, match="public value 1 has no mass"):
        Joint(sparse.csr_array([[1, 1], [0, 0]]))
    kept = Joint(
        sparse.csr_array([[1, 0, 2], [0, 0, 0]]), empty_public="drop", empty_sensitive="drop"
    )
    assert (kept.public, kept.sensitive) == ((0,), (0, 2))
    assert kept.mass[:].tolist() == [[1, 2]]
    assert loglift.lift(kept).tolist() == [[1.0, 1.0]]


def table(rng, columns=2):
    rows = 400
    frame = {"x": rng.integers(0, 12, rows), "y": rng.integers(0, 3, rows)}
    frame |= {f"s{i}": rng.integers(0, 3, rows) * rng.integers(0, 2, rows) for i in range(columns)}
    return pl.DataFrame(frame)


@pytest.mark.parametrize("each", [False, True])
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1), eps=st.sampled_from([0.3, 1.0]))
def test_tables_are_protected_alike(each, seed, eps):
    frame = table(np.random.default_rng(seed))
    options = {"sensitive": ["s0", "s1"], "public": ["x", "y"], "each": each}
    found = []
    for sparse_ in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if sparse_:
                patch.setattr(cells, "MAX_ALWAYS_DENSE_CELLS", 0)
                patch.setattr(cells, "MIN_CELLS_PER_NONZERO", 0)
                patch.setattr(cells, "CELLS_PER_PART", 50)
            result = loglift.protect(frame, eps=eps, explain=True, **options)
            assert isinstance(result.audit.joint.mass, Cells) is sparse_
            found.append(
                (
                    result.mechanism.to_json(),
                    result.certificate.as_dict(),
                    result.explanation.as_dict(),
                    result.nearby,
                    loglift.audit(frame, eps=eps, **options).as_dict(),
                    loglift.audit(frame, **options).as_dict(),
                )
            )
    assert found[0][0] == found[1][0]
    for one, other in zip(found[0], found[1], strict=True):
        assert one == other


@pytest.mark.usefixtures("always_sparse")
def test_reports_and_other_methods_take_sparse_tables(tmp_path):
    from loglift.cli import main  # noqa: PLC0415

    rng = np.random.default_rng(8)
    table(rng, columns=1).write_parquet(tmp_path / "t.parquet")
    for options in (
        ["--method", "greedy"],
        ["--method", "randomized"],
        ["--confidence", "0.9"],
        ["--intact", "y"],
        ["--passthrough", "y"],
        [],
    ):
        public = ["-p", "x"] if "--passthrough" in options else ["-p", "x", "-p", "y"]
        command = [str(tmp_path / "t.parquet"), "-s", "s0", *public, "--eps", "1.5"]
        main(
            ["protect", *command, *options, "-o", str(tmp_path / "out"), "--force", "--quiet"],
            standalone_mode=False,
        )
        assert (tmp_path / "out" / "report.html").stat().st_size > 1000
    main(["audit", *command], standalone_mode=False)


def test_rows_come_some_at_a_time(monkeypatch):
    monkeypatch.setattr(cells, "CELLS_PER_PART", 6)
    array = np.arange(21).reshape(7, 3)
    for mass in (array, as_cells(array)):
        assert [rows.shape[0] for _, rows in in_parts(mass)] == [2, 2, 2, 1]
        assert by_rows(lambda rows: rows.sum(axis=1), mass).tolist() == array.sum(axis=1).tolist()


LABELS = st.integers(1, 4).flatmap(
    lambda columns: st.lists(
        st.tuples(*(st.integers(0, 9) for _ in range(columns))), min_size=1, max_size=40
    )
)


@given(LABELS, st.sampled_from([1, 10**9]))
def test_combinations_of_labels_are_numbered_in_their_order(rows, scale):
    """Large labels make more keys than rows, which are then sorted."""
    labelings = [np.array(column) * scale for column in zip(*rows, strict=True)]
    distinct = sorted(set(rows))
    assert refinement(labelings).tolist() == [distinct.index(row) for row in rows]
    one_each, counts = tallied(labelings)
    assert [rows[i] for i in one_each] == distinct
    assert counts.tolist() == [rows.count(row) for row in distinct]
    labels = refinement(labelings)
    assert [rows[i] for i in any_row(labels)] == distinct


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_rows_and_columns_are_taken_and_put_together_as_those_of_the_array(seed):
    rng = np.random.default_rng(seed)
    array = few_cells(rng, rows=int(rng.integers(1, 9)), columns=int(rng.integers(1, 9)))
    sparse_, width = as_cells(array), array.shape[1]
    columns = np.flatnonzero(rng.random(width) < 0.5)
    rows = rng.integers(0, array.shape[0], 5)
    codes = rng.integers(0, 3, width)
    summed = np.stack([array[:, codes == code].sum(axis=1) for code in range(3)], axis=1)
    for mass in (array, sparse_):
        assert (dense(take_columns(mass, columns)) == array[:, columns]).all()
        assert (dense(take_rows(mass, rows)) == array[rows]).all()
        assert (dense(column_sums(mass, codes, 3)) == summed).all()
        drawn = drawn_sums(mass, np.arange(3.0 * len(array)).reshape(-1, 3))
        np.testing.assert_allclose(drawn, array.T @ np.arange(3.0 * len(array)).reshape(-1, 3))
        assert (dense(stacked([mass, sparse_])) == np.vstack([array, array])).all()
        assert (dense(side_by_side([mass, array])) == np.hstack([array, array])).all()


@pytest.mark.parametrize("step", [1, 3, 100])
def test_parts_have_no_cells_in_common(step):
    several = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        array = rng.random((rng.integers(1, 12), rng.integers(1, 12)))
        array[rng.random(array.shape) < 0.8] = 0
        cells = as_cells(array)
        parts = apart(cells, step)
        rows, columns = (np.concatenate(each) for each in zip(*parts, strict=True))
        assert sorted(rows) == list(range(len(array)))
        assert sorted(columns) == np.flatnonzero(array.any(axis=0)).tolist()
        left = array.copy()
        for down, right in parts:
            assert (np.diff(down) > 0).all()
            assert (np.diff(right) > 0).all()
            inside = between(cells, down, right)
            np.testing.assert_array_equal(inside, array[np.ix_(down, right)])
            left[np.ix_(down, right)] = 0
        assert not left.any()
        several += len(parts) > 1
        components = _components(array)
        if step == 1:
            assert sorted(map(len, components)) == sorted(down.size for down, _ in parts)
        assert all(any(set(each) <= set(down) for down, _ in parts) for each in components)
    assert (several > 10) == (step < 100)


def _components(array):
    """Return the rows of each component, by following cells one by one."""
    found, left = [], set(range(len(array)))
    while left:
        reached, todo = set(), [left.pop()]
        while todo:
            row = todo.pop()
            reached.add(row)
            for column in np.flatnonzero(array[row]):
                todo += [x for x in np.flatnonzero(array[:, column]).tolist() if x not in reached]
        left -= reached
        found.append(sorted(reached))
    return found


def test_the_product_of_cells_is_that_of_the_array():
    rng = np.random.default_rng(0)
    array, matrix = rng.random((7, 5)) * (rng.random((7, 5)) < 0.4), rng.random((5, 3))
    assert as_cells(array) @ matrix == pytest.approx(array @ matrix, abs=1e-15)


@pytest.mark.parametrize("size", [1, 2, 2**16, 2**16 + 1, 2**32, 2**40])
def test_rows_in_the_order_of_their_numbers_are_those_of_a_stable_sort(size):
    random = np.random.default_rng(size)
    few = np.unique(random.integers(0, size, 50))  # most numbers stand for several rows
    for numbers in (few[random.integers(0, few.size, 400)], np.array([size - 1, 0, size - 1])):
        found = stable_order(numbers, size)
        assert found.tolist() == np.argsort(numbers, kind="stable").tolist()
    assert stable_order(np.arange(0), size).size == 0


def test_numbers_of_16_bits_are_sorted_as_they_are():
    numbers = np.array([3, 1, 2, 1], dtype=np.uint16)
    assert stable_order(numbers, 4).tolist() == [1, 3, 2, 0]
