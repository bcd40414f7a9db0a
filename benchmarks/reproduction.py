"""The paper's whole experiment, against the plain NumPy transcription of Algorithm 1.

Both run on the same joints in the same process, in turns. The plain side runs on a share of the
draws, and its time is scaled up: the draws are exchangeable, so this is right on average.

    python benchmarks/reproduction.py [--draws 1000] [--share 0.1] [--rounds 3]
"""

from __future__ import annotations

from functools import partial

import numpy as np

import harness
import naive
from loglift.joint import FloatArray
from loglift.paper.experiment import draw_joints, draw_stacks, run
from loglift.paper.printed import read_data


def plain_experiment(joints: FloatArray, eps_values: list[float]) -> list[float]:
    """Run both methods at every eps on one joint after the other; return NMIL and omega of each."""
    results = []
    for joint in joints:
        p = joint.sum(axis=1)
        entropy = -(p * np.log(p)).sum()
        for eps in eps_values:
            high_risk = [int(x) for x in np.flatnonzero(naive.omega(joint, joint) > eps)]
            for subsets in (naive.algorithm1(joint, eps), [high_risk] if high_risk else []):
                merged = np.array([joint[subset].sum(axis=0) for subset in subsets])
                lost = sum((p[s] * np.log(p[s].sum() / p[s])).sum() for s in subsets)
                results.append(float(lost / entropy))
                if subsets:
                    results.append(float(naive.omega(merged, joint).max()))
    return results


def main() -> None:
    """Time both sides; print and write the ratio."""
    parser = harness.parser(__doc__)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    result = harness.begin(__file__, __doc__, options.results)
    joints, eps = draw_joints(options.draws, seed=0), read_data("figures")["eps"]
    part = joints[: max(1, round(options.draws * options.share))]

    def ours() -> float:
        return harness.seconds(lambda: run(draw_stacks(options.draws, seed=0), eps))

    def plain() -> float:
        return harness.seconds(partial(plain_experiment, part, eps)) * len(joints) / len(part)

    first = ours()
    middle = harness.interleaved({"loglift": ours, "plain": plain}, options.rounds)
    result.say(f"reproduction: {options.draws} joints x {len(eps)} eps x 2 methods")
    result.say(f"  plain side measured on {len(part)} joints; first call of ours {first:.2f} s")
    result.compare(
        harness.faster(
            "the paper's experiment", middle["loglift"], middle["plain"], 30, "plain NumPy"
        )
    )
    result.write()


if __name__ == "__main__":
    main()
