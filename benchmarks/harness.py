"""Shared by the benchmarks: run sides in turns, take medians, compute ratios, write results.

A script measures, prints what it finds, and writes benchmarks/results/NAME.json. page.py turns
those files into the documentation's page.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import loglift

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results"
LIBRARIES = ("numpy", "numba", "duckdb", "highspy", "narwhals", "pandas")

# The plain code to compare with is in tests/naive.py.
sys.path.append(str(FOLDER.parent / "tests"))

Direction: TypeAlias = Literal["at least", "at most", "above"]
Side: TypeAlias = Callable[[], float]
Found = TypeVar("Found")


@dataclass(frozen=True)
class Ratio:
    """A figure of loglift (`ours`) beside the same figure of something else (`theirs`).

    The bar is a limit of `ratio`: theirs/ours for "times faster", else ours/theirs. x/0 is
    infinite, 0/0 is 1.
    """

    name: str
    ours: float
    theirs: float
    ratio: float
    bar: float | None
    direction: Direction
    unit: str = "s"
    against: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the bar is reached; None without one."""
        if self.bar is None:
            return None
        return {
            "at least": self.ratio >= self.bar,
            "at most": self.ratio <= self.bar,
            "above": self.ratio > self.bar,
        }[self.direction]

    def told(self) -> str:
        """Return the line that is printed."""
        bar = "" if self.bar is None else f" (bar: {self.direction} {self.bar:g})"
        missed = ", NOT REACHED" if self.reached is False else ""
        return (
            f"  {self.name}: {self.against or 'theirs'} {figure(self.theirs)} {self.unit}, loglift "
            f"{figure(self.ours)} {self.unit}, ratio {figure(self.ratio)}{bar}{missed}"
        )


def faster(name: str, ours: float, theirs: float, bar: float | None, against: str) -> Ratio:
    """Return theirs/ours: how many times faster loglift is. It must be at least the bar."""
    return Ratio(name, ours, theirs, divided(theirs, ours), bar, "at least", "s", against)


def within(
    name: str, ours: float, theirs: float, bar: float | None, against: str, unit: str = "s"
) -> Ratio:
    """Return ours/theirs of a figure that should be small. It must be at most the bar."""
    return Ratio(name, ours, theirs, divided(ours, theirs), bar, "at most", unit, against)


def ahead(
    name: str, ours: float, theirs: float, direction: Direction, against: str, unit: str
) -> Ratio:
    """Return ours/theirs of a figure that should be large. It must be at least, or above, 1."""
    return Ratio(name, ours, theirs, divided(ours, theirs), 1, direction, unit, against)


def divided(a: float, b: float) -> float:
    """Return a/b; x/0 is infinite, 0/0 is 1."""
    if b == 0:
        return 1.0 if a == 0 else math.inf
    return a / b


def figure(value: float) -> str:
    """Return a number with three digits, or in full from 1000 on."""
    if math.isinf(value):
        return "infinite"
    if abs(value) >= 1000:  # noqa: PLR2004, three digits would be a power of ten
        return f"{value:,.0f}"
    return f"{value:.3g}"


@dataclass(frozen=True)
class Curve:
    """Seconds and peak memory by size. `exponent` is the slope of log seconds over log x."""

    name: str
    x_title: str
    points: Sequence[Mapping[str, float]]
    exponent: float | None = None


@dataclass(frozen=True)
class Bars:
    """A chart: the value of each side in each group."""

    name: str
    title: str
    rows: Sequence[Mapping[str, Any]]
    log: bool = False


@dataclass
class Run:
    """The results of one script: printed as they come, written to a file at the end."""

    name: str
    about: str
    results: Path = RESULTS
    lines: list[str] = field(default_factory=list)
    ratios: list[Ratio] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    bars: list[Bars] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)

    def say(self, line: str) -> None:
        """Print a line, and keep it for the page."""
        print(line, flush=True)
        self.lines.append(line)

    def compare(self, ratio: Ratio) -> None:
        """Print a ratio, and keep it."""
        self.ratios.append(ratio)
        self.say(ratio.told())

    def write(self) -> None:
        """Write NAME.json; an infinite number becomes the text "inf"."""
        document = {
            "name": self.name,
            "about": self.about,
            "command": " ".join(["python", f"benchmarks/{self.name}.py", *_arguments()]),
            "date": datetime.now(UTC).date().isoformat(),
            "machine": machine(),
            "versions": versions() | self.extra,
            "ratios": [asdict(ratio) | {"reached": ratio.reached} for ratio in self.ratios],
            "curves": [asdict(curve) for curve in self.curves],
            "bars": [asdict(bars) for bars in self.bars],
            "lines": self.lines,
        }
        self.results.mkdir(parents=True, exist_ok=True)
        text = json.dumps(_plain(document), indent=1, ensure_ascii=False, allow_nan=False)
        (self.results / f"{self.name}.json").write_text(text + "\n", "utf-8")


def plain_parser(doc: str) -> argparse.ArgumentParser:
    """Return a parser that shows the script's docstring as it is."""
    return argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def parser(doc: str) -> argparse.ArgumentParser:
    """Return a parser that shows the script's docstring, with the option `--results`."""
    found = plain_parser(doc)
    found.add_argument("--results", type=Path, default=RESULTS, help="the folder of NAME.json")
    return found


def begin(file: str, doc: str, results: Path) -> Run:
    """Print the facts of the machine, and return the run of a script."""
    run = Run(Path(file).stem, doc.partition("\n\n    python ")[0], results)
    facts, found = machine(), versions()
    print(
        f"{facts['cores']} cores, {facts['memory']} GB, {facts['cpu']}, load {facts['load']}; "
        + ", ".join(f"{name} {version}" for name, version in found.items())
    )
    return run


def clocked(work: Callable[[], Found]) -> tuple[float, Found]:
    """Call `work`; return its wall time in seconds, and its result."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def seconds(work: Callable[[], object]) -> float:
    """Call `work`; return its wall time in seconds."""
    return clocked(work)[0]


def timed(work: Callable[[], object]) -> Side:
    """Return a side that does the work and returns its wall time in seconds."""
    return lambda: seconds(work)


def interleaved(sides: Mapping[str, Side], rounds: int) -> dict[str, float]:
    """Run all sides in turns, `rounds` times; return the median of each side.

    In turns, because other load on the machine then slows all sides.
    """
    found: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            found[name].append(side())
    return {name: statistics.median(values) for name, values in found.items()}


def machine() -> dict[str, Any]:
    """Return the facts of this machine: cores, memory in GB, processor, system, current load."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return {
        "cores": len(os.sched_getaffinity(0)),
        "memory": round(memory, 1),
        "cpu": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 2),
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that do the work."""
    found = {name: metadata.version(name) for name in LIBRARIES}
    return {"Python": platform.python_version(), "loglift": loglift.__version__, **found}


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text("utf-8").splitlines() if information.exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _arguments() -> list[str]:
    """Return the options of the script, without `--results` and its folder."""
    given = sys.argv[1:]
    if "--results" in given:
        at = given.index("--results")
        given = given[:at] + given[at + 2 :]
    return given


def _plain(value: Any) -> Any:
    """Return a document for JSON: infinite numbers as texts, other numbers with six digits."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return str(value) if math.isinf(value) else float(f"{value:.6g}")
    return value
