"""How `loglift protect` grows: with rows, public values, sensitive values, and cells that are zero.

Each size is a generated Parquet file that the command protects in its own process: wall time and
peak memory. DuckDB works out of core with at most 1 GB, as always under loglift. An exponent is the
slope of log seconds over log size for the last two decades of sizes, by least squares.

    python benchmarks/growth.py [--quick] [--only rows public sensitive sparse]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

import harness

LOGLIFT = str(Path(sys.executable).with_name("loglift"))
MEMORY = "1GB"
MAX_DENSE_SENSITIVE = 10  # with more sensitive values most cells of the sparse sweep are zero
MAX_VALUES, MAX_VALUES_SECONDS = 10**6, 60  # public values, and the time that they may take
MAX_DECADES = 2.01  # of sizes in the fit of the exponent; a little more than 2, for rounding


@dataclass(frozen=True)
class Size:
    """The numbers of records, public values and sensitive values of a table."""

    rows: int
    public: int
    sensitive: int


@dataclass(frozen=True)
class Sweep:
    """One number that grows, while the other two stay the same."""

    name: str
    x_title: str
    sizes: tuple[tuple[float, Size], ...]


def sweeps(*, quick: bool) -> dict[str, Sweep]:
    """Return the sweeps: full sizes, or small ones for a quick try."""
    top = 6 if quick else 8
    rows = [10**k for k in range(4 if quick else 5, top + 1)]
    public = [10**k for k in range(2, 4 if quick else 7)]
    sensitive = [2, 10, 30] if quick else [2, 5, 10, 30, 100, 300, 1000]
    many = 10**5 if quick else 10**7
    return {
        "rows": Sweep("rows", "rows", tuple((n, Size(n, 10_000, 2)) for n in rows)),
        "public": Sweep(
            "public", "public values", tuple((n, Size(max(many, 10 * n), n, 2)) for n in public)
        ),
        "sensitive": Sweep(
            "sensitive",
            "sensitive values",
            tuple((m, Size(many, 1000, m)) for m in sensitive),
        ),
        # The number of non-zero cells stays about the same; a dense table of the last has 10^8.
        "sparse": Sweep(
            "sparse",
            "sensitive values of a sparse table",
            tuple(
                (m, Size(many // 10, many // 100, m)) for m in sensitive if m > MAX_DENSE_SENSITIVE
            ),
        ),
    }


def generate(path: Path, size: Size) -> None:
    """Write a table: x is uniform, s is x modulo the number of sensitive values in 20 % of rows."""
    connection = duckdb.connect()
    connection.execute(f"SET memory_limit = '{MEMORY}'")
    connection.execute(f"SET temp_directory = '{path.parent / 'spill'}'")
    connection.execute("SET preserve_insertion_order = false")
    x = f"hash(i) % {size.public}"
    s = f"hash(i + {size.rows}) % {size.sensitive}"
    leaning = f"CASE WHEN hash(i * 7 + 1) % 100 < 20 THEN ({x}) % {size.sensitive} ELSE {s} END"
    connection.execute(
        f"COPY (SELECT 'v' || ({x}) AS x, 's' || ({leaning}) AS s "
        f"FROM range({size.rows}) AS t(i)) TO '{path}' (FORMAT parquet)"
    )


def protected(source: Path, target: Path) -> dict[str, float]:
    """Run the command; return its wall time in seconds and its peak memory in GB."""
    command = [LOGLIFT, "protect", str(source), "-s", "s", "-p", "x", "--eps", "0.5"]
    start = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603, ourselves
        [*command, "-o", str(target), "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    error = process.stderr.read().decode() if process.stderr else ""
    _, status, usage = os.wait4(process.pid, 0)
    taken = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"loglift ended with {process.returncode}: {error}")
    return {"seconds": taken, "gigabytes": usage.ru_maxrss / 1e6}


def exponent(points: list[dict[str, float]]) -> float | None:
    """Return the slope of log seconds over log x for the last decades; None for one point."""
    last = max(point["x"] for point in points)
    used = [point for point in points if np.log10(last / point["x"]) <= MAX_DECADES]
    if len(used) < 2:  # noqa: PLR2004, a line needs two
        return None
    logs = np.log([[point["x"], point["seconds"]] for point in used])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def grow(run: harness.Run, sweep: Sweep) -> None:
    """Measure one curve; print its points and its exponent."""
    run.say(f"growth with {sweep.x_title}")
    points: list[dict[str, float]] = []
    for x, size in sweep.sizes:
        with tempfile.TemporaryDirectory() as name:
            source = Path(name) / "table.parquet"
            generate(source, size)
            found = protected(source, Path(name) / "out")
        points.append({"x": x} | found)
        run.say(
            f"  {x:12,.0f} ({size.rows:,} rows): {found['seconds']:8.2f} s, "
            f"{found['gigabytes']:.2f} GB"
        )
        if sweep.name == "public" and x == MAX_VALUES:
            name = f"{MAX_VALUES:,} public values"
            limit = harness.within(name, found["seconds"], MAX_VALUES_SECONDS, 1, "allowed")
            run.compare(limit)
    slope = exponent(points)
    if slope is not None:
        run.say(f"  exponent of the time over the last decades {slope:.2f}")
    run.curves.append(harness.Curve(sweep.name, sweep.x_title, points, slope))


def main() -> None:
    """Measure, print and write."""
    parser = harness.parser(__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--only", nargs="+", choices=["rows", "public", "sensitive", "sparse"])
    options = parser.parse_args()
    run = harness.begin(__file__, __doc__, options.results)
    for name, sweep in sweeps(quick=options.quick).items():
        if not options.only or name in options.only:
            grow(run, sweep)
    run.write()


if __name__ == "__main__":
    main()
