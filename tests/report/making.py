"""Tables, releases and pages for the tests of reports."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter

import numpy as np
from click.testing import CliRunner

from loglift.cli import main


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def write_table(path, seed=0, records=4000):
    """Write a table whose sensitive values have names that are nowhere else."""
    rng = np.random.default_rng(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["town", "age", "illness"])
        for _ in range(records):
            town, age = rng.integers(6), 20 + 10 * rng.integers(4)
            ill = rng.random() < 0.1 + 0.08 * town
            illness = "zqgout" if rng.random() < 0.03 else "zqflu" if ill else "zqcold"
            writer.writerow([f"T{town}", age, illness])
    return path


def counted(table):
    """Return n(x,s), n(x), n(s) and n of a table of `write_table`."""
    with table.open(encoding="utf-8") as file:
        rows = [((r["town"], r["age"]), r["illness"]) for r in csv.DictReader(file)]
    return Counter(rows), Counter(x for x, _ in rows), Counter(s for _, s in rows), len(rows)


def data_of(page):
    """Return what the script of a page reads."""
    [text] = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL
    )
    return json.loads(text)
