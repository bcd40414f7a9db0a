"""Find out whether this checkout is slower, needs more memory, or loses more information.

Each case of cases.py runs on the base commit and on this checkout in turns, in new processes; the
smallest figure of each side counts, because other load on the machine only adds. A case in which a
figure of this checkout is more than 1.3 times the base's is measured again, up to three times; if
it still is, it is named, and the exit code is 1. Both sides run on the same machine in the same
minutes, so that an unchanged checkout passes on any machine. About four minutes.

    python benchmarks/check.py [--base REVISION] [--only TEXT]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import base

ROOT = Path(__file__).parents[1]
MAX_RATIO = 1.3  # of a figure of this checkout to the base's
MAX_REPEATS = 3  # measurements after the first, of a case that seems to have lost
MAX_ROUNDS = 6
MIN_ROUNDS = 2
CASE_SECONDS = 4.0  # after which a case that has its least rounds gets no more
LONG_SECONDS = 15.0  # of both sides together: a case whose work takes longer gets one round

Figures: TypeAlias = dict[str, float]
Measure: TypeAlias = Callable[[str], Figures]
# What `make setup` runs, too: small problems then find the loops compiled on both sides.
COMPILE = (
    "import numpy, loglift; loglift.merge(numpy.random.default_rng(0).random((100, 3)), eps=0.5)"
)
UNITS = {"seconds": "s", "gigabytes": "GB", "lost": "of H(X) lost"}


class BrokenCaseError(Exception):
    """A case does not run, or does not run the source that it shall measure."""


class NotComparableError(Exception):
    """The base cannot run a case: it is older than what the case uses."""


@dataclass(frozen=True)
class Side:
    """A tree of files: the base or this checkout. Its cases run on its source."""

    tree: Path
    cases: Path

    @classmethod
    def of(cls, tree: Path) -> Side:
        """Return a side with its own cases; those of this checkout where it has none."""
        own = tree / "benchmarks" / "cases.py"
        return cls(tree, own if own.exists() else ROOT / "benchmarks" / "cases.py")

    def compile(self) -> None:
        """Compile the loops that are not compiled yet."""
        self._run("-c", COMPILE)

    def names(self) -> list[str]:
        """Return the names of the cases."""
        found: list[str] = json.loads(self._run(str(self.cases), "--names"))
        return found

    def measure(self, case: str) -> Figures:
        """Run one case in a new process; each figure is better when it is smaller."""
        printed = json.loads(self._run(str(self.cases), case).splitlines()[-1])
        if not Path(printed["source"]).is_relative_to(self.tree):
            raise BrokenCaseError(f"{case!r} measured {printed['source']}, not {self.tree}")
        figures: Figures = printed["figures"]
        return figures

    def _run(self, *arguments: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(  # noqa: S603, ourselves
                [sys.executable, *arguments],
                cwd=folder,
                env=os.environ | {"PYTHONPATH": str(self.tree / "src")},
                check=False,
                capture_output=True,
                text=True,
            )
        if done.returncode:
            raise BrokenCaseError(f"{arguments[-1]!r} failed in {self.tree}:\n{done.stderr}")
        return done.stdout


@dataclass(frozen=True)
class Pair:
    """The smallest figures of both sides in one case."""

    base: Figures
    now: Figures

    def merged(self, other: Pair) -> Pair:
        """Return the smallest figures of two measurements."""
        return Pair(_smallest(self.base, other.base), _smallest(self.now, other.now))

    def ratios(self) -> dict[str, float]:
        """Return this checkout's figure over the base's, for the figures that both have."""
        both = [name for name in self.base if name in self.now]
        return {name: _ratio(self.now[name], self.base[name]) for name in both}

    def lost(self) -> list[str]:
        """Return the names of the figures that are too much larger than the base's."""
        return [name for name, ratio in self.ratios().items() if ratio > MAX_RATIO]


def _smallest(one: Figures, other: Figures) -> Figures:
    return {name: min(one[name], other[name]) for name in one}


def _ratio(now: float, before: float) -> float:
    """Return now/before; 1 where both are 0, infinite where only `before` is."""
    if before == 0:
        return 1.0 if now == 0 else float("inf")
    return now / before


