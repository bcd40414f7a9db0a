"""Shuffles: uniform on every engine, and not to be undone by who knows the input's order."""

import io
import math
import pickle
import secrets
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import chi2

from loglift.tables import apply, shuffling, write
from loglift.tables.from_counts import from_counts
from loglift.tables.shuffling import exchanging_order, random_order
from tables.makers import mechanism_of, relation, released_of
from tables.orders import NAMED, passed, runs_of_the_input, written_by_arrow

SIZE = 3000
NAMES, KINDS = ["x", "row"], [str, int]
ROWS = [("ab"[i % 2], i) for i in range(SIZE)]
LOOKUP = {("a",): 0, ("b",): 1}
EVEN = [((0, 2**51), (1, 2**51)), ((0, 2**51), (1, 2**51))]
MERGED = mechanism_of("x", LOOKUP, {"x": ("text", ["A", "B"])})
DRAWN = mechanism_of("x", LOOKUP, {"x": ("text", ["A", "B"])}, rows=EVEN)


def shuffled(table, back, mechanism=MERGED):
    """Return the input position of each released row."""
    result = apply(table, mechanism, passthrough=["row"])
    return np.array([int(row) for _, row in back(result)])


def neighbours(order):
    return set(pairwise(order.tolist()))


def test_every_order_of_a_few_rows_is_as_likely():
    draws = 4800
    seen = Counter(tuple(random_order(4).tolist()) for _ in range(draws))
    assert len(seen) == math.factorial(4)
    expected = draws / 24
    # About six standard deviations: fails by chance once in some 10^7 runs.
    assert max(abs(times - expected) for times in seen.values()) < 6 * expected**0.5


@pytest.mark.parametrize(("chunk", "workers"), [(3, 2), (100, 1), (100, 3)])
def test_every_order_of_a_few_rows_in_piles_is_as_likely(monkeypatch, chunk, workers):
    monkeypatch.setattr(shuffling, "MIN_PILED_ROWS", 0)
    monkeypatch.setattr(shuffling, "_ROWS_PER_CHUNK", chunk)
    monkeypatch.setattr(shuffling, "cores", lambda: workers)
    few = np.random.default_rng(chunk + workers).integers  # so that rows meet in a pile
    monkeypatch.setattr(shuffling, "_random_piles", lambda size: few(0, 3, size))
    draws = 1200
    seen = Counter(tuple(random_order(4).tolist()) for _ in range(draws))
    assert len(seen) == math.factorial(4)
    expected = draws / 24
    # About six standard deviations: fails by chance once in some 10^6 runs.
    assert max(abs(times - expected) for times in seen.values()) < 6 * expected**0.5


def test_rows_choose_any_pile():
    rows = np.bincount(shuffling._random_piles(2**18))  # noqa: SLF001
    assert rows.size == 256
    assert abs(rows - 2**10).max() < 6 * 2**5  # about six standard deviations


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("least", [0, 100])
def test_every_assignment_within_blocks_is_as_likely(monkeypatch, least, workers):
    """Rows that show block 0 get the records 1, 3, 4 in any order, the others 0 and 5: 3! 2!."""
    monkeypatch.setattr(shuffling, "MIN_PILED_ROWS", least)
    monkeypatch.setattr(shuffling, "cores", lambda: workers)
    own, shown = np.array([2, 0, 3, 0, 0, 2]), np.array([0, 2, 0, 3, 2, 0])
    draws = 600
    seen = Counter(tuple(exchanging_order(own, shown, 5).tolist()) for _ in range(draws))
    assert len(seen) == 12
    assert {frozenset((a, b, c)) for a, _, b, _, _, c in seen} == {frozenset({1, 3, 4})}
    assert {(frozenset((a, b)), c) for _, a, _, c, b, _ in seen} == {(frozenset({0, 5}), 2)}
    assert max(abs(times - draws / 12) for times in seen.values()) < 6 * (draws / 12) ** 0.5


