"""A real table to try loglift on: UCI Adult (CC BY 4.0; see ADULT.md beside this file)."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def write_adult(directory: Path) -> Path:
    """Write adult.parquet, the records of the data set's file adult.data, and ADULT.md beside it.

    Returns the path of the table. The package's file also has the records of adult.test.
    """
    from loglift.tables import write  # noqa: PLC0415, dataframe engines load only when used
    from loglift.tables.relations import connect, literal  # noqa: PLC0415

    source = resources.files("loglift.demo")
    target = directory / "adult.parquet"
    with resources.as_file(source / "adult.parquet") as path:
        everything = f"SELECT * EXCLUDE part FROM read_parquet({literal(str(path))})"  # noqa: S608
        write(connect().sql(f"{everything} WHERE part = 'data'"), target)
    (directory / "ADULT.md").write_text((source / "ADULT.md").read_text("utf-8"), "utf-8")
    return target
