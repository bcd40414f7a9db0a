"""Start-up: importing loglift beside importing NumPy, and the first `protect` on a machine.

Imports and `--version` run as separate processes, in turns: wall time. `protect` is measured in
seconds of the processor, because the compiler keeps one core busy and the search all of them. The
first `protect` of a small CSV file finds an empty folder of compiled loops (NUMBA_CACHE_DIR); the
second one finds the loops of the first. With at most 24 public and 3 sensitive values nothing is
compiled; with more, the first run on a machine waits for the compiler. A tight bound needs more
loops than a wide one, and so do several columns.

    python benchmarks/startup.py [--rounds 15] [--protect-rounds 3]
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
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
IMPORT_BAR, UNCOMPILED_BAR, FIRST_BAR = 1.5, 3, 4
ROWS, EPS = 600, 0.5
UNCOMPILED_VALUES = (12, 24)  # numbers of public values for which nothing is compiled
COMPILED_VALUES = 100


def processor_seconds(work: Callable[[], object]) -> float:
    """Run processes; return the processor's seconds that they took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


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
    """Write a small table; each public value has its own shares of 3 sensitive values.

    The job has a field and a level, of which there are 10.
    """
    random = np.random.default_rng(values)
    shares = random.dirichlet([9, 9, 9], size=values)
    jobs = random.integers(values, size=ROWS).tolist()
    lines = [
        f"job {job},field {job % 10},{job // 10},{random.choice(list('xyz'), p=shares[job])}"
        for job in jobs
    ]
    path.write_text("\n".join(["job,field,level,ill", *lines]) + "\n", "utf-8")


def first_protect(
    run: harness.Run,
    values: int,
    rounds: int,
    bar: float,
    *,
    public: tuple[str, ...] = ("job",),
    eps: float = EPS,
) -> None:
    """Compare the first `protect` of a small table with the second."""
    with tempfile.TemporaryDirectory() as name:
        table, cache, out = (Path(name) / part for part in ("small.csv", "cache", "out"))
        write_small(table, values)
        command = [LOGLIFT, "protect", str(table), "-s", "ill", "-o", str(out), "--force"]
        command += ["--eps", str(eps), *(part for name in public for part in ("-p", name))]
        again = partial(process, command, os.environ | {"NUMBA_CACHE_DIR": str(cache)})

        def afresh() -> float:
            shutil.rmtree(cache, ignore_errors=True)
            return processor_seconds(again)

        sides = {"first": afresh, "second": lambda: processor_seconds(again)}
        middle = harness.interleaved(sides, rounds)
    name = f"first protect, {values} public values"
    name += f" of {len(public)} columns" if len(public) > 1 else ""
    name += "" if eps == EPS else f", eps {eps:g}"
    run.compare(harness.within(name, middle["first"], middle["second"], bar, "the second"))


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
        first_protect(run, values, options.protect_rounds, UNCOMPILED_BAR)
    rounds = options.protect_rounds
    first_protect(run, COMPILED_VALUES, rounds, FIRST_BAR)
    first_protect(run, COMPILED_VALUES, rounds, FIRST_BAR, eps=0.1)
    first_protect(run, COMPILED_VALUES, rounds, FIRST_BAR, public=("field", "level"))
    run.write()


if __name__ == "__main__":
    main()
