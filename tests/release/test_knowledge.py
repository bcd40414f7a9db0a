"""Readers who know more, from tables: counted again record by record, and refused where they must.

The checks count the released table itself, beside the known columns and the other releases.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest

from loglift import (
    Bound,
    InputError,
    TableError,
    UnsafeError,
    audit,
    protect,
    verify,
    verify_together,
)


def people(seed=0, size=4000):
    """A table in which job, age and region tell something about the illness."""
    rng = np.random.default_rng(seed)
    region = rng.choice(["North", "South", "West"], size)
    job = rng.choice(list("abcdefgh"), size)
    age = rng.integers(20, 60, size)
    risk = 0.15 + 0.2 * (region == "North") + 0.25 * np.isin(job, ["a", "b"]) + (age - 20) / 200
    ill = np.where(rng.random(size) < risk, "yes", np.where(rng.random(size) < 0.1, "?", "no"))
    return pl.DataFrame({"region": region, "job": job, "age": age, "ill": ill})


def leakage(rows, reference=None):
    """The largest |log p(s|c)/r(s)| over contexts c of (c, s) pairs; r from (k, s) or all of them.

    `reference` gives for each row the key whose p(s|k) is compared with.
    """
    keys = [None] * len(rows) if reference is None else reference
    pairs = Counter(zip(rows, keys, strict=True))
    contexts = Counter((c, k) for ((c, _), k) in pairs.elements())
    before = Counter((k, s) for ((_, s), k) in pairs.elements())
    totals = Counter(k for (k, _) in before.elements())
    worst = 0.0
    for (c, k), size in contexts.items():
        for (key, s), prior in before.items():
            if key == k:
                cell = pairs[((c, s), k)]
                lift = (cell / size) / (prior / totals[k])
                worst = max(worst, abs(math.log(lift)) if lift else math.inf)
    return worst


def shown(release, names):
    """What each record shows, in the order of the table: released with its order kept."""
    cells = [release[name].to_list() for name in names]
    return list(zip(*cells, strict=True))


def released(table, **options):
    made = protect(table, sensitive="ill", keep_order=True, **options)
    names = [*options["public"]] if isinstance(options["public"], list) else [options["public"]]
    return made, shown(made.table, names)


@pytest.mark.parametrize("known", ["region", ["region"], ["region", "age"]])
def test_readers_who_know_columns_learn_no_more(known):
    table = people()
    columns = [known] if isinstance(known, str) else known
    bins = {"age": 20} if "age" in columns else None
    made, rows = released(table, public="job", eps=0.8, known=known, bins=bins)
    ill = table["ill"].to_list()
    assert leakage(list(zip(rows, ill, strict=True))) <= 0.8
    cells = [
        [value // 20 for value in table[name]] if name == "age" else table[name].to_list()
        for name in columns
    ]
    for chosen in range(1, 2 ** len(columns)):
        keys = list(zip(*(c for i, c in enumerate(cells) if chosen >> i & 1), strict=True))
        contexts = [(row, key) for row, key in zip(rows, keys, strict=True)]
        found = leakage(list(zip(contexts, ill, strict=True)), keys)
        assert found <= 0.8
    told = made.certificate.readers
    assert len(told) == 2 ** len(columns) - 1
    assert max(reader.leakage for reader in told) == pytest.approx(found, abs=1e-9) or len(told) > 1
    assert made.certificate.kept_without >= made.certificate.goal_share
    assert verify(made.mechanism, table).holds


@pytest.mark.parametrize("public_too", [True, False])
def test_a_known_column_may_be_public_or_not(public_too):
    table = people(1)
    public = ["job", "region"] if public_too else ["job"]
    made, rows = released(table, public=public, eps=0.7, known="region")
    keys, ill = table["region"].to_list(), table["ill"].to_list()
    contexts = list(zip(rows, keys, strict=True))
    assert leakage(list(zip(contexts, ill, strict=True)), keys) <= 0.7
    assert made.mechanism.known[0].name == "region"


def test_releases_of_two_column_sets_stay_within_the_bound_together():
    table = people(2)
    first, one = released(table, public="job", eps=0.4, min_count=300)
    second, two = released(table, public=["age", "region"], bins={"age": 10}, eps=0.9, given=first)
    third, three = released(table, public="region", eps=1.2, given=[first, second.mechanism])
    ill = table["ill"].to_list()
    assert leakage(list(zip(zip(one, two, strict=True), ill, strict=True))) <= 0.9
    assert leakage(list(zip(zip(one, two, three, strict=True), ill, strict=True))) <= 1.2
    assert second.mechanism.size > 1
    check = verify_together([first, second, third], table)
    assert check.promised == (False, False, True)  # only the third knows of all of them
    assert check.holds
    assert not check.together[0].holds  # the first promised less than all of them keep
    assert check.together[2].holds
    pair = verify_together([first, third], table)
    assert pair.promised == (False, True)
    assert verify_together([second, third], table).promised == (False, True)
    without = protect(table, sensitive="ill", public="region", eps=1.2)
    assert verify_together([first, without], table).promised == (True, True)
    assert check.together[2].leakage == pytest.approx(
        leakage(list(zip(zip(one, two, three, strict=True), ill, strict=True)))
    )


def test_what_earlier_releases_leak_alone_is_refused():
    table = people(3)
    first = protect(table, sensitive="ill", public="job", eps=1)
    with pytest.raises(UnsafeError, match="earlier release know before"):
        protect(table, sensitive="ill", public="age", bins={"age": 10}, eps=0.01, given=first)


def test_a_column_may_be_binned_otherwise_or_sensitive_now():
    table = people(4)
    first, one = released(table, public="age", bins={"age": 20}, eps=0.5, min_count=500)
    _, two = released(table, public="age", bins={"age": 8}, eps=0.9, given=first)
    ill = table["ill"].to_list()
    assert leakage(list(zip(zip(one, two, strict=True), ill, strict=True))) <= 0.9
    other = protect(table, sensitive="job", public="ill", eps=0.3, keep_order=True)
    both, three = released(table, public="region", eps=2, bound=None, given=other)
    assert both.certificate.holds
    whole = list(zip(three, other.table["ill"].to_list(), strict=True))
    assert leakage(list(zip(whole, ill, strict=True))) <= 2


def test_records_that_an_earlier_release_does_not_know_count_as_not_in_it():
    old, new = people(5), people(6)
    first = protect(old.filter(pl.col("job") != "h"), sensitive="ill", public="job", eps=0.5)
    made = protect(new, sensitive="ill", public="region", eps=1.5, given=first)
    assert made.certificate.absent == (new.filter(pl.col("job") == "h").height,)
    assert "not being in it" in " ".join(map(str, made.summary.statements))


def test_a_file_is_counted_like_a_frame(tmp_path):
    table = people(7, size=600)
    table.write_csv(tmp_path / "people.csv")
    first = protect(table, sensitive="ill", public="job", eps=0.8, min_count=100)
    options = {"sensitive": "ill", "public": "age", "bins": {"age": 20}, "eps": 1.5}
    usual = protect(table, **options, known="region", given=first)
    same = protect(tmp_path / "people.csv", **options, known="region", given=first)
    assert same.certificate.readers == usual.certificate.readers
    assert same.mechanism.labels.tolist() == usual.mechanism.labels.tolist()


def test_an_audit_says_what_readers_gain():
    table = people(8)
    found = audit(table, sensitive="ill", public="job", eps=0.5, known="region")
    reader = found.readers[0]
    keys, ill = table["region"].to_list(), table["ill"].to_list()
    contexts = list(zip(table["job"].to_list(), keys, strict=True))
    assert reader.leakage == pytest.approx(leakage(list(zip(contexts, ill, strict=True)), keys))
    assert {risk.knows["region"] for risk in reader.contexts_listed} == {"North", "South", "West"}
    assert sum(risk.records for risk in reader.contexts_listed) == table.height
    alone = leakage(list(zip(keys, ill, strict=True)))
    assert max(risk.before for risk in reader.contexts_listed) == pytest.approx(alone)
    assert reader.holds is (reader.leakage <= 0.5)


def test_what_cannot_be_known_is_refused():
    table = people(9, size=300)
    with pytest.raises(InputError, match="nothing left to learn"):
        protect(table, sensitive="ill", public="job", eps=1, known="ill")
    with pytest.raises(InputError, match="certified for the population"):
        protect(table, sensitive="ill", public="job", eps=1, known="region", confidence=0.95)
    many = table.with_columns(pl.lit(i).alias(f"c{i}") for i in range(7))
    with pytest.raises(InputError, match="too many"):
        protect(many, sensitive="ill", public="job", eps=1, known=[f"c{i}" for i in range(7)])


def test_bounds_of_single_values_hold_for_all_readers():
    table = people(10)
    bound = Bound.symmetric(1.5).with_values({"?": None, "yes": 0.4})
    made, rows = released(table, public="job", bound=bound, known="region")
    ill, keys = table["ill"].to_list(), table["region"].to_list()
    pairs = Counter(zip(rows, keys, ill, strict=True))
    sizes = Counter(zip(rows, keys, strict=True))
    before, totals = Counter(zip(keys, ill, strict=True)), Counter(keys)
    for (row, key), size in sizes.items():
        for s, limit in (("yes", 0.4), ("no", 1.5)):
            lift = (pairs[row, key, s] / size) / (before[key, s] / totals[key])
            assert abs(math.log(lift)) <= limit
    assert made.certificate.holds


def test_an_earlier_release_of_values_written_otherwise_is_refused(tmp_path):
    table = people(11, size=600)
    first = protect(table, sensitive="ill", public="age", bins=None, eps=0.5)
    texts = table.with_columns(pl.col("age").cast(pl.String))
    with pytest.raises(TableError, match="age"):
        protect(texts, sensitive="ill", public="job", eps=1, given=first)
    other = table.with_columns(pl.col("age") + 1000)
    with pytest.raises(TableError, match="knows none of the values"):
        protect(other, sensitive="ill", public="job", eps=1, given=first)
    other.write_csv(tmp_path / "other.csv")
    with pytest.raises(TableError, match="knows none of the values"):
        audit(tmp_path / "other.csv", sensitive="ill", public="job", eps=1, given=first)


def test_releases_are_checked_together_for_readers_who_know():
    table = people(12)
    first, one = released(table, public="job", eps=0.9, known="region")
    second, two = released(table, public="age", bins={"age": 5}, eps=0.9, known="region")
    keys, ill = table["region"].to_list(), table["ill"].to_list()
    contexts = list(zip(one, two, keys, strict=True))
    worst = leakage(list(zip(contexts, ill, strict=True)), keys)
    assert worst > 0.9
    check = verify_together([first, second], table)
    assert not check.holds
    assert max(told.leakage for told in check.together) <= worst + 1e-9
    plain = leakage(list(zip(zip(one, two, strict=True), ill, strict=True)))
    assert any(not told.holds for told in check.together) or plain > 0.9


def test_a_known_column_in_bins_is_named_with_them():
    table = people(13, size=800)
    made = protect(
        table, sensitive="ill", public=["age", "job"], bins={"age": 20}, eps=1, known="age"
    )
    assert made.certificate.readers[0].readers == "readers who know age in steps of 20"


def test_options_that_cannot_go_together_are_refused():
    table = people(14, size=400)
    first = protect(table, sensitive="ill", public="job", eps=1)
    for options in ({"eps": 1, "update": first}, {"min_information": 0.5}):
        with pytest.raises(InputError, match="leave coarser_than"):
            protect(table, sensitive="ill", public="job", coarser_than=first, **options)
