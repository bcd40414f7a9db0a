"""Measure how often the promised confidence holds, and what it costs.

Every setting draws known joints (even, skewed, with rare sensitive values), samples records, and
checks whether the bound on the leakage is below the truth. Then: how fast the margin shrinks, how
often releases of `protect --confidence` hold in the population, and the certified releases of UCI
Adult. About a minute.

    python benchmarks/confidence.py [--samples 50]
"""

from __future__ import annotations

import tempfile
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

import harness
import loglift
from known import known_joint, leakage, true_leakage
from loglift import UnsafeError
from loglift.demo import write_adult
from loglift.joint import FloatArray

SENSITIVE, PUBLIC, RECORDS = (2, 5, 15), (10, 100, 500), (1_000, 10_000, 100_000)
LEVELS = (0.9, 0.95, 0.99)
ADULT = [
    ("salary", ["education", "occupation"], 1.0),
    ("salary", ["education", "occupation"], 0.5),
    ("salary", ["age", "education", "sex"], 1.0),
    ("salary", ["education"], 0.5),
    ("race", ["education", "occupation"], 1.0),
    ("marital-status", ["education", "occupation"], 1.0),
]


def joint_of(rng: np.random.Generator, public: int, sensitive: int) -> FloatArray:
    """Return p(s,y): even or skewed p(y), common or rare s, close to or far from independence."""
    mass = rng.dirichlet(np.full(public, rng.choice([1.0, 10.0, 100.0]))) + 0.1 / public
    prior = rng.dirichlet(np.full(sensitive, rng.choice([1.0, 10.0]))) + 0.1 / sensitive
    lifts = np.exp(rng.choice([0.05, 0.2, 0.6]) * rng.standard_normal((public, sensitive)))
    joint = lifts * np.outer(mass, prior)
    return np.asarray(joint / joint.sum())


