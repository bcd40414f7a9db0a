"""Libraries at work on one table, in a process that has it loaded.

Reads requests as JSON lines from standard input and answers each with one line: the seconds that
the library took, measured here around its call alone, and what it found. The table is loaded
before; a request may ask for a first call on few rows, so that what happens once is not counted.

    python benchmarks/peer_worker.py TABLE.csv
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any, TypeAlias

import pandas as pd

Request: TypeAlias = dict[str, Any]
FEW = 1000  # rows of a first call
BANDS = (5, 10, 20)  # years
# What follows the values themselves, before everything is one.
GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "education": {
        "low": ("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th"),
        "middle": ("HS-grad", "Some-college", "Assoc-acdm", "Assoc-voc"),
        "high": ("Bachelors", "Masters", "Prof-school", "Doctorate"),
    },
    "occupation": {
        "office": ("Adm-clerical", "Exec-managerial", "Prof-specialty", "Sales", "Tech-support"),
        "manual": (
            "Craft-repair",
            "Farming-fishing",
            "Handlers-cleaners",
            "Machine-op-inspct",
            "Transport-moving",
        ),
        "other": ("Armed-Forces", "Other-service", "Priv-house-serv", "Protective-serv", "?"),
    },
}


def hierarchies(table: pd.DataFrame, public: list[str]) -> dict[str, dict[int, list[Any]]]:
    """Return the generalisations of each column, level by level: ANJANA needs them.

    Ages in bands of 5, 10 and 20 years, education and occupation in three groups, the others at
    once: `*`.
    """
    return {column: dict(enumerate(_levels(column, table[column]))) for column in public}


def _levels(column: str, values: Any) -> list[list[Any]]:
    distinct = sorted(values.unique().tolist())
    between: list[list[Any]] = []
    if column == "age":
        between = [[f"{x // w * w}-{x // w * w + w - 1}" for x in distinct] for w in BANDS]
    if column in GROUPS:
        group = {value: name for name, members in GROUPS[column].items() for value in members}
        between = [[group[value] for value in distinct]]
    return [distinct, *between, ["*"] * len(distinct)]


def loglift_audit(table: pd.DataFrame, asked: Request) -> Callable[[], Any]:
    """Return the call of `loglift.audit`."""
    loglift = importlib.import_module("loglift")
    return lambda: loglift.audit(table, sensitive=asked["sensitive"], public=asked["public"])


def loglift_protect(table: pd.DataFrame, asked: Request) -> Callable[[], Any]:
    """Return the call of `loglift.protect`; rows stay in order, as ANJANA leaves them."""
    loglift = importlib.import_module("loglift")
    return lambda: loglift.protect(
        table,
        sensitive=asked["sensitive"],
        public=asked["public"],
        eps=asked["eps"],
        keep_order=True,
    )


def pycanon_audit(table: pd.DataFrame, asked: Request) -> Callable[[], Any]:
    """Return the call of pyCANON's delta-disclosure."""
    anonymity = importlib.import_module("pycanon.anonymity")
    return lambda: anonymity.delta_disclosure(table, asked["public"], [asked["sensitive"]])


def anjana_protect(table: pd.DataFrame, asked: Request) -> Callable[[], Any]:
    """Return the call of ANJANA's delta-disclosure, without a demand on k."""
    anonymity = importlib.import_module("anjana.anonymity")
    levels = hierarchies(table, asked["public"])
    needed = table[[*asked["public"], asked["sensitive"]]]
    return lambda: anonymity.delta_disclosure(
        needed, [], asked["public"], asked["sensitive"], 1, asked["eps"], 100, levels
    )


WORK = {
    ("loglift", "audit"): loglift_audit,
    ("loglift", "protect"): loglift_protect,
    ("pycanon", "audit"): pycanon_audit,
    ("anjana", "protect"): anjana_protect,
}


def answer(table: pd.DataFrame, asked: Request) -> Request:
    """Do what is asked; what went wrong is an answer, too."""
    make = WORK[asked["library"], asked["task"]]
    try:
        if asked.get("warm"):
            make(table.head(FEW), asked)()
        call = make(table, asked)
        start = time.perf_counter()
        found = call()
        taken = time.perf_counter() - start
        return {"seconds": taken} | _told(found, asked)
    except Exception as error:  # noqa: BLE001, reported to who asked
        return {"error": f"{type(error).__name__}: {error}"}


def _told(found: Any, asked: Request) -> Request:
    """Return the leakage that an audit reports, or write the release and tell its rows."""
    if asked["task"] == "audit":
        return {"leakage": str(float(getattr(found, "leakage", found)))}
    released = getattr(found, "table", found)
    if "index" in released.columns:  # where ANJANA suppressed rows: the others by their number
        released = released.set_index("index")
    if not released.empty:
        released[asked["public"]].to_csv(asked["target"], index_label="row")
    return {"rows": len(released)}


def main() -> None:
    """Answer until there are no more requests."""
    (path,) = sys.argv[1:]
    table = pd.read_csv(path, keep_default_na=False)
    answers, sys.stdout = sys.stdout, sys.stderr  # libraries may print
    for line in sys.stdin:
        print(json.dumps(answer(table, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
