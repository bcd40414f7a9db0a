"""Using one engine imports no other, and importing the room imports none."""

import subprocess
import sys

import pytest

LIBRARIES = ("pandas", "polars", "pyarrow", "dask", "pyspark", "duckdb", "narwhals")
USES = {
    "": set(),
    "count('t.csv', 'a', 's')": {"duckdb", "narwhals"},
    "write(open_table('t.csv').frame, 'o.parquet')": {"duckdb", "narwhals"},
    "import polars; f = polars.DataFrame({'a': [1, 2], 's': [2, 3]}); count(f, 'a', 's')": {
        "polars",
        "narwhals",
    },
    "import pandas; f = pandas.DataFrame({'a': [1, 2], 's': [2, 3]}); count(f, 'a', 's')": {
        "pandas",
        "narwhals",
    },
    "import pyarrow; f = pyarrow.table({'a': [1, 2], 's': [2, 3]}); count(f, 'a', 's')": {
        "pyarrow",
        "narwhals",
    },
}


@pytest.mark.parametrize("use", USES, ids=lambda use: use[:20])
def test_only_the_engine_in_use_is_imported(tmp_path, use):
    (tmp_path / "t.csv").write_text("a,s\n1,x\n2,y\n")
    program = (
        "from loglift.tables import count, open_table, write\n"
        f"{use}\nimport sys\nprint(*(set({LIBRARIES}) & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    # pandas keeps its texts in Arrow, and PyArrow looks for pandas when it makes an array.
    friends = {"pandas", "pyarrow"}
    allowed = USES[use] | (friends if friends & USES[use] else set())
    assert set(done.stdout.split()) <= allowed
    assert done.stderr == ""
