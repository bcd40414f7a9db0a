"""The hash of counts: the same for the same counts, another for any other."""

from __future__ import annotations

import pandas as pd
import pytest

import loglift
from loglift.certify.digest import hash_counts

TABLE = pd.DataFrame({"town": list("aabbc"), "ill": list("xyxyx")})


def counted(table):
    return loglift.Joint.from_table(table, sensitive="ill", public="town")


def test_the_order_of_records_does_not_count():
    assert hash_counts(counted(TABLE)) == hash_counts(counted(TABLE[::-1]))


@pytest.mark.parametrize("column", ["town", "ill"])
def test_any_other_value_gives_another_hash(column):
    values = TABLE[column].tolist()
    others = [*values[:-1], "b" if column == "town" else "y"]
    assert hash_counts(counted(TABLE.assign(**{column: others}))) != hash_counts(counted(TABLE))


def test_the_type_of_a_value_counts():
    numbers = TABLE.assign(town=[1, 1, 2, 2, 3])
    assert hash_counts(counted(numbers)) != hash_counts(
        counted(numbers.assign(town=numbers["town"].astype(str)))
    )
