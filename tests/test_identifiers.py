"""Columns that look like identifiers."""

import pytest

from loglift.identifiers import is_identifier


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        *((name, True) for name in ("id", "person_id", "caseNo", "idPerson", "KEY", "HouseholdID")),
        *((name, False) for name in ("paid", "age", "income", "nose", "keyword", "", "zip_code")),
    ],
)
def test_names_of_identifiers_have_a_word_of_them_at_an_end(name, is_one):
    assert is_identifier(name, "integer", 100, 100) is is_one


@pytest.mark.parametrize(
    ("name", "kind", "distinct", "records", "is_one"),
    [
        ("name", "text", 100, 100, True),
        ("name", "text", 80, 100, False),
        ("name", "text", 49, 49, False),
        ("id", "integer", 95, 100, True),
        ("income", "integer", 100, 100, False),
        ("id", "float", 100, 100, False),
    ],
)
def test_nearly_every_record_has_a_value_of_its_own(name, kind, distinct, records, is_one):
    assert is_identifier(name, kind, distinct, records) is is_one
