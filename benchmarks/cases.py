"""The cases of `make bench-check`: one case a process, its figures printed as JSON.

A case uses only names that design and documentation fix for good (`merge`, `protect`, the command
line), so that the same file also runs on older source code. It must stay one file that imports no
other of this folder. A case that changes its work changes its name: figures of different work must
not be compared.

    python benchmarks/cases.py --names
    python benchmarks/cases.py "search, 1,000 x 13, eps 1"
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

COMMAND = [sys.executable, "-c", "from loglift.cli import run; run()"]
SEVEN = ["age", "workclass", "education", "occupation", "race", "sex", "native-country"]
LARGE_ROWS = 1_000_000

# The work of a case returns the share of the information that its release loses, if it makes one.
Work: TypeAlias = Callable[[], float | None]


@dataclass(frozen=True)
class Case:
    """Something to measure.

    Attributes
    ----------
    prepare
        Takes an empty folder and returns the work; preparing is not timed.
    repeats
        How often one process does the work; the shortest time counts.
    warm
        Whether the work is done once before it is timed: loops are then compiled.
    apart
        Whether the work runs in processes of its own, whose memory is the memory of the case.

    """

    prepare: Callable[[Path], Work]
    repeats: int = 1
    warm: bool = True
    apart: bool = False


def merging(method: str, public: int, sensitive: int, eps: float) -> Callable[[Path], Work]:
    """Merge a random joint with uniform entries."""

    def prepare(_: Path) -> Work:
        import numpy as np  # noqa: PLC0415, a case imports what it uses

        from loglift import merge  # noqa: PLC0415

        mass = np.random.default_rng(public).random((public, sensitive))
        options: dict[str, Any] = {"method": method}
        return lambda: merge(mass, eps, **options).nmil

    return prepare


def randomizing(eps: float) -> Callable[[Path], Work]:
    """Find the best channel at the paper's size."""

    def prepare(_: Path) -> Work:
        import numpy as np  # noqa: PLC0415

        from loglift import randomize  # noqa: PLC0415

        mass = np.random.default_rng(0).random((20, 13))
        return lambda: randomize(mass, eps).nmil

    return prepare


def adult() -> Any:
    """Return the packaged table as a pandas frame."""
    import pandas as pd  # noqa: PLC0415

    import loglift  # noqa: PLC0415

    return pd.read_parquet(Path(str(loglift.__file__)).parent / "demo" / "adult.parquet")


def audit_adult(_: Path) -> Work:
    """Audit seven columns of Adult."""
    from loglift import audit  # noqa: PLC0415

    table = adult()

    def work() -> None:
        audit(table, sensitive="salary", public=SEVEN)

    return work


def protect_adult(public: Sequence[str], **options: Any) -> Callable[[Path], Work]:
    """Protect some columns of Adult in memory."""

    def prepare(_: Path) -> Work:
        from loglift import protect  # noqa: PLC0415

        table, columns = adult(), list(public)
        return lambda: (
            protect(table, sensitive="salary", public=columns, **options).certificate.nmil
        )

    return prepare


def frontier_of_adult(_: Path) -> Work:
    """Sweep four eps over two columns of Adult."""
    from loglift import Joint, frontier  # noqa: PLC0415

    joint = Joint.from_table(adult(), sensitive="salary", public=["education", "sex"])

    def work() -> None:
        frontier(joint, eps=(0.5, 1.0, 1.5, 2.0))

    return work


def run(*arguments: str, cache: Path | None = None) -> None:
    """Run the command in a process of its own, with its own folder of compiled loops if given."""
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    subprocess.run([*COMMAND, *arguments], check=True, capture_output=True, env=environment)  # noqa: S603, ourselves


def import_loglift(_: Path) -> Work:
    """Import the package in a new process."""

    def work() -> None:
        subprocess.run([sys.executable, "-c", "import loglift"], check=True)

    return work


def show_version(_: Path) -> Work:
    """Run the shortest command."""
    return lambda: run("--version")


def reproduce(_: Path) -> Work:
    """Run a part of the paper's experiment by the command."""
    return lambda: run("reproduce", "--draws", "500", "--json")


def first_protect(values: int) -> Callable[[Path], Work]:
    """Protect a small CSV file with an empty folder of compiled loops."""

    def prepare(folder: Path) -> Work:
        import numpy as np  # noqa: PLC0415

        random = np.random.default_rng(values)
        shares = random.dirichlet([9, 9, 9], size=values)
        jobs = random.integers(values, size=600).tolist()
        lines = [f"job {job},{random.choice(list('xyz'), p=shares[job])}" for job in jobs]
        table, cache = folder / "small.csv", folder / "cache"
        table.write_text("\n".join(["job,ill", *lines]) + "\n", "utf-8")
        chosen = ["-s", "ill", "-p", "job", "--eps", "0.5", "-o", str(folder / "out"), "--force"]

        def work() -> None:
            shutil.rmtree(cache, ignore_errors=True)
            run("protect", str(table), *chosen, cache=cache)

        return work

    return prepare


