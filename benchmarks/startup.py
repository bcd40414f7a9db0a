"""Start-up: importing loglift beside importing NumPy, and the first `protect` on a machine.

Imports and `--version` run as separate processes, in turns. The first `protect` of a small CSV file
finds an empty folder of compiled loops (NUMBA_CACHE_DIR); the second one finds the loops of the
first. With at most 24 public and 3 sensitive values nothing is compiled; with more, the first run
on a machine waits for the compiler.

    python benchmarks/startup.py [--rounds 15] [--protect-rounds 3]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np

import harness

LOGLIFT = str(Path(sys.executable).with_name("loglift"))
SIDES = {
    "import numpy": [sys.executable, "-c", "import numpy"],
    "import loglift": [sys.executable, "-c", "import loglift"],
    "loglift --version": [LOGLIFT, "--version"],
}
IMPORT_BAR, FIRST_BAR = 1.5, 3
ROWS = 600
UNCOMPILED_VALUES = (12, 24)  # numbers of public values for which nothing is compiled
COMPILED_VALUES = 100


def process(command: list[str], environment: Mapping[str, str] | None = None) -> None:
    """Run a command and wait for it."""
    subprocess.run(command, check=True, capture_output=True, env=environment)  # noqa: S603, ourselves


def imports(run: harness.Run, rounds: int) -> None:
    """Compare importing loglift, and its shortest command, with importing NumPy."""
    sides = {name: harness.timed(partial(process, command)) for name, command in SIDES.items()}
    harness.interleaved(sides, 1)  # reads the files once: the disk is not measured
    middle = harness.interleaved(sides, rounds)
    run.say(f"start-up: processes in turns, medians of {rounds}")
    for name in SIDES:
        if name != "import numpy":
            bare = middle["import numpy"]
            run.compare(harness.within(name, middle[name], bare, IMPORT_BAR, "import numpy"))


def write_small(path: Path, values: int) -> None:
    """Write a small table; each public value has its own shares of 3 sensitive values."""
    random = np.random.default_rng(values)
    shares = random.dirichlet([9, 9, 9], size=values)
    jobs = random.integers(values, size=ROWS).tolist()
    lines = [f"job {job},{random.choice(list('xyz'), p=shares[job])}" for job in jobs]
    path.write_text("\n".join(["job,ill", *lines]) + "\n", "utf-8")


def first_protect(run: harness.Run, values: int, rounds: int) -> None:
    """Compare the first `protect` of a small table with the second."""
    with tempfile.TemporaryDirectory() as name:
        table, cache, out = (Path(name) / part for part in ("small.csv", "cache", "out"))
        write_small(table, values)
        command = [LOGLIFT, "protect", str(table), "-s", "ill", "-p", "job"]
        command += ["--eps", "0.5", "-o", str(out), "--force"]
        again = partial(process, command, os.environ | {"NUMBA_CACHE_DIR": str(cache)})

        def afresh() -> float:
            shutil.rmtree(cache, ignore_errors=True)
            return harness.seconds(again)

        middle = harness.interleaved({"first": afresh, "second": harness.timed(again)}, rounds)
    name = f"first protect, {values} public values"
    run.compare(harness.within(name, middle["first"], middle["second"], FIRST_BAR, "the second"))


def main() -> None:
    """Measure, print and write."""
    parser = harness.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--protect-rounds", type=int, default=3)
    options = parser.parse_args()
    run = harness.begin(__file__, __doc__, options.results)
    imports(run, options.rounds)
    run.say(f"protect of {ROWS} rows of CSV, nothing compiled before")
    for values in UNCOMPILED_VALUES:
        first_protect(run, values, options.protect_rounds)
    first_protect(run, COMPILED_VALUES, 1)
    run.write()


if __name__ == "__main__":
    main()