@pytest.mark.parametrize("size", [0, 1, 2, 1000, 70_000])
def test_piled_rows_are_all_there(monkeypatch, size):
    monkeypatch.setattr(shuffling, "MIN_PILED_ROWS", 0)
    assert np.array_equal(np.sort(random_order(size)), np.arange(size))
    blocks = np.random.default_rng(size).integers(0, 70_000, size)  # more than 16 bits number
    found = exchanging_order(blocks, np.sort(blocks), 70_000)
    assert np.array_equal(np.sort(found), np.arange(size))
    assert np.array_equal(blocks[found], np.sort(blocks))


@pytest.mark.parametrize("chunk", [2, 100])
def test_rows_whose_random_bits_are_equal_are_shuffled_too(monkeypatch, chunk):
    """The first two of five rows get one key, the others another: 2! 3! orders."""
    monkeypatch.setattr(shuffling, "_ROWS_PER_CHUNK", chunk)
    monkeypatch.setattr(shuffling, "cores", lambda: 1)  # the bytes go to the rows in order
    left = []

    def next_bytes(size):
        left.extend([] if left else [7, 7, 9, 9, 9])
        upper = [left.pop(0) for _ in range(size // 5)]
        return np.array(upper, dtype=np.uint32).tobytes() + bytes(len(upper))  # and 8 bits each

    fixed = SimpleNamespace(token_bytes=next_bytes, SystemRandom=secrets.SystemRandom)
    monkeypatch.setattr(shuffling, "secrets", fixed)
    draws = 1200
    seen = Counter(tuple(random_order(5).tolist()) for _ in range(draws))
    assert {frozenset(order[:2]) for order in seen} == {frozenset({0, 1})}
    assert len(seen) == 12
    assert max(abs(times - draws / 12) for times in seen.values()) < 6 * (draws / 12) ** 0.5


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_parts_that_are_sorted_on_their_own_are_one_order(monkeypatch, workers):
    monkeypatch.setattr(shuffling, "_ROWS_PER_CHUNK", 2)
    monkeypatch.setattr(shuffling, "cores", lambda: workers)
    for size in (0, 1, 2, 7, 100):
        assert sorted(random_order(size).tolist()) == list(range(size))
    draws = 1200
    seen = Counter(tuple(random_order(4).tolist()) for _ in range(draws))
    assert len(seen) == math.factorial(4)
    expected = draws / 24
    # About six standard deviations: fails by chance once in some 10^7 runs.
    assert max(abs(times - expected) for times in seen.values()) < 6 * expected**0.5


@pytest.mark.parametrize("mechanism", [MERGED, DRAWN], ids=["merged", "drawn"])
def test_every_engine_sends_a_row_anywhere(maker, tmp_path, mechanism):
    table = maker.make(NAMES, KINDS, ROWS, tmp_path)
    order = shuffled(table, maker.back, mechanism)
    assert sorted(order.tolist()) == list(range(SIZE))
    places = np.zeros((10, 10))
    np.add.at(places, (np.arange(SIZE) * 10 // SIZE, order * 10 // SIZE), 1)
    expected = SIZE / 100
    assert chi2.sf(((places - expected) ** 2 / expected).sum(), 81) > 1e-6
    rises = int((np.diff(order) > 0).sum())
    assert rises == pytest.approx(SIZE / 2, abs=6 * (SIZE / 12) ** 0.5)


def test_two_shuffles_of_every_engine_have_nothing_in_common(maker, tmp_path):
    """Orders that few secrets decide are alike: XOR with one number keeps half the neighbours."""
    table = maker.make(NAMES, KINDS, ROWS, tmp_path)
    first, second = (shuffled(table, maker.back) for _ in range(2))
    # The number of neighbours in common is nearly Poisson with mean 1.
    assert len(neighbours(first) & neighbours(second)) < 20


def undone(released, hashes):
    """Find the number K for which sorting rows by hash XOR K gives the released order.

    Bit by bit from the top: two rows whose hashes first differ there tell whether K turns it.
    """
    place = np.empty(len(released), dtype=np.int64)
    place[released] = np.arange(len(released))
    by_hash = np.argsort(hashes)
    found = 0
    for one, other in pairwise(by_hash):
        differs = (int(hashes[one]) ^ int(hashes[other])).bit_length() - 1
        if place[one] > place[other]:
            found |= 1 << differs
    return np.argsort(hashes ^ np.uint64(found))


def hashes_of_places():
    places = duckdb.sql("SELECT unnest(range(1, $size + 1)) AS i", params={"size": SIZE})
    found = places.project("hash(i, 0::BIGINT), i").order("i").fetchall()
    return np.array([value for value, _ in found], dtype=np.uint64)


def test_the_attack_undoes_an_order_by_duckdbs_hash():
    places = duckdb.sql("SELECT unnest(range(1, $size + 1)) AS i", params={"size": SIZE})
    rows = places.order("hash(i, 8675309::BIGINT)").fetchall()
    released = np.array([i - 1 for (i,) in rows])
    assert (undone(released, hashes_of_places()) == released).all()


def test_the_attack_does_not_undo_a_release():
    table = relation(NAMES, KINDS, ROWS)
    released = shuffled(table, lambda result: result.fetchall())
    agree = (undone(released, hashes_of_places()) == released).sum()
    assert agree < 20  # by chance: nearly Poisson with mean 1


def test_statements_do_not_show_the_secret_of_the_order(monkeypatch):
    fixed = SimpleNamespace(token_hex=lambda _: "5ec12e7" * 8)
    monkeypatch.setattr("loglift.tables.engines.duckdb.secrets", fixed)
    table = relation(NAMES, KINDS, ROWS[:30])
    result = apply(table, MERGED)
    assert "5ec12e7" not in f"{result.explain()} {result} {result.sql_query()}"


@pytest.mark.parametrize("size", [5, 300, 3296, 20_000, 200_000])
@pytest.mark.parametrize("most", [1, 2, 10])
def test_a_release_from_counts_is_not_in_the_order_of_its_blocks(tmp_path, size, most):
    records = np.arange(size) % most + 1
    names, numbers = [f"v{i}" for i in range(size)], [None, *range(1, size)]
    columns = released_of({"o0": ("text", names), "o1": ("integer", numbers)})
    released = from_counts(records, columns)
    write(released, tmp_path / "released.parquet")
    for rows in (released.fetchall(), duckdb.read_parquet(str(tmp_path / "*")).fetchall()):
        blocks = [int(text[1:]) for text, _ in rows]
        assert np.bincount(blocks, minlength=size).tolist() == records.tolist()
        shown = zip(blocks, rows, strict=True)
        assert all(number == (block or None) for block, (_, number) in shown)
        steps = np.diff(blocks)
        rises, falls = int((steps > 0).sum()), int((steps < 0).sum())
        assert abs(rises - falls) < 6 * len(rows) ** 0.5 + 6


def sorted_by_secret(size=60):
    """Return names of people in the order of a table that is sorted by S."""
    return [f"p{17 * i % size:02}" for i in range(size)]


def test_categories_of_pandas_do_not_tell_the_order_of_the_input():
    names = sorted_by_secret()
    table = pd.DataFrame({"x": ["a", "b"] * 30, "name": pd.Categorical(names, categories=names)})
    table["name"] = table["name"].cat.add_categories(["gone"])
    released = passed(table)["name"]
    assert released.dtype == "category"
    assert released.cat.categories.tolist() == sorted(names)
    assert sorted(released) == sorted(names)
    ranks = pd.Categorical(names, categories=names, ordered=True)
    kept = passed(table.assign(name=ranks.add_categories(["gone"])))["name"]
    assert kept.cat.categories.tolist() == names  # an order of their own is a meaning


@pytest.mark.parametrize(
    "cell", ["name", "[name]", "{'n': name, 'm': [name]}", """{'ENUM(''a'')': name, 'a "b': 1}"""]
)
def test_enums_of_duckdb_do_not_tell_the_order_of_the_input(cell):
    names = [f"{name}'s" for name in sorted_by_secret()]
    table = pd.DataFrame({"x": ["a", "b"] * 30, "name": pd.Categorical(names, categories=names)})
    made = duckdb.connect().from_df(table).project(f"x, {cell} AS name")
    assert "ENUM('p" in str(made.types[1])
    released = passed(made)
    assert "ENUM('p" not in str(released.types[1])
    assert sorted(map(str, released.project("name").fetchall())) == sorted(
        map(str, made.project("name").fetchall())
    )


def test_categories_of_dask_and_polars_do_not_tell_the_order_of_the_input():
    dd = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    names = sorted_by_secret()
    table = pd.DataFrame({"x": ["a", "b"] * 30, "name": pd.Categorical(names, categories=names)})
    released = passed(dd.from_pandas(table, npartitions=3))
    assert not isinstance(released["name"].dtype, pd.CategoricalDtype)
    assert not isinstance(released.compute()["name"].dtype, pd.CategoricalDtype)
    assert sorted(released.compute()["name"]) == sorted(names)
    frame = pl.DataFrame({"x": ["a", "b"] * 30, "name": pl.Series(names, dtype=pl.Categorical)})
    for shown in (passed(frame), passed(frame.lazy()).collect()):
        assert shown.schema["name"] == pl.String
        assert sorted(shown["name"]) == sorted(names)


def written_by_polars(table):
    written = io.BytesIO()
    table.write_ipc(written)
    return written.getvalue() + pickle.dumps(table)


SHAPES = {
    "text": (NAMED, pl.String, pa.string()),
    "view": (NAMED, pl.String, pa.string_view()),
    "dictionary": (NAMED, pl.Categorical, pa.dictionary(pa.int32(), pa.string())),
    "bytes": ([name.encode() for name in NAMED], pl.Binary, pa.binary_view()),
    "list": ([[name] for name in NAMED], pl.List(pl.String), pa.list_(pa.string())),
    "enum": (NAMED, pl.Enum(NAMED), pa.dictionary(pa.int32(), pa.string())),
    "array": (
        [[name] for name in NAMED],
        pl.Array(pl.Enum(NAMED), 1),
        pa.list_(pa.dictionary(pa.int32(), pa.string()), 1),
    ),
    "list of categories": (
        [[name] for name in NAMED],
        pl.List(pl.Categorical),
        pa.large_list(pa.dictionary(pa.int32(), pa.string())),
    ),
    "struct": (
        [{"n": [name]} for name in NAMED],
        pl.Struct({"n": pl.List(pl.String)}),
        pa.struct([("n", pa.list_(pa.dictionary(pa.int32(), pa.string())))]),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_lies_behind_a_frame_is_not_in_the_order_of_the_input(shape):
    """A dataframe may show rows in a new order and hold, and write, their texts in the old one."""
    dd = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    values, dtype, kind = SHAPES[shape]
    x = ["a", "b"] * 1000
    mapper = None if shape in ("view", "bytes") else pd.ArrowDtype  # pandas joins no views
    frame = pl.DataFrame({"x": x, "name": pl.Series(values, dtype=dtype)})
    arrow = pa.table({"x": x, "name": pa.array(values, type=kind)})
    for written in (
        written_by_polars(passed(frame)),
        written_by_polars(passed(frame.lazy()).collect()),
        written_by_arrow(passed(arrow)),
        pickle.dumps(passed(arrow.to_pandas())),
        pickle.dumps(passed(arrow.to_pandas(types_mapper=mapper))),
        pickle.dumps(passed(dd.from_pandas(arrow.to_pandas(), npartitions=2)).compute()),
    ):
        assert runs_of_the_input(written, NAMED) < 40  # mean 1 for each time they are written


def test_what_a_frame_says_about_itself_stays_behind():
    table = pd.DataFrame({"x": ["a", "b"] * 30, "name": sorted_by_secret()})
    table.attrs["source"] = "patients of ward 3"
    assert passed(table).attrs == {}
    arrow = pa.Table.from_pandas(table).replace_schema_metadata({"source": "ward 3"})
    assert passed(arrow).schema.metadata is None
