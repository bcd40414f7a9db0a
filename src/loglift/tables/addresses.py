"""How a table is named: a file, a part of a file, or a table of a database; without its password.

people.csv   book.xlsx::Sheet2   warehouse.duckdb::people   postgresql://user@host/db::people
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlencode

from loglift.errors import TableError

PART = "::"  # between a file, or a database, and the name of its sheet or table

# The scheme, whoever logs in, and a host in brackets, which may hold two colons.
_DATABASE = re.compile(r"postgres(?:ql)?://(?:[^/@]*@)?(?:\[[^\]]*\])?", re.IGNORECASE)
# Settings of a connection that a report may repeat; all others may hold a secret.
_TOLD = frozenset(
    {"sslmode", "sslrootcert", "connect_timeout", "application_name", "target_session_attrs"}
)
_ADDRESS = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^:@/?#]*)(?::(?P<password>[^:@/?#]*))?@)?"
    r"(?:\[(?P<bracketed>[^\]@/?#]*)\]|(?P<host>[^:@/?#\[\]]*))(?::(?P<port>[0-9]+))?"
    r"(?:/(?P<dbname>[^:@/?#]*))?(?:\?(?P<query>[^@/?#]*))?",
    re.IGNORECASE,
)
_SETTING = re.compile(r"[a-z_]+")
_UNREADABLE = "postgresql://..."  # how messages call an address that cannot be taken apart


@dataclass(frozen=True)
class Database:
    """A table of a PostgreSQL server.

    Attributes
    ----------
    settings
        What libpq connects with; it may hold a password, so it is not shown.
    table
        The table as it was named, `schema.people` or `people`.
    where
        How messages, reports and plans call the table: without password.

    """

    settings: Mapping[str, str] = field(repr=False)
    table: str
    where: str


def is_database(text: str) -> bool:
    """Whether a text is the address of a PostgreSQL server."""
    return _DATABASE.match(text) is not None


def without_password(text: str) -> str:
    """Return the name of a table as reports and plans may show it.

    An address that loglift does not know shows nothing but its scheme.
    """
    scheme, is_address, _ = text.partition("://")
    if not is_address:
        return text
    if not is_database(text):
        return f"{scheme}://..."
    try:
        return database_of(text).where
    except TableError:
        return _UNREADABLE


def split(text: str) -> tuple[str, str | None]:
    """Return the file, and the name of its part where one is given."""
    if PART not in text or os.path.exists(text):  # noqa: PTH110 - a name may contain anything
        return text, None
    file, _, part = text.partition(PART)
    if not part:
        raise TableError(f"{text} names no part: write a name after {PART}, or leave {PART} out")
    return file, part


def database_of(text: str) -> Database:
    """Take the address of a table apart.

    libpq is never given the address itself: it quotes what it cannot read, parts of a password
    with it.
    """
    found = _DATABASE.match(text)
    at = text.find(PART, found.end()) if found else -1
    address, table = (text, "") if at < 0 else (text[:at], text[at + len(PART) :])
    settings = _settings(address)
    shown = _shown(settings)
    if not table:
        raise TableError(
            f"{shown} names no table: write {PART} and its name behind the database, such as "
            f"{shown}{PART}people"
        )
    return Database(settings, table, f"{shown}{PART}{table}")


def _settings(address: str) -> dict[str, str]:
    try:
        found = _ADDRESS.fullmatch(address)
        query = parse_qsl(found["query"], strict_parsing=True) if found and found["query"] else []
    except ValueError:
        found = None
    # Anything else may be a password that is not written in percents: none of it is shown.
    if found is None or not all(_SETTING.fullmatch(key) for key, _ in query):
        raise _unreadable()
    given = {key: found[key] for key in ("user", "password", "port", "dbname")}
    given["host"] = found["host"] or found["bracketed"]
    return {key: unquote(value) for key, value in given.items() if value} | dict(query)


def _unreadable() -> TableError:
    return TableError(
        "the address of the database cannot be read: write postgresql://user@host:port/db::table, "
        "special characters in percents (@ is %40, / is %2F), and give the password in PGPASSWORD "
        "or in the file .pgpass"
    )


def _shown(settings: Mapping[str, str]) -> str:
    user, host = settings.get("user"), settings.get("host", "")
    host = f"[{host}]" if ":" in host else quote(host, safe="")
    port = f":{settings['port']}" if "port" in settings else ""
    login = f"{quote(user, safe='')}@" if user else ""
    told = {key: value for key, value in settings.items() if key in _TOLD}
    query = f"?{urlencode(told)}" if told else ""
    return f"postgresql://{login}{host}{port}/{quote(settings.get('dbname', ''), safe='')}{query}"


def names_of(table: str) -> tuple[str | None, str]:
    """Return the schema, if one is named, and the name of a table; quotes protect a dot."""
    words = re.fullmatch(r'(?:("(?:[^"]|"")+"|[^".]+)\.)?("(?:[^"]|"")+"|[^"]+)', table)
    if words is None:
        raise TableError(
            f"{table!r} is not the name of a table: write people, schema.people, or "
            '"schema"."a.dotted name"'
        )
    schema, name = (None if word is None else _unquoted(word) for word in words.groups())
    return schema, str(name)


def _unquoted(word: str) -> str:
    return word[1:-1].replace('""', '"') if word.startswith('"') else word
