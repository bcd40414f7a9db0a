"""Beside pyCANON, ANJANA and ARX on UCI Adult.

pyCANON and ANJANA run in an environment of their own (build/peers-venv), with loglift in it.
loglift's audit is timed beside pyCANON's on the same table in the same process; and again, without
a bar, in loglift's own environment, where pandas is newer and holds texts in Arrow. ANJANA and
loglift protect a table that is already loaded, each in its own environment. ARX was measured
separately; so was ANJANA with other hierarchies than those of peer_worker.py, because its result
depends on them (apart.json). Plain functions of the tests measure every release: the information
kept, I(X;Y)/H(X), and the true leakage. A zero has infinite leakage, suppressed rows are one
value, and p(s) is that of the original table.

    python benchmarks/peers.py [--rounds 3] [--protect-rounds 1] [--timeout 120] [--only audit]

`--only notions` compares all figures of an audit with pyCANON's, without timing them.
"""

from __future__ import annotations

import csv
import json
import math
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

import harness
import naive
import workers
from loglift.demo import write_adult

SEVEN = ("age", "workclass", "education", "occupation", "race", "sex", "native-country")
COLUMNS_WITH_GAPS = ("workclass", "occupation", "native-country")  # an unknown value is "?"
AUDITS_PER_TURN = 5  # of loglift, which takes hundredths of a second
MAX_ROUNDING = 1e-9  # of a computed leakage above eps
KEPT = "of H(X)"
EPS = (1.0, 0.5)
AUDIT_BAR = 50


@dataclass(frozen=True)
class Case:
    """The sensitive column and the public ones."""

    sensitive: str
    public: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the names of the columns, or their number if there are seven."""
        public = "seven columns" if self.public == SEVEN else ",".join(self.public)
        return f"{self.sensitive}; {public}"


CASES = (
    Case("salary", ("education", "occupation")),
    Case("salary", ("age", "education", "sex")),
    Case("marital-status", ("age", "education", "occupation")),
    Case("salary", SEVEN),
)


@dataclass(frozen=True)
class Table:
    """A CSV file for the workers, and its rows for the plain functions."""

    path: Path
    rows: list[dict[str, str]]

    def values(self, columns: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the joint values of some columns, row by row."""
        return [tuple(row[column] for column in columns) for row in self.rows]


def load(path: Path, *, complete: bool) -> Table:
    """Write Adult as CSV: all rows, or those without an unknown value."""
    parquet = write_adult(path.parent)
    where = " AND ".join(f"\"{column}\" NOT IN ('?')" for column in COLUMNS_WITH_GAPS)
    rows = f"SELECT * FROM '{parquet}' WHERE {where if complete else 'true'}"
    duckdb.execute(f"COPY ({rows}) TO '{path}' (FORMAT csv, HEADER)")
    with path.open(encoding="utf-8") as file:
        return Table(path, list(csv.DictReader(file)))


def clock(ask: workers.Ask, asked: dict[str, Any], times: int = 1) -> float:
    """Ask a worker `times` times; return the median of the seconds on its own clock."""
    return statistics.median(float(ask(**asked)["seconds"]) for _ in range(times))


