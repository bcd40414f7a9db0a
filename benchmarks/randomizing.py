"""The best channel at the paper's size, against plain column generation in the same run.

The plain side is what the mathematics says, without more: a linear program over the posteriors
known, and pricing by successive linear programs over Q, each through HiGHS, from the posteriors in
use and from random directions. Both see the same joints; the plain side runs on the first few.

    python benchmarks/randomizing.py [--draws 6] [--plain 2]
"""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path

import highspy
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from loglift import Mechanism, randomize
from loglift.joint import FloatArray
from loglift.measures.entropy import entropy, plogp
from reproduction import seconds

EPS = (0.25, 0.5, 1.0, 2.0)
STALLED = 2  # rounds without a new posterior after which the plain side gives up


def joint(seed: int) -> FloatArray:
    """Return a uniform iid joint of 20 public and 13 sensitive values."""
    mass = np.random.default_rng(seed).random((20, 13))
    scaled: FloatArray = mass / mass.sum()
    return scaled


def program(rows: FloatArray, least: FloatArray, most: FloatArray) -> highspy.Highs:
    """Return min 0 over q >= 0 with least <= rows q <= most, to be given costs."""
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    for _ in range(rows.shape[1]):
        highs.addCol(0.0, 0.0, np.inf, 0, np.empty(0, np.int32), np.empty(0))
    for row, low, high in zip(rows, least, most, strict=True):
        highs.addRow(low, high, row.size, np.arange(row.size, dtype=np.int32), row)
    return highs


def vertex(highs: highspy.Highs, cost: FloatArray) -> FloatArray:
    """Return the point of least cost."""
    highs.changeColsCost(cost.size, np.arange(cost.size, dtype=np.int32), cost)
    highs.run()
    found: FloatArray = np.maximum(np.array(highs.getSolution().col_value), 0)
    return found


def climb(highs: highspy.Highs, q: FloatArray, price: FloatArray) -> FloatArray:
    """Go to the best vertex for the slope of sum q log q + price.q, until that gains nothing."""
    score = plogp(q).sum() + price @ q
    while True:
        new = vertex(highs, -(np.log(np.maximum(q, 1e-12)) + 1 + price))
        found = plogp(new).sum() + price @ new
        if found <= score + 1e-9:
            return q
        q, score = new, found


def plain(mass: FloatArray, eps: float) -> float:
    """NMIL of plain column generation."""
    p, random = mass.sum(axis=1), np.random.default_rng(0)
    n, m = mass.shape
    rows = np.vstack([(mass / p[:, np.newaxis] / mass.sum(axis=0)).T, np.ones(n)])
    inside = program(
        rows, np.append(np.full(m, np.exp(-eps)), 1), np.append(np.full(m, np.exp(eps)), 1)
    )
    known = [p, *(vertex(inside, -np.eye(n)[x]) for x in range(n))]
    stalled, loss = 0, 0.0
    while stalled < STALLED:
        columns = np.array(known).T
        master = program(columns, p, p)
        weights = vertex(master, -plogp(columns).sum(axis=0))
        loss = master.getInfo().objective_function_value
        price = np.array(master.getSolution().row_dual)
        starts = [known[i] for i in np.flatnonzero(weights > 1e-9)]  # noqa: PLR2004, in use
        starts += [vertex(inside, random.normal(size=(n,))) for _ in range(n)]
        found = [climb(inside, start, price) for start in starts]
        new = [q for q in found if plogp(q).sum() + price @ q > 1e-7]  # noqa: PLR2004, helps
        stalled = 0 if new else stalled + 1
        known += new
    return loss / entropy(p)


def compare(eps: float, draws: int, few: int) -> None:
    """Print NMIL and mean seconds of both at one eps."""
    found: list[Mechanism] = []
    losses: list[float] = []
    ours = [seconds(lambda s=seed: found.append(randomize(joint(s), eps))) for seed in range(draws)]  # type: ignore[misc]
    slow = [seconds(lambda s=seed: losses.append(plain(joint(s), eps))) for seed in range(few)]  # type: ignore[misc]
    proven, same = sum(m.optimal for m in found), [m.nmil for m in found[:few]]
    print(
        f"  eps {eps:<4g}  NMIL {np.mean([m.nmil for m in found]):.4f}, proven optimal "
        f"{proven}/{draws}, {np.mean(ours):.2f} s; on the first {few}: NMIL {np.mean(same):.4f} "
        f"to {np.mean(losses):.4f} plain, {np.mean(slow) / np.mean(ours[:few]):.1f} times the time"
    )


def main() -> None:
    """Print NMIL and seconds of both at every eps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--plain", type=int, default=2)
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
    randomize(joint(0), 1.0)
    print(f"randomizing: 20 public x 13 sensitive values, means of {options.draws} joints")
    for eps in EPS:
        compare(eps, options.draws, options.plain)


if __name__ == "__main__":
    main()
