"""Drawing: uniform numbers, exact intervals, and the same law from every engine."""

import json
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

from loglift.promise.integers import DENOMINATOR
from loglift.tables import Noise, apply
from loglift.tables.noise import Drawing, Exchange, Lots
from tables.makers import mechanism_of

THIRD = DENOMINATOR // 3
ROWS = [
    ((0, DENOMINATOR),),
    ((0, THIRD), (2, DENOMINATOR - THIRD)),
    ((0, DENOMINATOR // 4), (1, DENOMINATOR // 2), (2, DENOMINATOR // 4)),
]
LOOKUP = {("a",): 0, (None,): 1, ("c",): 2}
NAMES = ["x", "who", "other"]
KINDS = [str, int, str]
SHOWN = ["A", None, "C"]
RELEASED = {"x": ("text", SHOWN), "block": ("integer", [1, 2, 3])}
MECHANISM = mechanism_of("x", LOOKUP, RELEASED, rows=ROWS)


def rows(size):
    return [(("a", None, "c")[i % 3], i // 30, f"row{i}") for i in range(size)]


def drawn(maker, folder, size=3000, **options):
    table = maker.make(NAMES, KINDS, rows(size), folder)
    noise = Noise.of(options.pop("seed", 3))
    return maker.back(apply(table, MECHANISM, noise=noise, **options))


def p_value(pairs):
    """Chi-squared of (x, block) pairs against ROWS."""
    found, sizes = Counter(pairs), Counter(x for x, _ in pairs)
    statistic, cells = 0.0, 0
    for (x,), row in LOOKUP.items():
        for y, numerator in ROWS[row]:
            expected = sizes[x] * numerator / DENOMINATOR
            statistic += (found[x, y + 1] - expected) ** 2 / expected
            cells += found[x, y + 1]
    assert cells == len(pairs)
    return chi2.sf(statistic, sum(len(row) - 1 for row in ROWS))


def test_every_engine_draws_what_the_channel_says(maker, tmp_path):
    got = drawn(maker, tmp_path, passthrough=["other"], keep_order=True)
    assert [other for *_, other in got] == [other for *_, other in rows(3000)]
    assert all(SHOWN[block - 1] == x for x, block, _ in got)
    pairs = [(x, block) for (x, *_), (_, block, _) in zip(rows(3000), got, strict=True)]
    assert p_value(pairs) > 1e-4


def test_every_engine_draws_shuffled_too(maker, tmp_path):
    got = drawn(maker, tmp_path)
    sizes = Counter(block for _, block in got)
    assert len(got) == 3000
    for block, share in ((1, 1 + 1 / 3 + 1 / 4), (2, 1 / 2), (3, 2 / 3 + 1 / 4)):
        assert sizes[block] == pytest.approx(1000 * share, abs=150)


def test_every_engine_gives_the_same_key_the_same_draw(maker, tmp_path):
    got = drawn(maker, tmp_path, key="who", passthrough=["who"], keep_order=True)
    answers = {}
    for (x, who, _), (_, block, passed) in zip(rows(3000), got, strict=True):
        assert str(passed) == str(who)  # a passthrough column of a CSV is text
        assert answers.setdefault((x, who), block) == block
    assert p_value([(x, block) for (x, _), block in answers.items()]) > 1e-4


def test_every_engine_draws_anew_with_other_noise(maker, tmp_path):
    first = drawn(maker, tmp_path, size=300, seed=1, keep_order=True)
    assert first == drawn(maker, tmp_path, size=300, seed=1, keep_order=True)
    assert first != drawn(maker, tmp_path, size=300, seed=2, keep_order=True)


def test_a_lazy_result_looked_at_twice_is_the_same(maker, tmp_path):
    table = maker.make(NAMES, KINDS, rows(300), tmp_path)
    result = apply(table, MECHANISM)
    assert Counter(maker.back(result)) == Counter(maker.back(result))


def test_numbers_are_uniform_below_two_to_the_52():
    numbers = Noise.of(1).numbers(200_000)
    counts = np.bincount(numbers >> 44, minlength=256)
    assert counts.size == 256
    assert chi2.sf(((counts - 781.25) ** 2 / 781.25).sum(), 255) > 1e-4
    low = np.bincount(numbers & 255, minlength=256)
    assert chi2.sf(((low - 781.25) ** 2 / 781.25).sum(), 255) > 1e-4
    assert not np.array_equal(numbers, Noise.of(1).numbers(200_000, part=1))


def test_intervals_are_those_of_the_numerators():
    lots = Lots.of(ROWS)
    edges = [0, THIRD - 1, THIRD, DENOMINATOR - 1]
    assert lots.drawn(np.full(4, 1), np.array(edges)).tolist() == [0, 0, 2, 2]
    quarter = DENOMINATOR // 4
    edges = [quarter - 1, quarter, 3 * quarter - 1, 3 * quarter]
    assert lots.drawn(np.full(4, 2), np.array(edges)).tolist() == [0, 1, 1, 2]
    assert (lots.high - lots.low).tolist() == [n for row in ROWS for _, n in row]


def test_totals_are_those_of_drawing_every_record():
    drawing = Drawing(Lots.of(ROWS), np.arange(3), Noise.of(4))
    records = np.array([1000, 0, 2000])
    each = drawing.lots.drawn(np.repeat(np.arange(3), records), drawing.noise.numbers(3000))
    assert drawing.totals(records, 3).tolist() == np.bincount(each, minlength=3).tolist()


def an_exchange(seed=0):
    """An exchange in three blocks, and the public value of each record in a random order."""
    blocks, records = np.array([0, 1, 0, 2, 1, 0]), np.array([5, 30, 1, 9, 40, 25])
    places = np.random.default_rng(seed).permutation(np.repeat(np.arange(6), records))
    return blocks, places, Exchange.of(blocks, records, Noise.of(seed))


@pytest.mark.parametrize("seed", range(20))
def test_an_exchange_permutes_the_values_of_each_block(seed):
    blocks, places, exchange = an_exchange(seed)
    shown = exchange.drawn(places, exchange.noise.numbers(places.size))
    assert Counter(shown.tolist()) == Counter(places.tolist())
    assert blocks[shown].tolist() == blocks[places].tolist()
    assert shown.tolist() != places.tolist()


@pytest.mark.parametrize("block", [0, 1])
def test_every_record_of_a_block_shows_each_value_equally_often(block):
    """Over many draws, what a record shows does not depend on its own value: chi-squared."""
    blocks, places, _ = an_exchange()
    records, draws = np.bincount(places), 1000
    here = np.flatnonzero(blocks[places] == block)
    found = np.zeros((here.size, 6))
    for seed in range(draws):
        exchange = Exchange.of(blocks, records, Noise.of(seed))
        shown = exchange.drawn(places, exchange.noise.numbers(places.size))
        found[np.arange(here.size), shown[here]] += 1
    members = np.flatnonzero(blocks == block)
    expected = draws * records[members] / here.size
    statistic = ((found[:, members] - expected) ** 2 / expected).sum()
    assert chi2.sf(statistic, (here.size - 1) * (members.size - 1)) > 1e-4


def test_records_beyond_the_counted_ones_stay_in_their_block():
    blocks, places, exchange = an_exchange()
    more = np.append(places, np.repeat(np.arange(6), 20))
    shown = exchange.drawn(more, exchange.noise.numbers(more.size))
    assert blocks[shown].tolist() == blocks[more].tolist()


def test_spark_plans_do_not_show_the_secret(capsys):
    from tables.makers import spark  # noqa: PLC0415, needs Java

    noise = Noise.of(None)
    table = spark(NAMES, KINDS, rows(30))
    result = apply(table, MECHANISM, noise=noise)
    result.explain(True)
    assert noise.text() not in capsys.readouterr().out


def test_duckdb_statements_do_not_show_the_secret():
    from tables.makers import relation  # noqa: PLC0415

    noise = Noise.of(None)
    table = relation(NAMES, KINDS, rows(30))
    result = apply(table, MECHANISM, noise=noise)
    assert noise.text() not in json.dumps([result.explain(), str(result), result.sql_query()])
