"""Records made of counts: those of the table, or a sample of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd

import loglift
from evaluated_people import PUBLIC, people
from loglift.mechanism.columns import PublicColumn
from loglift.release import counted_records
from loglift.tables import open_table


def test_a_large_table_is_evaluated_on_a_sample(monkeypatch):
    table = people()
    release = loglift.protect(table, sensitive="ill", public=PUBLIC, eps=0.5)
    monkeypatch.setattr(counted_records, "MAX_RECORDS", 500)
    found = loglift.evaluate(table, release)
    assert (found.records, found.evaluated) == (1500, 500)
    assert found.attacks[0].counting.outside.released == 0
    monkeypatch.setattr(counted_records, "MAX_WITHOUT_REPLACEMENT", 1000)
    assert loglift.evaluate(table, release).evaluated == 500


def test_records_have_the_values_of_the_table():
    table = people()
    mechanism = loglift.protect(table, sensitive="ill", public=PUBLIC, eps=0.5).mechanism
    random = np.random.default_rng(0)
    found = counted_records.counted_records(
        open_table(table), mechanism, ("job",), [PublicColumn("town", "text")], [], random
    )
    ill = [event["ill"] for event in map(found.joint.event, found.s.tolist())]
    columns = [*found.records.public, *found.records.others, *found.known]
    assert [column.name for column in columns] == ["age", "town", "job", "town"]
    shown = [[column.values[code] for code in column.codes.tolist()] for column in columns]  # noqa: PD011
    ages = [None if pd.isna(age) else int(age) for age in table["age"]]
    assert Counter(zip(*shown, ill, strict=True)) == Counter(
        zip(ages, table["town"], table["job"], table["town"], table["ill"], strict=True)
    )
    values = [mechanism.tuples[x] for x in found.records.x.tolist()]
    assert values == list(zip(*shown[:2], strict=True))
