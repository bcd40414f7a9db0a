"""A small survey with labels, missing values and dates, in every format that has them."""

# ruff: noqa: PLC0415 - a library is imported by the tests that use it

from __future__ import annotations

from datetime import date

ROWS = 240
EDUCATION = {1: "none", 2: "primary", 3: "secondary", 4: "degree"}
HEALTH = {1: "good", 2: "fair", 3: "bad"}
TITLES = {"education": "Highest school that was finished", "age": "Age in years"}


def codes():
    """Return the rows as a survey has them: education, age, born, score, town, health."""
    rows = []
    for i in range(ROWS):
        education = None if i % 29 == 0 else 5 if i % 31 == 0 else 1 + i * 7 % 4
        town = None if i % 37 == 0 else ("Bern", "bern", "Zürich")[i % 3]
        born = None if i % 41 == 0 else date(1960 + i % 5, 1 + i % 3, 2)
        health = 1 + (i * i + i % 4) % 3
        rows.append((education, 20 + i % 9, born, i % 3 + 0.25, town, health))
    return rows


NAMES = ("education", "age", "born", "score", "town", "health")


def shown():
    """Return the rows as they are read: labels in place of codes."""
    texts = {**EDUCATION, 5: "5", None: None}
    return [(texts[row[0]], *row[1:5], HEALTH[row[5]]) for row in codes()]


def frame(rows):
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Series(values, dtype=object)
            for name, values in zip(NAMES, zip(*rows, strict=True), strict=True)
        }
    )


def arrow():
    import pyarrow as pa

    kinds = ["string", "int64", "date32", "float64", "string", "string"]
    columns = [
        pa.array(values, type=kind)
        for values, kind in zip(zip(*shown(), strict=True), kinds, strict=True)
    ]
    return pa.table(columns, names=list(NAMES))


def parquet(folder):
    import pyarrow.parquet as pq

    pq.write_table(arrow(), folder / "survey.parquet")
    return folder / "survey.parquet"


def csv(folder):
    import pyarrow.csv as pc

    pc.write_csv(arrow(), folder / "survey.csv")
    return folder / "survey.csv"


def feather(folder):
    import pyarrow.feather as pf

    pf.write_feather(arrow(), folder / "survey.feather")
    return folder / "survey.feather"


def labelled():
    """Return the table with codes as a statistics program has it."""
    import pandas as pd

    table = frame(codes())
    numbers = {"education": "Int32", "age": "Int32", "health": "Int32", "score": "float64"}
    return table.astype({**numbers, "town": pd.StringDtype()})


def stata(folder):
    import pyreadstat

    labels = {"education": EDUCATION, "health": HEALTH}
    pyreadstat.write_dta(
        labelled(), folder / "survey.dta", column_labels=TITLES, variable_value_labels=labels
    )
    return folder / "survey.dta"


def spss(folder, ending="sav", **options):
    import pyreadstat

    labels = {"education": EDUCATION, "health": HEALTH}
    pyreadstat.write_sav(
        labelled(),
        folder / f"survey.{ending}",
        column_labels=TITLES,
        variable_value_labels=labels,
        compress=ending == "zsav",
        **options,
    )
    return folder / f"survey.{ending}"


def sas(folder):
    import pyreadstat

    table = frame(shown()).astype({"age": "float64", "score": "float64"})
    pyreadstat.write_xport(table, folder / "survey.xpt")
    return folder / "survey.xpt"


def excel(folder):
    import xlsxwriter

    with xlsxwriter.Workbook(folder / "survey.xlsx") as book:
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        book.add_worksheet("Notes").write_string(0, 0, "read the other one")
        sheet = book.add_worksheet("The survey")
        sheet.write_row(0, 0, NAMES)
        for i, row in enumerate(shown(), start=1):
            for j, cell in enumerate(row):
                if isinstance(cell, date):
                    sheet.write_datetime(i, j, cell, day)
                elif isinstance(cell, str):
                    sheet.write_string(i, j, cell)
                elif cell is not None:
                    sheet.write_number(i, j, cell)
    return f"{folder / 'survey.xlsx'}::The survey"


def warehouse(folder):
    import duckdb

    made = arrow()  # noqa: F841 - DuckDB finds it by its name
    with duckdb.connect(str(folder / "house.duckdb")) as connection:
        connection.execute("CREATE TABLE survey AS FROM made")
    return f"{folder / 'house.duckdb'}::survey"


FILES = {
    "csv": csv,
    "feather": feather,
    "stata": stata,
    "spss": spss,
    "zsav": lambda folder: spss(folder, "zsav"),
    "sas": sas,
    "excel": excel,
    "duckdb": warehouse,
}
