"""t-closeness beside ANJANA on UCI Adult: what a release keeps at the same t.

ANJANA's t-closeness with k = 1, which demands nothing, and the hierarchies of peer_worker.py, on
which its result depends; loglift's with no bound on log-lift. Each runs in its own environment on
the same table. Plain functions measure every release from its rows: the information kept of whole
rows, I(X;Y)/H(X), the mean over public columns of I(X_j;Y)/H(X_j), and the true t, the largest
total variation distance between p(s|y) and p(s). Suppressed rows are one value, and p(s) is that
of the original table. Times are printed, without a bar.

    python benchmarks/closeness.py [--timeout 120]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import harness
import naive
import peers
import workers

CASES = peers.CASES[:2]
LIMITS = (0.1, 0.2)
OF_ROWS, OF_COLUMNS = "of H(X)", "of H(X_j), mean"


@dataclass(frozen=True)
class Release:
    """What a release keeps of rows and of columns, its true t, the seconds it took."""

    kept: float
    columns: float
    t: Fraction
    seconds: float

    def told(self, limit: float) -> str:
        """Return a line with the figures."""
        over = "" if self.t <= Fraction(str(limit)) else " NOT MET"
        return (
            f"kept {self.kept:.3f}, columns {self.columns:.3f}, t {float(self.t):.4f}{over}, "
            f"{self.seconds:.2f} s"
        )


def true_t(pairs: Iterable[tuple[Hashable, Hashable]]) -> Fraction:
    """Return max over y of 1/2 sum over s of |p(s|y) - p(s)|, of records (y, s), exactly."""
    records = list(pairs)
    joint, ys, ss = Counter(records), Counter(y for y, _ in records), Counter(s for _, s in records)
    shares = {s: Fraction(count, len(records)) for s, count in ss.items()}
    return max(
        sum((abs(Fraction(joint[y, s], size) - share) for s, share in shares.items()), Fraction(0))
        for y, size in ys.items()
    ) / Fraction(2)


def release(
    python: Path | str, library: str, table: peers.Table, case: peers.Case, t: float, limit: float
) -> Release | str:
    """Make a release with one library and measure it; or return the error that prevented it."""
    target = table.path.with_name(f"{library}-close.csv")
    target.unlink(missing_ok=True)
    asked = {"library": library, "task": "t-closeness", "target": str(target), "warm": True}
    asked |= {"public": case.public, "sensitive": case.sensitive, "t": t}
    found = workers.once(python, table.path, limit, **asked)
    if "error" in found:
        return str(found["error"])
    if not target.exists():
        return "found no release"
    seen = peers.read_release(table, case, target)
    return measured(table, case, seen, found["seconds"])


def measured(
    table: peers.Table, case: peers.Case, seen: list[tuple[str, ...] | None], seconds: float
) -> Release:
    """Return the figures of what readers see of each row."""
    columns = [naive.kept(zip(table.values([c]), seen, strict=True)) for c in case.public]
    return Release(
        kept=naive.kept(zip(table.values(case.public), seen, strict=True)),
        columns=statistics.fmean(columns),
        t=true_t(zip(seen, table.values([case.sensitive]), strict=True)),
        seconds=seconds,
    )


def compare(run: harness.Run, python: Path, table: peers.Table, limit: float) -> None:
    """Compare what both keep at the same t."""
    run.say(f"t-closeness: {len(table.rows):,} rows, ANJANA (k = 1) against loglift")
    bars: list[dict[str, Any]] = []
    for case, t in ((case, t) for case in CASES for t in LIMITS):
        name = f"{case.name}, t {t:g}"
        theirs = release(python, "anjana", table, case, t, limit)
        ours = release(sys.executable, "loglift", table, case, t, limit)
        run.say(f"  {name}")
        for who, made in (("ANJANA", theirs), ("loglift", ours)):
            run.say(f"    {who}: {made if isinstance(made, str) else made.told(t)}")
        if isinstance(theirs, str) or isinstance(ours, str):
            continue
        run.compare(
            harness.ahead(f"kept, {name}", ours.kept, theirs.kept, "above", "ANJANA", OF_ROWS)
        )
        run.compare(
            harness.ahead(
                f"columns, {name}", ours.columns, theirs.columns, "above", "ANJANA", OF_COLUMNS
            )
        )
        run.compare(
            harness.Ratio(
                f"true t, {name}", float(ours.t), t, float(ours.t) / t, 1, "at most", "", "t asked"
            )
        )
        sides = {"ANJANA": theirs, "loglift": ours}
        bars += [{"group": name, "side": who, "value": made.columns} for who, made in sides.items()]
    title = "t-closeness: information of columns kept, beside ANJANA"
    run.bars.append(harness.Bars("columns", title, bars))


def main() -> None:
    """Make the environment, compare, write."""
    parser = harness.parser(__doc__)
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_args()
    run = harness.begin(__file__, __doc__, options.results)
    python = workers.environment()
    run.extra = workers.versions_of(python)
    with tempfile.TemporaryDirectory() as name:
        table = peers.load(Path(name) / "adult.csv", complete=False)
        compare(run, python, table, options.timeout)
    run.write()


if __name__ == "__main__":
    main()
