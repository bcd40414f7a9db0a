"""Merging at scale: Algorithm 1 against plain NumPy, and the growth of search.

Algorithm 1 runs on 10,000 values x 13 sensitive values; the plain transcription is measured at
500, 1000 and 2000 values and extrapolated by its own quadratic fit. Search runs at doubling sizes.

    python benchmarks/merging.py [--sizes 25000 50000 100000]
"""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import naive
from loglift import merge
from loglift.joint import FloatArray
from reproduction import seconds

SENSITIVE, LARGE, EPS = 13, 10_000, 1.0


def joint(n: int) -> FloatArray:
    """Return a random joint of n values, the same for the same n."""
    return np.random.default_rng(n).random((n, SENSITIVE))


def compare_algorithm1() -> None:
    """Print the time of Algorithm 1, plain and compiled, and their ratio at 10,000 values."""
    sizes = [500, 1000, 2000]
    plain = [seconds(lambda n=n: naive.algorithm1(joint(n), EPS)) for n in sizes]  # type: ignore[misc]
    fit = np.polyfit(sizes, plain, 2)
    slow = float(np.polyval(fit, LARGE))
    merge(joint(50), EPS, "greedy")
    fast = seconds(lambda: merge(joint(LARGE), EPS, "greedy"))
    print(f"Algorithm 1: {LARGE:,} values x {SENSITIVE} sensitive values, eps {EPS:g}")
    measured = ", ".join(f"{n}: {t:.2f} s" for n, t in zip(sizes, plain, strict=True))
    print(f"  plain NumPy  {slow:8.2f} s  (quadratic fit of {measured})")
    print(f"  loglift      {fast:8.2f} s")
    print(f"  ratio        {slow / fast:8.1f}  (bar: 100)")


def grow_search(sizes: list[int]) -> None:
    """Print time and utility of search at each size, and the ratios between them."""
    merge(joint(50), EPS, iterations=10)
    print(f"search: {SENSITIVE} sensitive values, eps {EPS:g}")
    before = None
    for n in sizes:
        taken = seconds(lambda n=n: merge(joint(n), EPS))  # type: ignore[misc]
        kept = 1 - merge(joint(n), EPS, iterations=0).nmil
        ratio = "" if before is None else f", {taken / before:.2f} times the time (bar: 2.5)"
        print(f"  {n:8,} values  {taken:6.1f} s, keeps at least {kept:.2%}{ratio}")
        before = taken


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[25_000, 50_000, 100_000])
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
    compare_algorithm1()
    grow_search(options.sizes)


if __name__ == "__main__":
    main()
