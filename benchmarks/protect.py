"""`protect` on a large Parquet file, against DuckDB's own scan, group-by, join and write.

Both sides read the same file and write the same columns, each in its own process, in turns. The
baseline writes rows in input order and solves nothing. `protect` also shuffles the rows, chooses
the merging, checks it exactly, and writes mechanism, certificate and report.

    python benchmarks/protect.py [--rows 20000000] [--rounds 3]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

import harness
from loglift.cli import main as loglift

SCHEMA = """
    SELECT (hash(i) % 50)::INTEGER AS age, 'region ' || (hash(i + 1) % 20) AS region,
           'job ' || (hash(i + 2) % 10) AS job,
           CASE WHEN hash(i + 3) % 100 < 20 + (hash(i) % 50) THEN 'yes' ELSE 'no' END AS ill
    FROM range({rows}) AS t(i)
"""
PUBLIC = ("age", "region", "job")
MAX_GIGABYTES = 2.0


def generate(path: Path, rows: int) -> None:
    """Write the table: 3 public columns with 10,000 joint values, 1 sensitive column."""
    duckdb.execute(f"COPY ({SCHEMA.format(rows=rows)}) TO '{path}' (FORMAT parquet)")


def baseline(source: str, target: str) -> None:
    """Count, map the values to 3000 blocks, join with the mapping, write."""
    connection = duckdb.connect()
    columns = ", ".join(PUBLIC)
    connection.sql(
        f"CREATE TABLE counts AS SELECT {columns}, ill, count(*) AS n FROM '{source}' GROUP BY ALL"
    )
    connection.sql(
        f"CREATE TABLE mapping AS SELECT *, 'a ' || g AS x, 'b ' || g AS y, "
        f"'c ' || g AS z FROM (SELECT DISTINCT {columns}, hash({columns}) % 3000 AS g "
        "FROM counts)"
    )
    connection.sql(
        f"COPY (SELECT x, y, z, g FROM '{source}' JOIN mapping USING ({columns})) "
        f"TO '{target}' (FORMAT parquet)"
    )


def protect(source: str, target: str) -> None:
    """Run the command."""
    options = [part for column in PUBLIC for part in ("-p", column)]
    loglift(
        ["protect", source, "-s", "ill", *options, "--eps", "0.1", "-o", target, "--json"],
        standalone_mode=False,
    )


def measured(side: str, source: Path, folder: Path) -> dict[str, float]:
    """Run one side in its own process; return its seconds and peak memory in GB."""
    target = folder / f"{side}-{time.time_ns()}"
    command = [sys.executable, __file__, "--side", side, str(source), str(target)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603, ourselves
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def run_side(side: str, source: str, target: str) -> None:
    """Do the work of one side; print its seconds and peak memory."""
    work = {"baseline": baseline, "protect": protect}[side]
    seconds = harness.seconds(lambda: work(source, target))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(json.dumps({"seconds": seconds, "gigabytes": peak}))


def main() -> None:
    """Time both sides; print and write the ratio."""
    parser = harness.parser(__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--side", nargs=3)
    options = parser.parse_args()
    if options.side:
        run_side(*options.side)
        return
    run = harness.begin(__file__, __doc__, options.results)
    peaks: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "table.parquet"
        generate(source, options.rows)

        def ours() -> float:
            found = measured("protect", source, folder)
            peaks.append(found["gigabytes"])
            return found["seconds"]

        ours()  # compiles the loops on a new machine
        baseline = {"DuckDB": lambda: measured("baseline", source, folder)["seconds"]}
        middle = harness.interleaved(baseline | {"loglift": ours}, options.rounds)
    run.say(f"protect: {options.rows:,} rows of Parquet, 3 public columns, 10,000 joint values")
    run.compare(harness.within("peak memory", max(peaks), MAX_GIGABYTES, 1, "allowed", "GB"))
    run.compare(harness.within("protect", middle["loglift"], middle["DuckDB"], 1.5, "DuckDB alone"))
    run.write()


if __name__ == "__main__":
    main()
