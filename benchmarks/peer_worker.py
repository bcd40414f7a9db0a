"""Run a library on one table, in a process that has the table loaded.

Requests are JSON lines on standard input. Each answer is one JSON line: the seconds of the
library's call alone, and its result. A request may ask for a first call on a few rows, so that
imports and compiling are not timed.

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
WARM_UP_ROWS = 1000
BANDS = (5, 10, 20)  # years
# The level between the values themselves and "*", for columns that have one.
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
    """Return the levels of generalisation of each column, which ANJANA needs.

    Ages: bands of 5, 10 and 20 years, then `*`. Education and occupation: three groups, then `*`.
    Other columns: `*`.
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


def pycanon_notions(table: pd.DataFrame, asked: Request) -> Callable[[], Any]:
    """Return the calls of pyCANON's other notions: k, l, t, beta and delta."""
    canon = importlib.import_module("pycanon.anonymity")
    public, sensitive = asked["public"], [asked["sensitive"]]
    return lambda: {
        "k": canon.k_anonymity(table, public),
        "distinct_l": canon.l_diversity(table, public, sensitive),
        "entropy_l": canon.entropy_l_diversity(table, public, sensitive),
        "t": canon.t_closeness(table, public, sensitive),
        "beta": canon.basic_beta_likeness(table, public, sensitive),
        "delta": canon.delta_disclosure(table, public, sensitive),
    }


def loglift_notions(table: pd.DataFrame, asked: Request) -> Callable[[], Any]:
    """Return the call of `loglift.audit`, for all notions."""
    call = loglift_audit(table, asked)
    return lambda: vars(call().notions)


def anjana_protect(table: pd.DataFrame, asked: Request) -> Callable[[], Any]:
    """Return the call of ANJANA's delta-disclosure with k = 1, which demands nothing."""
    anonymity = importlib.import_module("anjana.anonymity")
    levels = hierarchies(table, asked["public"])
    needed = table[[*asked["public"], asked["sensitive"]]]
    return lambda: anonymity.delta_disclosure(
        needed, [], asked["public"], asked["sensitive"], 1, asked["eps"], 100, levels
    )


def loglift_close(table: pd.DataFrame, asked: Request) -> Callable[[], Any]:
    """Return the call of `loglift.protect` with t-closeness and no bound on log-lift."""
    loglift = importlib.import_module("loglift")
    bound = loglift.Bound.requiring(loglift.TCloseness(asked["t"]))
    return lambda: loglift.protect(
        table, sensitive=asked["sensitive"], public=asked["public"], bound=bound, keep_order=True
    )


def anjana_close(table: pd.DataFrame, asked: Request) -> Callable[[], Any]:
    """Return the call of ANJANA's t-closeness with k = 1, which demands nothing."""
    anonymity = importlib.import_module("anjana.anonymity")
    levels = hierarchies(table, asked["public"])
    needed = table[[*asked["public"], asked["sensitive"]]]
    return lambda: anonymity.t_closeness(
        needed, [], asked["public"], asked["sensitive"], 1, asked["t"], 100, levels
    )


WORK = {
    ("loglift", "audit"): loglift_audit,
    ("loglift", "protect"): loglift_protect,
    ("pycanon", "audit"): pycanon_audit,
    ("pycanon", "notions"): pycanon_notions,
    ("loglift", "notions"): loglift_notions,
    ("anjana", "protect"): anjana_protect,
    ("loglift", "t-closeness"): loglift_close,
    ("anjana", "t-closeness"): anjana_close,
}


def answer(table: pd.DataFrame, asked: Request) -> Request:
    """Do what is asked; an error becomes an answer, too."""
    make = WORK[asked["library"], asked["task"]]
    try:
        if asked.get("warm"):
            make(table.head(WARM_UP_ROWS), asked)()
        call = make(table, asked)
        start = time.perf_counter()
        found = call()
        taken = time.perf_counter() - start
        return {"seconds": taken} | _told(found, asked)
    except Exception as error:  # noqa: BLE001, reported to who asked
        return {"error": f"{type(error).__name__}: {error}"}


def _told(found: Any, asked: Request) -> Request:
    """Return the figures of an audit, or write the release and return its number of rows."""
    if asked["task"] == "notions":
        return {name: None if size is None else str(float(size)) for name, size in found.items()}
    if asked["task"] == "audit":
        return {"leakage": str(float(getattr(found, "leakage", found)))}
    released = getattr(found, "table", found)
    if "index" in released.columns:  # ANJANA suppressed rows; the others keep their number there
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
