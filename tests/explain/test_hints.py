"""Hints are true: whoever does what a hint says gets at least its figures, safely."""

from __future__ import annotations

import json
import math
from collections import Counter
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

import naive
from loglift import Joint, explain, merge
from loglift.explain import again
from loglift.explain.again import problem_of, solve_again
from loglift.explain.hints import BRIEF_STEPS, MAX_HINTS, MAX_STEPS, MIN_GAIN, hints_of
from loglift.explain.trials import kept_intact, left_out
from loglift.utility.target import Target
from loglift.utility.utility import Utility

COLUMNS = Utility.columns()


def small(seed, widths=(6, 2)):
    """A table whose columns say something about s: few values, so that solvers look at all."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(60, 300))
    columns = {
        name: rng.integers(0, width, size) for name, width in zip("abc", widths, strict=False)
    }
    risk = 0.2 + 0.5 * (columns["a"] > 3) * rng.random() + 0.2 * columns["b"] * (rng.random() < 0.5)
    table = pd.DataFrame({**columns, "s": rng.random(size) < risk})
    return table.astype({"b": str})


def medium(seed):
    """A table with about a hundred public values, which solvers search."""
    rng = np.random.default_rng(seed)
    size = 2000
    age, job, town = rng.integers(20, 36, size), rng.integers(0, 4, size), rng.integers(0, 2, size)
    risk = 0.15 + 0.3 * (age > 28) + 0.1 * job * (town > 0)
    table = pd.DataFrame({"a": age, "b": job, "c": town, "s": rng.random(size) < risk})
    return table.astype({"b": str, "c": str})


def public_of(table):
    return [name for name in table.columns if name != "s"]


def counted(table):
    return Joint.from_table(table, sensitive="s", public=public_of(table))


def released(table, mechanism):
    """The block number of each record."""
    rows = list(table[public_of(table)].itertuples(index=False, name=None))
    return mechanism.rows_of(rows if len(public_of(table)) > 1 else [(row[0],) for row in rows])


def blocks_of(table, joint, partition):
    """The block number of each record, from that of each public value."""
    row_of = {value: row for row, value in enumerate(joint.tuples)}
    records = table[public_of(table)].itertuples(index=False, name=None)
    return pd.Series(partition[[row_of[record] for record in records]], index=table.index)


def share(values, blocks):
    """I(U;Y)/H(U) over records."""
    return naive.information(pd.crosstab(values, blocks).to_numpy()) / naive.information(
        pd.crosstab(values, values).to_numpy()
    )


def in_bands(values, hint):
    """The number of the band of each value, from the ends that a hint names."""
    return sum((values >= first).astype(int) for first, _ in hint.bands[1:])


def done(table, hint, eps, utility=COLUMNS):
    """Do what a hint says, and return the block number of each record and whether it is safe."""
    changed, intact = table, None
    if hint.kind == "leave out":
        changed = table.drop(columns=hint.column)
    if hint.kind == "bands":
        changed = table.assign(**{hint.column: in_bands(table[hint.column], hint)})
    joint = counted(changed)
    if hint.kind == "intact":
        place = joint.column_names.index(hint.column)
        intact = [value[place] for value in joint.tuples]
    mechanism = merge(joint, eps, utility=utility, intact=intact)
    return released(changed, mechanism), mechanism.safe


def figures(table, hint, blocks):
    """What is kept of the column (or its bands), and of the others on average."""
    values = table[hint.column]
    others = [share(table[name], blocks) for name in public_of(table) if name != hint.column]
    own = share(in_bands(values, hint) if hint.bands else values, blocks)
    return own, float(np.mean(others))


def test_whoever_does_what_a_hint_says_gets_its_figures():
    """Both sides look at all partitions, so the figures are the same."""
    kinds = Counter()
    for seed in range(21):
        table, eps = small(seed), [0.1, 0.3, 0.6][seed % 3]
        joint = counted(table)
        found = merge(joint, eps, utility=COLUMNS)
        for hint in explain(joint, found).hints:
            kinds[hint.kind] += 1
            before = figures(table, hint, released(table, found))
            assert (hint.before, hint.others_before) == pytest.approx(before)
            blocks, safe = done(table, hint, eps)
            assert safe
            assert (hint.kept, hint.others_after) == pytest.approx(figures(table, hint, blocks))
    assert kinds["leave out"] > 5
    assert kinds["bands"] > 1


def test_the_figures_are_those_of_a_safe_partition():
    """Where solvers search, the partition behind a hint is found again, and checked slowly."""
    kinds, change = Counter(), {"leave out": left_out, "intact": kept_intact}
    for seed, eps in ((0, 0.3), (0, 0.5), (2, 0.5)):
        table = medium(seed)
        joint = counted(table)
        found = merge(joint, eps, utility=COLUMNS, iterations=2000)
        best = solve_again(problem_of(joint, found), found.partition, found)
        for hint in hints_of(joint, found, best):
            kinds[hint.kind] += 1
            column = joint.columns[joint.column_names.index(hint.column)]
            start = change[hint.kind](joint, found, column, best)
            trial = start.solved(BRIEF_STEPS).solved(MAX_STEPS)
            assert naive.safe_blocks(joint.mass, trial.partition, eps, eps).all()
            blocks = blocks_of(table, joint, trial.partition)
            assert (hint.kept, hint.others_after) == pytest.approx(figures(table, hint, blocks))
            rest = [name for name in public_of(table) if name != hint.column]
            if hint.kind == "intact":  # a block has one value of the column
                assert table.groupby(blocks)[hint.column].nunique().eq(1).all()
            else:  # the block depends on the other columns only
                assert blocks.groupby([table[name] for name in rest]).nunique().eq(1).all()
    assert set(kinds) == {"leave out", "intact"}


@pytest.mark.parametrize("seed", range(6))
def test_hints_are_few_help_and_cost_the_others_less_than_a_point(seed):
    table = small(seed, (6, 2, 2))
    joint = counted(table)
    hints = explain(joint, merge(joint, 0.2, utility=COLUMNS)).hints
    assert len(hints) <= MAX_HINTS
    assert len({(hint.kind, hint.column) for hint in hints}) == len(hints)
    for hint in hints:
        own = -math.inf if hint.kind == "leave out" else hint.kept - hint.before
        others = hint.others_after - hint.others_before
        assert max(own, others) >= MIN_GAIN
        assert others > -MIN_GAIN
        assert hint.kind == "leave out" or own > -MIN_GAIN


# Both values of b are balanced, and so is every value of a, but in opposite ways: a release keeps a
# or b. Two records of s for each cell of a and b.
CROSSED = {(a, b): (9, 1) if (a % 2 == 0) == (b == "x") else (1, 9) for a in range(8) for b in "xy"}


def crossed(day=lambda number: number):
    rows = [
        (day(a), b, s)
        for (a, b), counts in CROSSED.items()
        for s in (0, 1)
        for _ in range(counts[s])
    ]
    return pd.DataFrame(rows, columns=["a", "b", "s"])


def test_leaving_out_and_banding_free_the_other_column():
    """With a eight times as important as b, a is kept and b is lost; in bands of two both stay."""
    utility = Utility.columns({"a": 8.0})
    table = crossed()
    joint = counted(table)
    found = merge(joint, 0.1, utility=utility)
    banded, dropped = explain(joint, found).hints
    assert (banded.column, banded.kind) == ("a", "bands")
    assert banded.bands == ((0, 1), (2, 3), (4, 5), (6, 7))
    assert banded.change == (
        "replace a in the table by 4 bands with about as many records each "
        "(about --bin a=quantiles:4)"
    )
    assert (dropped.column, dropped.kind) == ("a", "leave out")
    assert dropped.change == "leave out a (-p without it)"
    assert dropped.kept == pytest.approx(0)
    assert banded.kept == pytest.approx(1)
    for hint in (banded, dropped):
        assert hint.before == pytest.approx(1)
        assert (hint.others_before, hint.others_after) == pytest.approx((0, 1))


def test_bands_of_dates_are_told_by_their_ends():
    days = [date(2024, 1, 1) + timedelta(days=number) for number in range(8)]
    joint = counted(crossed(lambda number: days[number]))
    why = explain(joint, merge(joint, 0.1, utility=Utility.columns({"a": 8.0})))
    assert why.hints[0].bands[0] == (days[0], days[1])
    document = json.loads(json.dumps(why.as_dict(), allow_nan=False))
    assert document["hints"][0]["bands"][0] == [{"date": "2024-01-01"}, {"date": "2024-01-02"}]


def test_other_releases_have_no_hints(monkeypatch):
    table = small(1)
    joint = counted(table)
    found = merge(joint, 0.3, utility=COLUMNS)
    assert explain(joint, found).hints
    assert explain(joint, merge(joint, 0.3)).hints == ()
    assert explain(joint, merge(joint, 0.3, "ordered", utility=COLUMNS)).hints == ()
    one = counted(table[["a", "s"]])
    assert explain(one, merge(one, 0.3, utility=COLUMNS)).hints == ()
    targets = Utility.of([Target.column("a")])
    assert explain(joint, merge(joint, 0.3, utility=targets)).hints == ()
    monkeypatch.setattr(again, "MAX_GAINS", 5)
    assert explain(joint, found).hints == ()


def test_a_column_that_is_needed_stays():
    """What a purpose names is neither left out nor banded."""
    cases = Counter()
    for seed in range(10):
        joint = counted(small(seed))
        named = Utility.columns(targets=[Target.column("a", 3.0)])
        for utility in (COLUMNS, named):
            hints = explain(joint, merge(joint, 0.3, utility=utility)).hints
            cases[utility is named] += sum(
                hint.column == "a" and hint.kind != "intact" for hint in hints
            )
    assert cases[False] > 3
    assert cases[True] == 0


def test_a_hint_does_not_cost_a_purpose():
    """Only b says something about the purpose, so that b is never left out."""
    cases = Counter()
    for seed in range(12):
        table = small(seed)
        joint = counted(table)
        purpose = np.array(
            [[0.9, 0.1] if value[1] == "0" else [0.1, 0.9] for value in joint.public]
        )
        wanted = Utility.columns(targets=[Target.given("u", purpose)])
        for utility in (COLUMNS, wanted):
            hints = explain(joint, merge(joint, 0.6, utility=utility)).hints
            cases[utility is wanted] += sum(hint.column == "b" for hint in hints)
    assert cases[False] > 0
    assert cases[True] == 0


def test_a_column_without_weight_counts_for_nothing():
    joint = counted(small(1))
    utility = Utility.columns({"b": 0.0})
    for hint in explain(joint, merge(joint, 0.3, utility=utility)).hints:
        assert hint.column == "b"  # beside a there is no column that counts
    constant = counted(small(1).assign(b="x"))
    assert explain(constant, merge(constant, 0.3, utility=COLUMNS)).hints == ()