def audits(run: harness.Run, python: Path, table: Table, rounds: int) -> None:
    """Compare `audit` with pyCANON's delta-disclosure, and both with the truth.

    Both work on the same table in the same process, in the peers' environment. loglift also runs
    in its own environment, with a newer pandas, in another process.
    """
    run.say(f"audit: {len(table.rows):,} rows, pyCANON's delta-disclosure against loglift.audit")
    newer = f"loglift, pandas {harness.versions()['pandas']}"
    bars = []
    with (
        workers.worker(python, table.path) as both,
        workers.worker(sys.executable, table.path) as apart,
    ):
        for case in CASES:
            asked = {"task": "audit", "public": case.public, "sensitive": case.sensitive}
            theirs, ours = asked | {"library": "pycanon"}, asked | {"library": "loglift"}
            said = {"pyCANON": both(**theirs, warm=True), "loglift": both(**ours, warm=True)}
            apart(**ours, warm=True)
            sides = {
                "pyCANON": partial(clock, both, theirs),
                "loglift": partial(clock, both, ours, AUDITS_PER_TURN),
                newer: partial(clock, apart, ours, AUDITS_PER_TURN),
            }
            middle = harness.interleaved(sides, rounds)
            truth = naive.leakage(
                zip(table.values(case.public), table.values([case.sensitive]), strict=True)
            )
            name, slow = f"audit, {case.name}", middle["pyCANON"]
            run.compare(harness.faster(name, middle["loglift"], slow, AUDIT_BAR, "pyCANON"))
            run.compare(
                harness.faster(f"{name}, newer pandas", middle[newer], slow, None, "pyCANON")
            )
            told = ", ".join(f"{who} {float(found['leakage']):.4g}" for who, found in said.items())
            run.say(f"    leakage: {told}, truth {truth:.4g}")
            bars += [{"group": case.name, "side": s, "value": t} for s, t in middle.items()]
    run.bars.append(harness.Bars("audit", "Seconds of an audit of Adult", bars, log=True))


def notions(run: harness.Run, python: Path, table: Table) -> None:
    """Compare the figures of `audit` with pyCANON's, notion by notion.

    pyCANON has one t for a column, the ordered distance for numbers; its entropy l is a whole
    number, and its delta leaves zeros out.
    """
    run.say(f"notions: {len(table.rows):,} rows, pyCANON against loglift.audit")
    with workers.worker(python, table.path) as both:
        for case in (*CASES[:3], Case("education-num", ("sex", "occupation"))):
            asked = {"task": "notions", "public": case.public, "sensitive": case.sensitive}
            theirs, ours = (both(**asked, library=name) for name in ("pycanon", "loglift"))
            ours["t"] = ours["t_ordered"] or ours["t"]
            run.say(f"  {case.name}")
            for name in ("k", "distinct_l", "entropy_l", "t", "beta", "delta"):
                said, found = float(theirs[name]), float(ours[name])
                same = "" if math.isclose(said, found, rel_tol=MAX_ROUNDING) else ", which differs"
                run.say(f"    {name}: loglift {found:.6g}, pyCANON {said:.6g}{same}")


@dataclass(frozen=True)
class Release:
    """The figures of a release, or the error that prevented it."""

    seconds: float = 0.0
    kept: float = 0.0
    leakage: float = 0.0
    error: str = ""

    def told(self, eps: float) -> str:
        """Return a line with the figures, or the error."""
        if self.error:
            return self.error
        unsafe = "" if self.leakage <= eps + MAX_ROUNDING else " NOT SAFE"
        return f"kept {self.kept:.3f}, leakage {self.leakage:.3f}{unsafe}, {self.seconds:.2f} s"


def measure(table: Table, case: Case, released: Path, seconds: float) -> Release:
    """Return the figures of a release file."""
    seen = read_release(table, case, released)
    kept = naive.kept(zip(table.values(case.public), seen, strict=True))
    leakage = naive.leakage(zip(seen, table.values([case.sensitive]), strict=True))
    return Release(seconds, kept, leakage)


def read_release(table: Table, case: Case, released: Path) -> list[tuple[str, ...] | None]:
    """Return what readers see of each row; None for rows that are not in the file: suppressed."""
    with released.open(encoding="utf-8") as file:
        found = {int(row["row"]): row for row in csv.DictReader(file)}
    return [
        tuple(found[i][column] for column in case.public) if i in found else None
        for i in range(len(table.rows))
    ]


def release(
    python: Path | str, library: str, table: Table, case: Case, eps: float, limit: float
) -> Release:
    """Make a release with one library in its own process, and measure it."""
    target = table.path.with_name(f"{library}.csv")
    target.unlink(missing_ok=True)
    asked = {"library": library, "task": "protect", "target": str(target), "warm": True}
    asked |= {"public": case.public, "sensitive": case.sensitive, "eps": eps}
    found = workers.once(python, table.path, limit, **asked)
    if "error" in found:
        return Release(error=found["error"])
    if not target.exists():
        return Release(error="found no release")
    return measure(table, case, target, found["seconds"])


