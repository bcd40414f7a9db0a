"""Exact merging against dynamic programming over subsets, and how far it gets.

At the paper's size (20 public, 13 sensitive values, uniform entries) both run on the same joints in
turns; beyond, where subsets are too many to go through, exact runs alone, with a time limit.

    python benchmarks/exact.py [--draws 1] [--sizes 40 60 100] [--limit 120]
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import naive
from loglift import merge
from loglift.joint import FloatArray
from reproduction import seconds

PUBLIC, SENSITIVE, FEW_SENSITIVE = 20, 13, 5


def joint(draw: int, public: int, sensitive: int) -> FloatArray:
    """Return a joint with uniform entries, the same for the same draw."""
    return np.random.default_rng(draw).random((public, sensitive))


def compare_with_subsets(draws: int) -> None:
    """Print the mean times of both, and what search loses against the optimum, for each eps."""
    naive.subset_dp(joint(0, 4, 3), 1.0, 1.0, 0.0)
    merge(joint(0, 8, 3), 1, "exact")
    print(f"exact: {PUBLIC} x {SENSITIVE} values, means of {draws} draws")
    for eps in (0.25, 0.5, 1.0, 2.0):
        slow, fast, best, found = [], [], [], []
        for draw in range(draws):
            mass = joint(draw, PUBLIC, SENSITIVE)
            slow.append(seconds(lambda m=mass, e=eps: naive.subset_dp(m, e, e, 0.0)))  # type: ignore[misc]
            fast.append(seconds(lambda m=mass, e=eps: merge(m, e, "exact")))  # type: ignore[misc]
            proven = merge(mass, eps, "exact")
            if not proven.optimal:
                print(f"  draw {draw} is not proven")
            best.append(proven.nmil)
            found.append(merge(mass, eps).nmil)
        print(
            f"  eps {eps:4}: subsets {np.mean(slow):6.2f} s, exact {np.mean(fast):5.2f} s, ratio "
            f"{np.mean(slow) / np.mean(fast):5.1f} (bar: 1); NMIL {np.mean(best):.4f}, search "
            f"{np.mean(found):.4f} (bar: 1 % more)"
        )


def go_further(sizes: list[int], limit: float) -> None:
    """Print the time and the gap that is left, at each size."""
    print(f"exact: {FEW_SENSITIVE} sensitive values, at most {limit:g} s")
    for public in sizes:
        for eps in (0.5, 1.0):
            mass = joint(0, public, FEW_SENSITIVE)
            begun = time.perf_counter()
            found = merge(mass, eps, "exact", time_limit=limit)
            taken = time.perf_counter() - begun
            gap = 1 - found.utility / found.upper_bound
            state = "proven" if found.optimal else f"gap {gap:.2%}"
            print(f"  {public:4} values, eps {eps:3}: {taken:6.1f} s, {state}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="*", default=[40, 60, 100])
    parser.add_argument("--limit", type=float, default=120)
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}")
    compare_with_subsets(options.draws)
    go_further(options.sizes, options.limit)


if __name__ == "__main__":
    main()