def cover(run: harness.Run, samples: int) -> None:
    """Measure the worst and the mean share of bounds that hold, by level, over all settings.

    The number of blocks gives each pair (s, y) twenty records on average: an empty pair would make
    the bound infinite, and an infinite bound always holds.
    """
    run.say(f"coverage of leakage_bound: {samples} joints per setting and level")
    for level in LEVELS:
        shares, finite = [], 0
        for s, x, n in product(SENSITIVE, PUBLIC, RECORDS):
            rng, held = np.random.default_rng([s, x, n, round(1000 * level)]), 0
            blocks = max(2, min(x, n // (20 * s)))
            for _ in range(samples):
                joint = joint_of(rng, blocks, s)
                counts = rng.multinomial(n, joint.ravel()).reshape(joint.shape)
                bound = loglift.leakage_bound(counts, level)
                held += bound >= leakage(joint)
                finite += np.isfinite(bound)
            shares.append(held / samples)
        of = samples * len(shares)
        mean = float(np.mean(shares))
        name = f"coverage at {level:g}"
        run.compare(harness.ahead(name, mean, level, "at least", "promised", "of the bounds"))
        run.say(f"    worst setting {min(shares):.3f}; {finite / of:.0%} of the bounds finite")


def one_cell(run: harness.Run, samples: int) -> None:
    """Measure the coverage in the hardest case: a single cell decides the maximum."""
    run.say("coverage where a single cell stands out (2 x 2, 5,000 records)")
    joint = np.array([[0.012, 0.028], [0.188, 0.772]])
    for level in LEVELS:
        rng = np.random.default_rng(0)
        drawn = rng.multinomial(5000, joint.ravel(), size=20 * samples)
        held = [loglift.leakage_bound(c.reshape(2, 2), level) >= leakage(joint) for c in drawn]
        run.say(f"  {level:g}: {np.mean(held):.4f}")


def shrink(run: harness.Run) -> None:
    """Measure the margin by the number of records, and its exponent."""
    rng, sizes = np.random.default_rng(0), np.array([1_000, 10_000, 100_000, 1_000_000])
    joint = np.array([[0.10, 0.10, 0.05], [0.20, 0.10, 0.05], [0.15, 0.15, 0.10]])

    def margin(n: int) -> float:
        counts = rng.multinomial(n, joint.ravel()).reshape(joint.shape)
        return loglift.leakage_bound(counts) - leakage(joint)

    margins = [float(np.mean([margin(n) for _ in range(200)])) for n in sizes]
    slope = np.polyfit(np.log(sizes), np.log(margins), 1)[0]
    run.say(
        "margin of the bound over the truth: "
        + ", ".join(f"{n:,}: {margin:.4f}" for n, margin in zip(sizes, margins, strict=True))
    )
    run.say(f"  exponent in the number of records {slope:.3f} (1/sqrt: -0.5)")


def sampled(rng: np.random.Generator, joint: FloatArray, records: int) -> pd.DataFrame:
    """Return a table of records drawn from p(s,x), with integer columns x and s."""
    counts = rng.multinomial(records, joint.ravel())
    x, s = np.divmod(np.repeat(np.arange(counts.size), counts), joint.shape[1])
    return pd.DataFrame({"x": x, "s": s})


def release(run: harness.Run, samples: int) -> None:
    """Measure how often plain and certified releases hold in the population."""
    eps, rng = 0.6, np.random.default_rng(0)
    held = plain_held = made = 0
    kept, plain_kept = [], []
    for _ in range(samples):
        joint = known_joint(rng, 40, 3, spread=20)
        protected = partial(
            loglift.protect, sampled(rng, joint, 4000), sensitive="s", public="x", eps=eps
        )
        plain = protected(method="greedy")
        plain_held += true_leakage(plain.mechanism, joint) <= eps
        try:
            result = protected(method="greedy", confidence=0.95)
        except UnsafeError:
            continue
        made += 1
        held += true_leakage(result.mechanism, joint) <= eps
        kept.append(1 - result.certificate.nmil)
        plain_kept.append(1 - plain.certificate.nmil)
    run.say(f"protect at eps 0.6, 40 values x 3, 4,000 records: {samples} known joints")
    run.say(f"  without confidence: {plain_held}/{samples} hold, keep {np.mean(plain_kept):.1%}")
    run.say(f"  confidence 0.95:    {held}/{made} hold, keep {np.mean(kept):.1%}")


def adult(run: harness.Run) -> None:
    """Certify releases of UCI Adult at confidence 0.95, and measure what that costs."""
    run.say("UCI Adult at confidence 0.95")
    with tempfile.TemporaryDirectory() as folder:
        write_adult(Path(folder))
        table = str(Path(folder) / "adult.parquet")
        for sensitive, public, eps in ADULT:
            name = f"{sensitive}; {','.join(public)}; eps {eps:g}"
            try:
                result = loglift.protect(
                    table, sensitive=sensitive, public=public, eps=eps, confidence=0.95
                )
            except UnsafeError as error:
                run.say(f"  {name}: {error}")
                continue
            certificate = result.certificate
            cost = _cost(certificate) / certificate.entropy
            kept = 1 - certificate.nmil
            run.say(
                f"  {name}: {len(certificate.values)} values, keeps {kept:.1%}, cost {cost:.1%}"
            )


def _cost(certificate: loglift.Certificate) -> float:
    if certificate.population is None or certificate.population.choice is None:
        raise TypeError("the certificate has no population, although a confidence was given")
    return certificate.population.choice.cost


def main() -> None:
    """Run all of them."""
    parser = harness.parser(__doc__)
    parser.add_argument("--samples", type=int, default=50)
    options = parser.parse_args()
    run = harness.begin(__file__, __doc__, options.results)
    cover(run, options.samples)
    one_cell(run, options.samples)
    shrink(run)
    release(run, options.samples // 2)
    adult(run)
    run.write()


if __name__ == "__main__":
    main()