def protects(run: harness.Run, python: Path, table: Table, rounds: int, limit: float) -> None:
    """Compare `protect` with ANJANA's delta-disclosure: time, information kept, true leakage."""
    run.say(f"protect: {len(table.rows):,} rows, ANJANA's delta-disclosure (k = 1) against loglift")
    bars: list[dict[str, Any]] = []
    for case, eps in ((case, eps) for case in CASES for eps in EPS):
        found: dict[str, Release] = {}

        def side(who: str, python: Path | str, case: Case = case, eps: float = eps) -> float:
            found[who] = release(python, who.lower(), table, case, eps, limit)  # noqa: B023, called in this turn
            return found[who].seconds  # noqa: B023

        sides = {"ANJANA": partial(side, "ANJANA", python)}
        sides["loglift"] = partial(side, "loglift", sys.executable)
        middle = harness.interleaved(sides, rounds)
        name = f"{case.name}, eps {eps:g}"
        run.say(f"  {name}")
        for who, made in found.items():
            run.say(f"    {who}: {made.told(eps)}")
        if any(made.error for made in found.values()):
            continue
        bars += [{"group": name, "side": who, "value": found[who].kept} for who in found]
        ours, theirs = found["loglift"].kept, found["ANJANA"].kept
        run.compare(
            harness.within(f"time, {name}", middle["loglift"], middle["ANJANA"], 1, "ANJANA")
        )
        run.compare(harness.ahead(f"kept, {name}", ours, theirs, "above", "ANJANA", KEPT))
    run.bars.append(harness.Bars("anjana", "Information kept, beside ANJANA", bars))


def beside_apart(run: harness.Run, tables: Sequence[Table], limit: float) -> None:
    """Compare what `protect` keeps with the figures of apart.json, on the same number of rows."""
    for apart in json.loads((harness.FOLDER / "apart.json").read_text("utf-8")):
        table = next(table for table in tables if len(table.rows) == apart["rows"])
        tool = apart["tool"].partition(" ")[0]
        against = f"{tool}, measured apart"
        run.say(f"protect: {len(table.rows):,} rows, beside {apart['tool']}: {apart['how']}")
        bars: list[dict[str, Any]] = []
        for each in apart["kept"]:
            case, eps = Case(each["sensitive"], tuple(each["public"])), each["eps"]
            made = release(sys.executable, "loglift", table, case, eps, limit)
            name = f"{case.name}, eps {eps:g}"
            run.say(f"  {name}: loglift {made.told(eps)}")
            run.compare(
                harness.ahead(f"kept, {name}", made.kept, each["kept"], "above", against, KEPT)
            )
            sides = {tool: each["kept"], "loglift": made.kept}
            bars += [{"group": name, "side": who, "value": kept} for who, kept in sides.items()]
        run.bars.append(harness.Bars(f"{tool}-apart", f"Information kept, beside {against}", bars))


def main() -> None:
    """Make the environment, compare, write."""
    parser = harness.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--protect-rounds", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--only", choices=["audit", "anjana", "apart", "notions"])
    options = parser.parse_args()
    run = harness.begin(__file__, __doc__, options.results)
    python = workers.environment()
    run.extra = workers.versions_of(python)
    with tempfile.TemporaryDirectory() as name:
        whole = load(Path(name) / "adult.csv", complete=False)
        if options.only in (None, "audit"):
            audits(run, python, whole, options.rounds)
        if options.only in (None, "notions"):
            notions(run, python, whole)
        if options.only in (None, "anjana"):
            protects(run, python, whole, options.protect_rounds, options.timeout)
        if options.only in (None, "apart"):
            complete = load(Path(name) / "complete.csv", complete=True)
            beside_apart(run, [whole, complete], options.timeout)
    run.write()


if __name__ == "__main__":
    main()
