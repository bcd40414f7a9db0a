"""`protect` on a large Parquet file, against DuckDB's own scan, group-by, join and write.

Both sides read the same file and write the same columns, each in its own process, in turns. The
baseline writes rows in input order and solves nothing. `protect` also shuffles the rows, chooses
the merging, checks it exactly, explains it, and writes mechanism, certificate and report. With
`--as values` records exchange their values; with `--passthrough` one more column is released and
audited, of numbers that hardly two records share.

Seconds are wall time; the processor's seconds of both sides are compared, too, which other load on
the machine changes less.

    python benchmarks/protect.py [--rows 20000000] [--rounds 3]
"""

from __future__ import annotations

import json
import resource
import statistics
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
           CASE WHEN hash(i + 3) % 100 < 20 + (hash(i) % 50) THEN 'yes' ELSE 'no' END AS ill,
           (hash(i + 4) % 1000000007) / 1000003.0 AS amount
    FROM range({rows}) AS t(i)
"""
PUBLIC = ("age", "region", "job")
BESIDE = ("amount",)
MAX_GIGABYTES = 2.0
# The sides of loglift: the options, whether columns pass through, and the bar of the ratio, if any.
OPTIONS = {
    "protect": ([], False, 1.3),
    "protect --as values": (["--as", "values"], False, 1.3),
    "protect --passthrough": ([], True, 2.0),
    "protect --as values --passthrough": (["--as", "values"], True, None),
}


def generate(path: Path, rows: int) -> None:
    """Write the table: 3 public columns with 10,000 joint values, 1 sensitive column, 1 other."""
    duckdb.execute(f"COPY ({SCHEMA.format(rows=rows)}) TO '{path}' (FORMAT parquet)")


def baseline(source: str, target: str, *, beside: bool) -> None:
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
    others = "".join(f", {name}" for name in BESIDE) if beside else ""
    connection.sql(
        f"COPY (SELECT x, y, z, g{others} FROM '{source}' JOIN mapping USING ({columns})) "
        f"TO '{target}' (FORMAT parquet)"
    )


def protect(source: str, target: str, options: list[str], *, beside: bool) -> None:
    """Run the command."""
    public = [part for column in PUBLIC for part in ("-p", column)]
    others = [part for column in BESIDE for part in ("--passthrough", column)] if beside else []
    asked = ["-s", "ill", *public, *others, *options, "--eps", "0.1"]
    loglift(["protect", source, *asked, "-o", target, "--json"], standalone_mode=False)
    if not Path(target, "released.parquet").exists():
        raise RuntimeError("protect wrote nothing")


def measured(side: str, source: Path, folder: Path) -> dict[str, float]:
    """Run one side in its own process; return its seconds, CPU seconds and peak memory in GB."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        command = [sys.executable, __file__, "--side", side, str(source), f"{name}/out"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603, ourselves
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def run_side(side: str, source: str, target: str) -> None:
    """Do the work of one side; print its seconds, CPU seconds and peak memory."""
    begun = time.process_time()
    if side in OPTIONS:
        options, beside, _ = OPTIONS[side]
        seconds = harness.seconds(lambda: protect(source, target, options, beside=beside))
    else:
        beside = side.endswith("passthrough")
        seconds = harness.seconds(lambda: baseline(source, target, beside=beside))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    found = {"seconds": seconds, "processor": time.process_time() - begun, "gigabytes": peak}
    print(json.dumps(found))


def main() -> None:
    """Time all sides; print and write the ratios."""
    parser = harness.parser(__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--side", nargs=3)
    options = parser.parse_args()
    if options.side:
        run_side(*options.side)
        return
    run = harness.begin(__file__, __doc__, options.results)
    sides = ["DuckDB", "DuckDB passthrough", *OPTIONS]
    found: dict[str, list[dict[str, float]]] = {side: [] for side in sides}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "table.parquet"
        generate(source, options.rows)
        measured("protect --passthrough", source, folder)  # compiles the loops on a new machine
        for _ in range(options.rounds):
            for side in sides:
                found[side].append(measured(side, source, folder))

    def middle(side: str, what: str) -> float:
        return statistics.median(each[what] for each in found[side])

    run.say(f"protect: {options.rows:,} rows of Parquet, 3 public columns, 10,000 joint values")
    peak = max(each["gigabytes"] for side in OPTIONS for each in found[side])
    run.compare(harness.within("peak memory", peak, MAX_GIGABYTES, 1, "allowed", "GB"))
    for side, (_, beside, bar) in OPTIONS.items():
        against = "DuckDB passthrough" if beside else "DuckDB"
        for what, title, limit in (("seconds", "", bar), ("processor", ", processor", None)):
            times = middle(side, what), middle(against, what)
            run.compare(harness.within(f"{side}{title}", *times, limit, "DuckDB alone"))
    run.write()


if __name__ == "__main__":
    main()
