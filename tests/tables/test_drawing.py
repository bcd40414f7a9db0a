"""Drawing: uniform numbers, exact intervals, and the same law from every engine."""

import json
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

from loglift.mechanism.channel import DENOMINATOR
from loglift.tables import Drawing, Noise, Output, apply
from loglift.tables.drawing import Lots

THIRD = DENOMINATOR // 3
ROWS = [
    ((0, DENOMINATOR),),
    ((0, THIRD), (2, DENOMINATOR - THIRD)),
    ((0, DENOMINATOR // 4), (1, DENOMINATOR // 2), (2, DENOMINATOR // 4)),
]
LOOKUP = {("a",): 0, (None,): 1, ("c",): 2}
NAMES = ["x", "who", "kept"]
KINDS = [str, int, str]
OUTPUTS = [Output("x", ["A", None, "C"], "text"), Output("group", [1, 2, 3], "integer")]


def rows(size):
    return [(("a", None, "c")[i % 3], i // 30, f"row{i}") for i in range(size)]


def drawn(maker, folder, size=3000, **options):
    table = maker.make(NAMES, KINDS, rows(size), folder)
    key = options.pop("key", None)
    drawing = Drawing(ROWS, Noise.of(options.pop("seed", 3)), key)
    types = ["text"]
    result = apply(table, "x", LOOKUP, OUTPUTS, types=types, drawing=drawing, **options)
    return maker.back(result)


def p_value(pairs):
    """Chi-squared of (x, group) pairs against ROWS."""
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
    got = drawn(maker, tmp_path, keep=["kept"], keep_order=True)
    assert [kept for *_, kept in got] == [kept for *_, kept in rows(3000)]
    assert all(OUTPUTS[0].values[group - 1] == x for x, group, _ in got)
    pairs = [(x, group) for (x, *_), (_, group, _) in zip(rows(3000), got, strict=True)]
    assert p_value(pairs) > 1e-4


def test_every_engine_draws_shuffled_too(maker, tmp_path):
    got = drawn(maker, tmp_path)
    sizes = Counter(group for _, group in got)
    assert len(got) == 3000
    for group, share in ((1, 1 + 1 / 3 + 1 / 4), (2, 1 / 2), (3, 2 / 3 + 1 / 4)):
        assert sizes[group] == pytest.approx(1000 * share, abs=150)


def test_every_engine_gives_the_same_key_the_same_draw(maker, tmp_path):
    got = drawn(maker, tmp_path, key="who", keep=["who"], keep_order=True)
    answers = {}
    for (x, who, _), (_, group, kept) in zip(rows(3000), got, strict=True):
        assert str(kept) == str(who)  # a kept column of a CSV is text
        assert answers.setdefault((x, who), group) == group
    assert p_value([(x, group) for (x, _), group in answers.items()]) > 1e-4


def test_every_engine_draws_anew_with_other_noise(maker, tmp_path):
    first = drawn(maker, tmp_path, size=300, seed=1, keep_order=True)
    assert first == drawn(maker, tmp_path, size=300, seed=1, keep_order=True)
    assert first != drawn(maker, tmp_path, size=300, seed=2, keep_order=True)


def test_a_lazy_result_looked_at_twice_is_the_same(maker, tmp_path):
    table = maker.make(NAMES, KINDS, rows(300), tmp_path)
    drawing = Drawing(ROWS, Noise.of(None))
    result = apply(table, "x", LOOKUP, OUTPUTS, types=["text"], drawing=drawing)
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
    drawing = Drawing(ROWS, Noise.of(4))
    records = np.array([1000, 0, 2000])
    each = drawing.lots.drawn(np.repeat(np.arange(3), records), drawing.noise.numbers(3000))
    assert drawing.totals(records, 3).tolist() == np.bincount(each, minlength=3).tolist()


def test_spark_plans_do_not_show_the_secret(capsys):
    from tables.makers import spark  # noqa: PLC0415, needs Java

    noise = Noise.of(None)
    table = spark(NAMES, KINDS, rows(30))
    result = apply(table, "x", LOOKUP, OUTPUTS, types=["text"], drawing=Drawing(ROWS, noise))
    result.explain(True)
    assert noise.text() not in capsys.readouterr().out


def test_duckdb_statements_do_not_show_the_secret():
    from tables.makers import relation  # noqa: PLC0415

    noise = Noise.of(None)
    table = relation(NAMES, KINDS, rows(30))
    result = apply(table, "x", LOOKUP, OUTPUTS, types=["text"], drawing=Drawing(ROWS, noise))
    shown = json.dumps([result.explain(), str(result), result.sql_query()])
    assert noise.text() not in shown
    assert noise.text().encode().hex() not in shown  # as literals are written