def protect_large_file(folder: Path) -> Work:
    """Protect a large Parquet file by the command: 10,000 public values."""
    import duckdb  # noqa: PLC0415

    table = folder / "table.parquet"
    duckdb.execute(
        f"""COPY (
            SELECT (hash(i) % 50)::INTEGER AS age, 'region ' || (hash(i + 1) % 20) AS region,
                   'job ' || (hash(i + 2) % 10) AS job,
                   CASE WHEN hash(i + 3) % 100 < 20 + (hash(i) % 50) THEN 'yes' ELSE 'no' END AS ill
            FROM range({LARGE_ROWS}) AS t(i)
        ) TO '{table}' (FORMAT parquet)"""
    )
    chosen = ["-s", "ill", "-p", "age", "-p", "region", "-p", "job", "--eps", "0.1", "--json"]
    return lambda: run("protect", str(table), *chosen, "-o", str(folder / "out"), "--force")


CASES = {
    "import loglift": Case(import_loglift, repeats=10, apart=True),
    "loglift --version": Case(show_version, repeats=6, apart=True),
    "first protect, 24 public values": Case(first_protect(24), warm=False, apart=True),
    "first protect, 100 public values": Case(first_protect(100), warm=False, apart=True),
    "reproduce, 500 draws": Case(reproduce, warm=False, apart=True),
    "greedy, 10,000 x 13, eps 1": Case(merging("greedy", 10_000, 13, 1.0), repeats=3),
    "search, 1,000 x 13, eps 1": Case(merging("search", 1000, 13, 1.0)),
    "search, 100 x 13, eps 0.25": Case(merging("search", 100, 13, 0.25)),
    "search, 300 x 13, eps 0.25": Case(merging("search", 300, 13, 0.25)),
    "search, 1,000 x 50, eps 0.25": Case(merging("search", 1000, 50, 0.25)),
    "exact, 20 x 13, eps 0.25": Case(merging("exact", 20, 13, 0.25), repeats=3),
    "exact, 20 x 13, eps 1": Case(merging("exact", 20, 13, 1.0), repeats=20),
    "ordered, 3,000 x 3, eps 1": Case(merging("ordered", 3000, 3, 1.0), repeats=10),
    "randomize, 20 x 13, eps 0.5": Case(randomizing(0.5), repeats=20),
    "audit, Adult, 7 columns": Case(audit_adult, repeats=10),
    "protect, Adult, 2 columns": Case(
        protect_adult(["education", "occupation"], eps=1.0), repeats=3
    ),
    "protect, Adult, 7 columns": Case(protect_adult(SEVEN, eps=1.0)),
    "protect, Adult, randomized": Case(
        protect_adult(["occupation"], eps=0.3, method="randomized"), repeats=10
    ),
    "protect, Adult, confidence 0.95": Case(
        protect_adult(["education"], eps=0.5, confidence=0.95), repeats=3
    ),
    "frontier, Adult": Case(frontier_of_adult, repeats=3),
    "protect, 1,000,000 rows of Parquet": Case(protect_large_file, warm=False, apart=True),
}


def measured(case: Case, folder: Path) -> dict[str, float]:
    """Do the work; its shortest time, the peak memory, and the share of information lost."""
    work = case.prepare(folder)
    if case.warm:
        work()
    seconds, lost = float("inf"), None
    for _ in range(case.repeats):
        start = time.perf_counter()
        lost = work()
        seconds = min(seconds, time.perf_counter() - start)
    whose = resource.RUSAGE_CHILDREN if case.apart else resource.RUSAGE_SELF
    figures = {"seconds": seconds, "gigabytes": resource.getrusage(whose).ru_maxrss / 1e6}
    return figures if lost is None else figures | {"lost": float(lost)}


def main() -> None:
    """Print the names of the cases, or the figures of one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("case", nargs="?", choices=CASES)
    parser.add_argument("--names", action="store_true", help="print the names as a JSON list")
    options = parser.parse_args()
    if options.names:
        print(json.dumps(list(CASES)))
        return
    if options.case is None:
        parser.error("name a case, or give --names")
    import loglift  # noqa: PLC0415, the one that PYTHONPATH names

    with tempfile.TemporaryDirectory() as folder:
        figures = measured(CASES[options.case], Path(folder))
    print(json.dumps({"source": str(loglift.__file__), "figures": figures}))


if __name__ == "__main__":
    main()
