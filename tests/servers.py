"""A PostgreSQL server of the tests' own: made, started and thrown away by whoever asks for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

PASSWORD = "pa'ss \\wörd@/:%"  # noqa: S105, whatever a password may hold
_DATABASE, _OWNER, READER = "survey", "owner", "reader"


@dataclass(frozen=True)
class Server:
    """A running server, which listens on a socket in a folder: no port can clash."""

    folder: Path

    def address(self, table, *, user=READER, password=PASSWORD):
        """Return the address of a table, as a role that may only read."""
        login = user if password is None else f"{user}:{quote(password, safe='')}"
        return f"postgresql://{login}@{quote(str(self.folder), safe='')}/{_DATABASE}::{table}"

    def run(self, *statements, database=_DATABASE):
        """Run statements as the owner of everything."""
        import adbc_driver_postgresql.dbapi as driver  # noqa: PLC0415, an extra

        where = f"host={self.folder} user={_OWNER} dbname={database}"
        with (
            driver.connect(where, autocommit=True) as connection,
            connection.cursor() as cursor,
        ):
            # A reader that still holds the table must fail a test, not stop it.
            for statement in ("SET lock_timeout = '9s'", *statements):
                cursor.execute(statement)

    def load(self, name, table):
        """Make a table of a PyArrow table, which the reader may read; return its address."""
        import adbc_driver_postgresql.dbapi as driver  # noqa: PLC0415

        where = f"host={self.folder} user={_OWNER} dbname={_DATABASE}"
        with driver.connect(where) as connection, connection.cursor() as cursor:
            cursor.adbc_ingest(name, table)
            connection.commit()
        quoted = '"' + name.replace('"', '""') + '"'
        self.run(f"GRANT SELECT ON {quoted} TO {READER}")
        return self.address(quoted)


def need_postgres():
    """Return where initdb is; skip without it, unless LOGLIFT_REQUIRE_POSTGRES is set."""
    found = shutil.which("initdb")
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found is None and packaged:
        found = str(packaged[-1])
    if found is None:
        reason = "PostgreSQL is not installed: apt-get install postgresql"
        if os.environ.get("LOGLIFT_REQUIRE_POSTGRES"):
            pytest.fail(reason)
        pytest.skip(reason)
    return Path(found).resolve().parent


def start():
    """Make a cluster in a temporary folder and start it; root does so as another user."""
    programs = need_postgres()
    folder = Path(tempfile.mkdtemp(prefix="loglift-pg-"))
    who = {}
    if os.geteuid() == 0:
        import pwd  # noqa: PLC0415, not on every system

        names = {entry.pw_name for entry in pwd.getpwall()}
        who = {"user": "postgres" if "postgres" in names else "nobody", "cwd": folder}
        shutil.chown(folder, who["user"])
    made = ["--username", _OWNER, "--auth-local=trust", "--encoding=UTF8", "--locale=C", "-N"]
    _call([programs / "initdb", "--pgdata", folder / "data", *made], who)
    # The reader logs in with a password; every session of it can only read.
    (folder / "data" / "pg_hba.conf").write_text(
        f"local all {_OWNER} trust\nlocal all all scram-sha-256\n"
    )
    options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=40"
    log = ["--log", folder / "log", "--wait"]
    _call([programs / "pg_ctl", "-D", folder / "data", "-o", options, *log, "start"], who)
    server = Server(folder)
    server.run(f"CREATE DATABASE {_DATABASE}", database="postgres")
    escaped = PASSWORD.replace("'", "''")
    server.run(
        f"CREATE ROLE {READER} LOGIN PASSWORD '{escaped}'",
        f"ALTER ROLE {READER} SET default_transaction_read_only = on",
        f"REVOKE TEMPORARY ON DATABASE {_DATABASE} FROM PUBLIC",
    )
    return server, lambda: _stop(programs, folder, who)


def _stop(programs, folder, who):
    _call([programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"], who)
    shutil.rmtree(folder)


def _call(command, who):
    # pg_ctl hands its own output on to the server, which would keep a pipe open.
    done = subprocess.run(
        list(map(str, command)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        **who,
    )
    assert done.returncode == 0, f"{command[0]} failed"
