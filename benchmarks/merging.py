"""Merging at scale and at tight bounds: Algorithm 1 against plain NumPy, search and its bound.

Algorithm 1 runs on 10,000 values x 13 sensitive values; the plain transcription is measured at
500, 1000 and 2000 values and extrapolated by its own quadratic fit. Search runs at doubling sizes.
At tight bounds, what search keeps by default is compared with what is proven that no partition
exceeds.

    python benchmarks/merging.py [--sizes 25000 50000 100000] [--seed 0]
"""

from __future__ import annotations

from functools import partial

import numpy as np

import harness
import naive
from loglift import entropy, merge
from loglift.joint import FloatArray

SENSITIVE, LARGE, EPS = 13, 10_000, 1.0
TIGHT_EPS = 0.25
# Values, sensitive values, and the share of the bound that search must keep.
TIGHT = ((40, 13, 0.94), (100, 13, 0.97), (300, 13, 0.98), (1000, 13, 0.98), (1000, 50, None))


def joint(n: int) -> FloatArray:
    """Return a random joint of n values, the same for the same n."""
    return np.random.default_rng(n).random((n, SENSITIVE))


def compare_algorithm1(run: harness.Run, rounds: int) -> None:
    """Compare the time of Algorithm 1, plain and compiled, at 10,000 values."""
    sizes = [500, 1000, 2000]
    merge(joint(50), EPS, "greedy")
    sides = {str(n): harness.timed(partial(naive.algorithm1, joint(n), EPS)) for n in sizes}
    sides["loglift"] = harness.timed(partial(merge, joint(LARGE), EPS, "greedy"))
    middle = harness.interleaved(sides, rounds)
    plain = [middle[str(n)] for n in sizes]
    slow = float(np.polyval(np.polyfit(sizes, plain, 2), LARGE))
    run.say(f"Algorithm 1: {LARGE:,} values x {SENSITIVE} sensitive values, eps {EPS:g}")
    measured = ", ".join(f"{n}: {t:.2f} s" for n, t in zip(sizes, plain, strict=True))
    run.say(f"  plain NumPy is the quadratic fit of {measured}")
    run.compare(harness.faster("Algorithm 1", middle["loglift"], slow, 100, "plain NumPy"))


def grow_search(run: harness.Run, sizes: list[int]) -> None:
    """Measure time and utility of search at each size; compare each time with the one before."""
    merge(joint(50), EPS, iterations=10)
    run.say(f"search: {SENSITIVE} sensitive values, eps {EPS:g}")
    before, points = None, []
    for n in sizes:
        taken = harness.seconds(partial(merge, joint(n), EPS))
        kept = 1 - merge(joint(n), EPS, iterations=0).nmil
        run.say(f"  {n:8,} values  {taken:6.1f} s, keeps at least {kept:.2%}")
        if before is not None:
            name = f"search at {n:,} values"
            run.compare(harness.within(name, taken, before, 2.5, "the size before"))
        points.append({"x": n, "seconds": taken})
        before = taken
    run.curves.append(harness.Curve("search", "public values", points))


def compare_with_bound(run: harness.Run, seed: int) -> None:
    """Compare what search keeps at a tight bound with the most that any partition can keep."""
    merge(np.random.default_rng(0).random((60, SENSITIVE)), TIGHT_EPS)
    run.say(f"search at eps {TIGHT_EPS:g}, and no partition keeps more than")
    for public, sensitive, share in TIGHT:
        mass = np.random.default_rng(seed).random((public, sensitive))
        taken, made = harness.clocked(partial(merge, mass, TIGHT_EPS))
        kept, most = (
            made.utility / entropy(mass.sum(axis=1)),
            made.upper_bound / entropy(mass.sum(axis=1)),
        )
        run.say(
            f"  {public:4} x {sensitive} values  {taken:5.1f} s, keeps {kept:.2%} of H(X) in "
            f"{len(made.blocks)} blocks, proven at most {most:.2%}"
        )
        name = f"search, {public} x {sensitive} values"
        limit = None if share is None else 1 / share
        run.compare(harness.within(name, most, kept, limit, "kept", "of H(X) proven"))


def main() -> None:
    """Run all."""
    parser = harness.parser(__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[25_000, 50_000, 100_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0, help="of the joints at a tight bound")
    options = parser.parse_args()
    run = harness.begin(__file__, __doc__, options.results)
    compare_algorithm1(run, options.rounds)
    if options.sizes:
        grow_search(run, options.sizes)
    compare_with_bound(run, options.seed)
    run.write()


if __name__ == "__main__":
    main()
