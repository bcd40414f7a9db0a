"""A check says what was checked, and what was not."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import pytest

import loglift
from certificates import CERTIFICATE, VALUE
from loglift.promise.bound import Bound
from loglift.report.sentences.check import check_statements, mechanism_statement


def test_a_check_says_what_was_checked_and_what_was_not():
    [good, rest] = check_statements(replace(CERTIFICATE, min_count=1, beside=("age",)))
    assert good.headline == "Holds: belief in any value moves at most 2.72-fold either way."
    assert good.text.endswith(
        "checked exactly on 20 records; leakage 0.300 nats. Each has at least 1 record."
    )
    assert str(rest).startswith("Not covered. age (the other column of the table). What it adds")
    [_, several] = check_statements(replace(CERTIFICATE, beside=("age", "job")))
    assert str(several).startswith(
        "Not covered. age, job (the other columns of the table). What they"
    )
    unsafe = replace(VALUE, safe=False)
    [bad] = check_statements(replace(CERTIFICATE, values=(unsafe, VALUE)))
    assert bad.text.startswith(
        "1 of 2 released values of town moves belief about ill beyond eps 1,"
    )
    [bad] = check_statements(replace(CERTIFICATE, values=(unsafe, unsafe), min_count=5))
    assert "2 of 2 released values of town move belief" in bad.text
    assert "or have fewer than 5 records, checked" in bad.text


@pytest.mark.parametrize(("records", "words"), [(1, "1 record has a value"), (2, "records have")])
def test_unseen_values_are_told(records, words):
    found = replace(CERTIFICATE, unseen="suppress", unseen_records=records)
    [_, unseen] = check_statements(found)
    assert words in unseen.text
    assert "'apply --unseen suppress'" in unseen.text


def test_a_mechanism_says_what_it_does():
    table = pd.DataFrame({"town": [0, 0, 1, 1] * 9, "ill": [0, 1] * 18, "sex": [0, 1, 1] * 12})
    bound = Bound(math.inf, 1)
    made = loglift.protect(table, sensitive=["ill", "sex"], public="town", bound=bound)
    assert str(mechanism_statement(made.mechanism)) == (
        "Bounded: belief in any value rises at most 2.72-fold. 2 values of town are released as "
        "2, and every released value is within upper 1 for ill, sex."
    )
