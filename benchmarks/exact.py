"""Exact merging against dynamic programming over subsets, and how far it gets.

At the paper's size (20 public, 13 sensitive values, uniform entries) both run on the same joints in
turns. Larger alphabets have too many subsets: there, exact runs alone, with a time limit.

    python benchmarks/exact.py [--draws 1] [--sizes 40 60 100] [--limit 120]
"""

from __future__ import annotations

from functools import partial

import numpy as np

import harness
import naive
from loglift import merge
from loglift.joint import FloatArray

PUBLIC, SENSITIVE, FEW_SENSITIVE = 20, 13, 5
FAST_ROUNDS = 3  # runs of exact for its median; the subsets take seconds and run once


def joint(draw: int, public: int, sensitive: int) -> FloatArray:
    """Return a joint with uniform entries, the same for the same draw."""
    return np.random.default_rng(draw).random((public, sensitive))


def compare_with_subsets(run: harness.Run, draws: int) -> None:
    """Compare the mean times of both, and the loss of search with the optimum, at each eps."""
    naive.subset_dp(joint(0, 4, 3), 1.0, 1.0, 0.0)
    merge(joint(0, 8, 3), 1, "exact")
    run.say(f"exact: {PUBLIC} x {SENSITIVE} values, means of {draws} draws")
    for eps in (0.25, 0.5, 1.0, 2.0):
        slow, fast, best, found = [], [], [], []
        for draw in range(draws):
            mass = joint(draw, PUBLIC, SENSITIVE)
            slow.append(harness.seconds(partial(naive.subset_dp, mass, eps, eps, 0.0)))
            exactly = partial(merge, mass, eps, "exact")
            fast.append(
                harness.interleaved({"exact": harness.timed(exactly)}, FAST_ROUNDS)["exact"]
            )
            proven = exactly()
            if not proven.optimal:
                run.say(f"  draw {draw} is not proven")
            best.append(proven.nmil)
            found.append(merge(mass, eps).nmil)
        name, times = f"eps {eps:g}", (float(np.mean(fast)), float(np.mean(slow)))
        run.compare(harness.faster(f"exact, {name}", *times, 1, "subsets"))
        losses = (float(np.mean(found)), float(np.mean(best)))
        run.compare(harness.within(f"search, {name}", *losses, 1.01, "exact", "NMIL"))


def go_further(run: harness.Run, sizes: list[int], limit: float) -> None:
    """Measure the time, and the gap that is left, at each size."""
    run.say(f"exact: {FEW_SENSITIVE} sensitive values, at most {limit:g} s")
    for public in sizes:
        for eps in (0.5, 1.0):
            mass = joint(0, public, FEW_SENSITIVE)
            taken, found = harness.clocked(partial(merge, mass, eps, "exact", time_limit=limit))
            gap = 1 - found.utility / found.upper_bound
            state = "proven" if found.optimal else f"gap {gap:.2%}"
            run.say(f"  {public:4} values, eps {eps:3}: {taken:6.1f} s, {state}")


def main() -> None:
    """Measure, print and write."""
    parser = harness.parser(__doc__)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="*", default=[40, 60, 100])
    parser.add_argument("--limit", type=float, default=120)
    options = parser.parse_args()
    run = harness.begin(__file__, __doc__, options.results)
    compare_with_subsets(run, options.draws)
    if options.sizes:
        go_further(run, options.sizes, options.limit)
    run.write()


if __name__ == "__main__":
    main()