def interleaved(
    case: str, before: Measure, now: Measure, clock: Callable[[], float] = time.monotonic
) -> Pair:
    """Measure a case on both sides in turns: A B, B A, A B, ... while there is time.

    The first round may compile loops, so that it does not use up the time of the others.
    """
    try:
        first = before(case)
    except BrokenCaseError as error:
        raise NotComparableError(str(error)) from error
    pair = Pair(first, now(case))
    start = clock()
    if pair.base["seconds"] + pair.now["seconds"] > LONG_SECONDS:
        return pair
    for done in range(1, MAX_ROUNDS):
        if done >= MIN_ROUNDS and clock() - start > CASE_SECONDS:
            break
        if done % 2:
            second = now(case)
            again = Pair(before(case), second)
        else:
            again = Pair(before(case), now(case))
        pair = pair.merged(again)
    return pair


def compare(
    names: Iterable[str],
    before: Measure,
    now: Measure,
    tell: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Pair]:
    """Measure every case, and again those that seem to have lost; return the pairs of figures."""
    pairs: dict[str, Pair] = {}
    for name in names:
        try:
            pair = interleaved(name, before, now, clock)
        except NotComparableError as error:
            tell(f"{name:36}  not compared: {str(error).splitlines()[-1]}")
            continue
        for _ in range(MAX_REPEATS):
            if pair.lost():
                pair = pair.merged(interleaved(name, before, now, clock))
        pairs[name] = pair
        tell(row(name, pair))
    return pairs


def row(name: str, pair: Pair) -> str:
    """Return the line of the table for one case."""
    cells = [f"{name:36}"]
    for figure in UNITS:
        if figure in pair.base and figure in pair.now:
            was, is_now = pair.base[figure], pair.now[figure]
            cells.append(f"{was:8.3g} {is_now:8.3g} {pair.ratios()[figure]:6.2f}")
        else:
            cells.append(" " * 24)
    lost = pair.lost()
    return "  ".join([*cells, f"LOST: {', '.join(lost)}" if lost else ""]).rstrip()


def head() -> str:
    """Return the first lines of the table."""
    above = "".join(f"  {unit:^24}" for unit in UNITS.values())
    under = f"  {'base':>8} {'now':>8} {'ratio':>6}" * len(UNITS)
    return f"{'':36}{above}\n{'case':36}{under}"


def shared(base_names: list[str], names: list[str], only: str) -> list[str]:
    """Return the cases that both sides have and that contain a text, in this checkout's order."""
    return [name for name in names if name in base_names and only in name]


def verdict(pairs: Mapping[str, Pair]) -> tuple[str, int]:
    """Return the last line, and the exit code."""
    if not pairs:
        return "no case to compare", 1
    lost = [f"{name} ({', '.join(pair.lost())})" for name, pair in pairs.items() if pair.lost()]
    if lost:
        return f"LOST against the base in every measurement: {'; '.join(lost)}", 1
    return f"cases compared: {len(pairs)}; no figure is over {MAX_RATIO:g} times the base's", 0


def main() -> None:
    """Compare, print the table, and exit with 1 if something is lost."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", help="the revision to compare with")
    parser.add_argument("--only", default="", help="compare the cases whose name has this text")
    options = parser.parse_args()
    try:
        chosen = base.choose_base(ROOT, options.base)
        print(f"base: {base.title(ROOT, chosen.commit)} ({chosen.why})")
        tree = base.extract(ROOT, chosen.commit, ROOT / "build" / "bench-base" / chosen.commit)
        before, now = Side.of(tree), Side.of(ROOT)
        base_names, names = before.names(), now.names()
        for name in sorted(set(base_names) ^ set(names)):
            print(f"not compared, only on one side: {name}")
        before.compile()
        now.compile()
        print(head(), flush=True)
        pairs = compare(
            shared(base_names, names, options.only),
            before.measure,
            now.measure,
            partial(print, flush=True),
        )
    except (base.NoBaseError, BrokenCaseError) as error:
        sys.exit(f"Error: {error}")
    text, code = verdict(pairs)
    print(text)
    sys.exit(code)


if __name__ == "__main__":
    main()
