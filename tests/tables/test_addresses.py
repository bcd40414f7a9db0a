"""Names of tables: what they are taken apart into, and that no password is in what is shown."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from loglift.errors import TableError
from loglift.tables.addresses import (
    database_of,
    is_database,
    names_of,
    split,
    without_password,
)

ADDRESSES = {
    "postgresql://host/db::people": {"host": "host", "dbname": "db"},
    "postgres://u@host:5433/db::s.people": {
        "host": "host",
        "port": "5433",
        "user": "u",
        "dbname": "db",
    },
    "postgresql://u:p%40%2F@[::1]:1/db::people": {
        "host": "::1",
        "port": "1",
        "user": "u",
        "password": "p@/",
        "dbname": "db",
    },
    "postgresql://u@%2FVar%2Frun/db?sslmode=require::t": {
        "host": "/Var/run",
        "user": "u",
        "dbname": "db",
        "sslmode": "require",
    },
    "postgresql:///db::people": {"dbname": "db"},
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_taken_apart_and_put_together(address):
    found = database_of(address)
    assert found.settings == ADDRESSES[address]
    again = database_of(found.where)
    assert again.settings == {k: v for k, v in ADDRESSES[address].items() if k != "password"}
    assert again.where == found.where
    assert again.table == found.table


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=6))
def test_no_password_is_shown(password):
    secret = f"<{password}>"  # so that it is in the rest of the address by chance only
    for address in (
        f"postgresql://u:{quote(secret, safe='')}@host/db::people",
        f"postgresql://u@host/db?password={quote(secret, safe='')}::people",
    ):
        found = database_of(address)
        assert found.settings["password"] == secret
        shown = [found.where, repr(found), without_password(address)]
        assert all(secret not in text and quote(secret, safe="") not in text for text in shown)


@pytest.mark.parametrize(
    "password", ["p@ss", "p/ss", "p?ss", "p#ss", "p:ss", "p[ss", "5/word@x", "5@a/b", "a::b@c"]
)
@pytest.mark.parametrize("end", ["host/db::people", "host/db", "host"])
def test_a_password_that_is_not_in_percents_is_refused_without_a_trace(password, end):
    address = f"postgresql://u:{password}@{end}"
    try:
        shown = database_of(address).where
    except TableError as error:
        shown = str(error)
        assert "ss" not in shown.replace("password", "").replace("PGPASSWORD", "").replace(
            "pgpass", ""
        ).replace("address", "")
    assert password not in shown
    assert password not in without_password(address)


def test_an_address_without_a_table_says_what_to_write():
    with pytest.raises(TableError, match="names no table: write ::") as caught:
        database_of("postgresql://u:secret@host/db")
    assert "postgresql://u@host/db::people" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_settings_that_may_be_secret_are_not_shown():
    found = database_of("postgresql://h/d?sslmode=require&sslpassword=x1&options=y2::t")
    assert found.where == "postgresql://h/d?sslmode=require::t"
    with pytest.raises(TableError, match="cannot be read"):
        database_of("postgresql://h/d?ssl mode=require::t")


def test_files_are_not_databases_and_keep_their_names():
    for name in ("people.csv", "a::b.csv", "/tmp/postgresql.csv", "book.xlsx::S"):  # noqa: S108
        assert not is_database(name)
        assert without_password(name) == name


def test_a_part_follows_two_colons_unless_a_file_has_them(tmp_path):
    assert split("book.xlsx::Sheet 2") == ("book.xlsx", "Sheet 2")
    assert split("people.csv") == ("people.csv", None)
    (tmp_path / "a::b.csv").touch()
    assert split(str(tmp_path / "a::b.csv")) == (str(tmp_path / "a::b.csv"), None)
    with pytest.raises(TableError, match="names no part"):
        split("book.xlsx::")


def test_names_of_tables_may_be_quoted():
    assert names_of("people") == (None, "people")
    assert names_of("a.People") == ("a", "People")
    assert names_of('"a.b"."c""d"') == ("a.b", 'c"d')
    assert names_of('"people.2024"') == (None, "people.2024")
    with pytest.raises(TableError, match="not the name of a table"):
        names_of('a"b')
