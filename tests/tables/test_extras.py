"""A library that is missing is told with the command that installs it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

import loglift
from loglift.errors import TableError
from loglift.tables import write
from loglift.tables.extras import needed

EXTRAS = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text("utf-8"))[
    "project"
]["optional-dependencies"]
INPUTS = {
    "t.dta": ("pyreadstat", "statfiles"),
    "t.sav": ("pyreadstat", "statfiles"),
    "t.sas7bdat": ("pyarrow", "statfiles"),
    "t.xlsx": ("python_calamine", "excel"),
    "t.arrow": ("pyarrow", "arrow"),
    "postgresql://host/db::people": ("adbc_driver_postgresql", "postgresql"),
}


@pytest.mark.parametrize("name", INPUTS)
def test_tables_name_the_extra_they_need(name, tmp_path, monkeypatch):
    module, extra = INPUTS[name]
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "adbc_driver_postgresql.dbapi", raising=False)
    if "://" not in name:
        (tmp_path / name).write_bytes(b"any")
        name = str(tmp_path / name)
    with pytest.raises(TableError, match=rf"pip install 'loglift\[{extra}\]'"):
        loglift.audit(name, sensitive="s", public="x")
    wanted = " ".join(EXTRAS[extra]).replace("-", "_")
    assert module in wanted
    [own] = [each for each in EXTRAS["test"] if each.startswith("loglift[")]
    assert extra in own


@pytest.mark.parametrize(
    ("ending", "module"),
    [("dta", "pyreadstat"), ("sav", "pandas"), ("xlsx", "xlsxwriter"), ("arrow", "pyarrow")],
)
def test_so_do_written_files_and_nothing_is_left(ending, module, tmp_path, monkeypatch):
    import duckdb  # noqa: PLC0415

    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(TableError, match="pip install 'loglift"):
        write(duckdb.sql("SELECT 1 AS a"), tmp_path / f"out.{ending}")
    assert list(tmp_path.iterdir()) == []


def test_a_module_that_is_there_is_returned():
    assert needed("json", "x", "Things").loads("1") == 1
