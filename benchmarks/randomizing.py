"""The best channel: at the paper's size against plain column generation, at more values its proof.

The plain side follows the mathematics directly: a linear program over the known posteriors, and
pricing by successive linear programs over Q, solved by HiGHS, from the posteriors in use and from
random directions. Both sides see the same joints; the plain side runs on the first ones only.

With more public values the figure is what any channel is proven to keep at most, against what the
channel keeps; 100,000 of them are solved in parts, in minutes.

    python benchmarks/randomizing.py [--draws 6] [--plain 2]
"""

from __future__ import annotations

import resource
from functools import partial

import highspy
import numpy as np

import harness
from loglift import randomize
from loglift.joint import FloatArray
from loglift.measures.entropy import entropy, plogp

EPS = (0.25, 0.5, 1.0, 2.0)
# Public values at eps 0.25, how much more may be proven than a channel keeps, and a time limit.
PROVEN = ((100, 1.001, None), (300, 1.02, None), (1000, 1.02, 60.0))
MANY = 100_000  # public values that are solved in parts; what is proven is looser
MAX_STALLED_ROUNDS = 2  # without a new posterior; then the plain side stops


def joint(seed: int, public: int = 20) -> FloatArray:
    """Return a uniform iid joint of 13 sensitive values."""
    mass = np.random.default_rng(seed).random((public, 13))
    scaled: FloatArray = mass / mass.sum()
    return scaled


def program(rows: FloatArray, least: FloatArray, most: FloatArray) -> highspy.Highs:
    """Return the program over q >= 0 with least <= rows q <= most; its costs are set later."""
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
    """Maximize sum q log q + price.q: move to the best vertex of its slope while that gains."""
    score = plogp(q).sum() + price @ q
    while True:
        new = vertex(highs, -(np.log(np.maximum(q, 1e-12)) + 1 + price))
        found = plogp(new).sum() + price @ new
        if found <= score + 1e-9:
            return q
        q, score = new, found


def plain(mass: FloatArray, eps: float) -> float:
    """Return the NMIL of plain column generation."""
    p, random = mass.sum(axis=1), np.random.default_rng(0)
    n, m = mass.shape
    rows = np.vstack([(mass / p[:, np.newaxis] / mass.sum(axis=0)).T, np.ones(n)])
    inside = program(
        rows, np.append(np.full(m, np.exp(-eps)), 1), np.append(np.full(m, np.exp(eps)), 1)
    )
    known = [p, *(vertex(inside, -np.eye(n)[x]) for x in range(n))]
    stalled, loss = 0, 0.0
    while stalled < MAX_STALLED_ROUNDS:
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


def compare(run: harness.Run, eps: float, draws: int, few: int) -> None:
    """Compare NMIL and mean seconds at one eps; the plain side runs on the first `few` joints."""
    ours, slow = [], []
    for seed in range(draws):
        ours.append(harness.clocked(partial(randomize, joint(seed), eps)))
        if seed < few:
            slow.append(harness.clocked(partial(plain, joint(seed), eps)))
    proven, nmil = sum(m.optimal for _, m in ours), np.mean([m.nmil for _, m in ours])
    run.say(f"  eps {eps:<4g}  NMIL {nmil:.4f}, proven optimal {proven}/{draws}")
    if few:
        fast, lost = np.mean([(taken, m.nmil) for taken, m in ours[:few]], axis=0).tolist()
        longer, more = np.mean(slow, axis=0).tolist()
        name = f"eps {eps:g}"
        run.compare(harness.faster(f"time, {name}", fast, longer, None, "plain"))
        run.compare(harness.within(f"loss, {name}", lost, more, None, "plain", "NMIL"))


def prove(run: harness.Run, public: int, bar: float | None, seconds: float | None = None) -> None:
    """Compare what a channel of many values keeps with what is proven."""
    mass = joint(public, public)
    taken, found = harness.clocked(partial(randomize, mass, EPS[0], time_limit=seconds))
    most = entropy(mass.sum(axis=1))
    name = f"proven, {public} x 13, eps {EPS[0]:g}"
    kept, proven = found.utility / most, found.upper_bound / most
    run.compare(harness.within(name, proven, kept, bar, "kept", "of H(X)"))
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    run.say(f"  {public:,} values in {taken:.0f} s, at most {gigabytes:.1f} GB of memory")


def main() -> None:
    """Compare both sides at every eps, and with more values; print and write."""
    parser = harness.parser(__doc__)
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--plain", type=int, default=2)
    options = parser.parse_args()
    run = harness.begin(__file__, __doc__, options.results)
    randomize(joint(0), 1.0)
    run.say(f"randomizing: 20 public x 13 sensitive values, means of {options.draws} joints")
    run.say(f"  time and loss of both sides on the first {options.plain}")
    for eps in EPS:
        compare(run, eps, options.draws, options.plain)
    run.say(f"more values, eps {EPS[0]:g}: what is kept, and what is proven to be the most")
    for public, bar, seconds in PROVEN:
        prove(run, public, bar, seconds)
    prove(run, MANY, None)
    run.write()


if __name__ == "__main__":
    main()
