"""Guessing what columns are: names in several languages, counts, and what the user says."""

from __future__ import annotations

from decimal import Decimal

import pytest

from loglift.errors import TableError
from loglift.release.guess import (
    IDENTIFYING,
    SENSITIVE,
    guesses,
    words_of,
)
from loglift.tables.overview import Overview


def column(name, values, kind="text", nulls=0, **options):
    """Return a column, from its values (one record each) or the records of each value."""
    counts = values if isinstance(values, dict) else dict.fromkeys(values, 10)
    records = sum(counts.values()) + nulls
    return Overview(name, kind, records, nulls, len(counts), counts, **options)


def role(name, values="abc", kind="text", **options):
    [found] = guesses([column(name, values, kind, **options)])
    return found.role


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("netIncome_2020", ["net", "income", "2020"]),
        ("Straße", ["strasse"]),
        ("Prénom du père", ["prenom", "du", "pere"]),
        ("ICD10", ["icd", "10"]),
        ("收入", ["收入"]),
    ],
)
def test_names_are_read_word_by_word(name, words):
    assert words_of(name) == words


@pytest.mark.parametrize(
    "name",
    ["diagnosis", "Net_Income", "monthlySalary", "Religion", "Krankheit", "revenu_mensuel",
     "salario", "DIAGNÓSTICO", "hiv", "ethnicity", "Einkommen 2020", "maladie", "inkomen"],
)  # fmt: skip
def test_names_of_what_is_sensitive(name):
    assert role(name) == "sensitive"


@pytest.mark.parametrize(
    "name",
    ["email", "e-mail", "Phone", "SSN", "last_name", "Vorname", "Nom", "name", "first name",
     "Adresse", "IBAN", "passport_no", "firstName"],
)  # fmt: skip
def test_names_of_what_identifies_people(name):
    assert role(name) == "left out"


@pytest.mark.parametrize(
    "name", ["age", "town", "skill", "playground", "country name", "occupation", "sex", "bill", "x"]
)
def test_other_names_are_public(name):
    assert role(name) == "public"


def test_the_words_do_not_contradict_each_other():
    assert frozenset() == SENSITIVE & IDENTIFYING
    assert all(words_of(word) == [word] for word in SENSITIVE | IDENTIFYING)


def test_what_the_user_says_wins_and_what_looks_sensitive_is_not_made_public():
    columns = [column(name, "abc") for name in ("town", "income", "diagnosis", "email", "job")]
    said = {g.name: (g.role, g.why) for g in guesses(columns, sensitive=["town"])}
    assert said["town"] == ("sensitive", "you named it")
    assert said["income"][0] == said["diagnosis"][0] == "left out"
    assert "you named others as sensitive" in said["income"][1]
    assert said["job"][0] == "public"
    both = {g.name: g.role for g in guesses(columns, sensitive=["town"], public=["email"])}
    assert both == {
        "town": "sensitive",
        "income": "left out",
        "diagnosis": "left out",
        "email": "public",
        "job": "left out",
    }
    with pytest.raises(TableError, match="it can only be one"):
        guesses(columns, sensitive=["town"], public=["town"])


def test_nearly_unique_texts_and_integers_are_identifiers_and_numbers_are_not():
    texts, numbers = {f"x{i}": 1 for i in range(100)}, dict.fromkeys(range(100), 1)
    assert role("code", texts) == "left out"
    assert role("population", numbers, "integer") == "left out"
    assert role("height", {i / 7: 1 for i in range(100)}, "float") == "public"
    assert role("code", {f"x{i}": 1 for i in range(5)}) == "public"  # a table of five records


def test_a_code_named_id_is_not_an_identifier():
    assert role("region_id", dict.fromkeys(range(12), 100), "integer") == "public"
    assert role("household_id", dict.fromkeys(range(300), 4), "integer") == "left out"


def test_constants_free_text_and_faults_are_left_out():
    assert role("one", ["a"]) == "left out"
    sentences = {f"a rather long sentence about one of them, number {i}": 9 for i in range(9)}
    assert role("notes", sentences) == "left out"
    assert role("day", range(100), "date") == "public"
    assert role("list", [], fault="nested") == "left out"


def test_weights_are_recognised():
    many = {i / 10: 5 for i in range(1, 60)}
    for name in ("pw", "weight", "wgt", "fnlwgt", "Gewicht", "poids"):
        [found] = guesses([column(name, many, "float")])
        assert (found.role, found.weighs) == ("left out", True)
    assert role("weight", {-1.5: 5, **many}, "float") == "public"
    [plain] = guesses([column("height", many, "float")])
    assert not plain.weighs


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([*range(20, 60), -9], (-9,)),
        ([*range(20, 60), -99, -98], (-99, -98)),
        ([*range(20, 60), 999], (999,)),
        ([*range(20, 60), -9, 99], (-9, 99)),
        (range(100), ()),
        (range(-20, 20), ()),
        ([*range(20, 99), 99], ()),
    ],
)
def test_codes_for_missing_values_stand_apart(values, codes):
    [found] = guesses([column("age", values, "integer")])
    assert (found.codes, found.has_codes) == (codes, bool(codes))


def test_a_code_of_a_sensitive_column_is_not_told():
    [found] = guesses([column("income", [*range(20, 60), -9], "integer")])
    assert (found.role, found.codes, found.has_codes) == ("sensitive", (), True)


def test_many_numbers_get_quantile_bands_and_many_dates_years():
    [few] = guesses([column("age", range(60), "integer")])
    assert few.cut is None
    [many] = guesses([column("hours", range(2000), "integer")])
    assert many.cut == "quantiles:20"
    assert many.why == "ordered; in bands (quantiles:20)"
    [secret] = guesses([column("salary", range(2000), "integer")])
    assert (secret.role, secret.cut) == ("sensitive", "quantiles:5")
    [days] = guesses([column("day", range(500), "date")])
    assert (days.role, days.cut) == ("public", "year")


def test_the_label_of_a_file_tells_what_a_cryptic_name_does_not():
    assert role("v101") == "public"
    [found] = guesses([column("v101", "abc", title="Household income, last year")])
    assert (found.role, found.why) == ("sensitive", "its label has the word 'income'")
    [found, _] = guesses([column("v101", "abc", title="Income"), column("x", "abc")], ["x"])
    assert found.role == "left out"
    assert found.why.endswith("and you named others as sensitive")


def test_codes_of_decimals_are_whole_numbers():
    [found] = guesses([column("w1", [Decimal("-9.00"), *map(Decimal, range(9))], "decimal")])
    assert found.codes == (-9,)
    assert type(found.codes[0]) is int
