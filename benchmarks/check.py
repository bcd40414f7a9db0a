"""Has a ratio been lost? A fast part of the benchmarks, against the committed baseline.

Ratios carry over to other machines better than seconds do. One that is more than 30 % worse than
the baseline's is measured once more, because a busy machine can do that; if it is as bad again, it
is named, and the exit code is 1.

    python benchmarks/check.py [--update]
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import harness

# What is run, and how: minutes in all.
FAST = {
    "reproduction": ["--draws", "300", "--rounds", "5"],
    "merging": ["--sizes"],
    "exact": ["--sizes"],
    "startup": ["--rounds", "15", "--protect-rounds", "1"],
    "protect": ["--rows", "5000000"],
    "peers": ["--only", "audit", "--rounds", "1"],
}
BASELINE = harness.FOLDER / "baseline.json"
LOSS = 0.3

Ratios: TypeAlias = dict[str, dict[str, Any]]


def measure(folder: Path, scripts: Iterable[str]) -> Ratios:
    """Run scripts of the fast part; ratio and direction of each figure, by script and name."""
    found: Ratios = {}
    for name in scripts:
        script = str(harness.FOLDER / f"{name}.py")
        command = [sys.executable, script, *FAST[name], "--results", str(folder)]
        subprocess.run(command, check=True)  # noqa: S603, ourselves
        document = json.loads((folder / f"{name}.json").read_text("utf-8"))
        for ratio in document["ratios"]:
            kept = {"ratio": ratio["ratio"], "direction": ratio["direction"]}
            found[f"{name}: {ratio['name']}"] = kept
    return found


def loss(before: float, now: float, direction: str) -> float:
    """Return the share of a ratio that is lost: 0.3 for 30 %; negative for a gain."""
    if direction == "at most":
        before, now = now, before
    if before == 0:
        return 0.0
    return 1 - now / before if math.isfinite(before) else float(math.isfinite(now))


def losses(baseline: Ratios, now: Ratios) -> dict[str, str]:
    """Return what is told of each ratio that lost too much, or is not measured any more."""
    lost = {}
    for name, before in baseline.items():
        if name not in now:
            lost[name] = "in the baseline, but not measured"
            continue
        was, is_now = float(before["ratio"]), float(now[name]["ratio"])
        share = loss(was, is_now, before["direction"])
        if share > LOSS:
            lost[name] = f"{was:.3g} in the baseline, now {is_now:.3g}: {share:.0%} lost"
    return lost


def lost_twice(baseline: Ratios, measuring: Callable[[Iterable[str]], Ratios]) -> dict[str, str]:
    """Return what is lost when all is measured, and again when only its scripts are."""
    lost = losses(baseline, measuring(FAST))
    if not lost:
        return lost
    scripts = dict.fromkeys(name.partition(":")[0] for name in lost)
    return losses({name: baseline[name] for name in lost}, measuring(scripts))


def main() -> None:
    """Measure and compare, or measure and keep."""
    parser = harness.plain_parser(__doc__)
    parser.add_argument("--update", action="store_true", help="make this the baseline")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measuring = partial(measure, Path(folder))
        if options.update:
            BASELINE.write_text(json.dumps(measuring(FAST), indent=1) + "\n", "utf-8")
            return
        lost = lost_twice(json.loads(BASELINE.read_text("utf-8")), measuring)
    for name, told in lost.items():
        print(f"LOST {name}: {told}")
    if lost:
        sys.exit(1)
    print("no ratio lost more than 30 %")


if __name__ == "__main__":
    main()
