"""Random joints, bounds, tables and utilities of all kinds, from a generator."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from loglift import Bound, Joint, Target, Utility
from naive import kept_of_targets

SIDES = (0.0, 0.1, 0.25, 0.5, math.log(2), 1.0, 2.0, math.inf)


def random_joint(rng):
    """Uniform, skewed, counts with zeros and ties, counts with identical rows; up to 14 rows."""
    n, m = int(rng.integers(1, 15)), int(rng.integers(1, 7))
    kind = rng.integers(4)
    if kind == 0:
        return rng.random((n, m))
    if kind == 1:
        return rng.random((n, m)) ** 4 + 1e-6
    counts = rng.integers(0, 4 if kind == 2 else 9, (n, m))
    if kind == 3:
        counts = counts[rng.integers(0, max(1, n // 3), n)]
    counts[np.arange(n), np.arange(n) % m] += counts.sum(axis=1) == 0
    counts[np.arange(m) % n, np.arange(m)] += counts.sum(axis=0) == 0
    return counts


def random_bound(rng):
    while True:
        lower, upper = (float(side) for side in rng.choice(SIDES, 2))
        if rng.random() < 0.5:
            upper = lower
        if math.isfinite(lower) or math.isfinite(upper):
            return Bound(lower, upper)


def random_table(rng, most=7, sensitive=("s",)):
    """Up to `most` public values of three columns: texts, numbers with an order, few of another."""
    every = [(a, b, c) for a in "xyz" for b in (10, 20, 30, 40) for c in (None, "no")]
    values = [every[i] for i in rng.permutation(len(every))[: int(rng.integers(2, most + 1))]]
    rows = [(*values[0], *(s for _ in sensitive)) for s in range(2)]  # no constant column
    for value in values:
        shares, records = rng.dirichlet(np.ones(3)), int(rng.integers(1, 12))
        drawn = rng.choice(3, (records, len(sensitive)), p=shares)
        rows += [(*value, *row) for row in drawn.tolist()]
    return pd.DataFrame(rows, columns=["a", "b", "c", *sensitive])


def random_joint_of_table(rng, most=7):
    """Count a random table: one sensitive variable, or two that are bounded each on its own."""
    sensitive = ["s", "t"] if rng.random() < 0.3 else ["s"]
    table = random_table(rng, most, sensitive)
    joint = Joint.from_table(table, sensitive=sensitive, public=["a", "b", "c"])
    return joint.apart() if rng.random() < 0.5 else joint


def random_goal(rng, joint):
    """A utility, and its definition: p(u|x) of each target with a weight, X itself first.

    Columns with weights, a coarser version of some, and a target that is random given x.
    """
    n, weight = len(joint.public), float(rng.choice([0.2, 1.0, 3.0]))
    defined = [(np.eye(n), weight)]
    importance, coarser = {}, {}
    for place, column in enumerate(joint.columns):
        matters = float(rng.choice([0.0, 0.5, 1.0, 4.0]))
        importance[column.name] = matters
        shown = [value[place] for value in joint.tuples]
        values = dict.fromkeys(shown)
        versions = [{value: value for value in values}]
        coarser[column.name] = []
        if rng.random() < 0.5:
            versions.append({value: int(rng.integers(2)) for value in values})
            coarser[column.name] = [versions[-1]]
        defined += [
            (one_hot([version[value] for value in shown]), matters / len(versions))
            for version in versions
        ]
    targets = []
    if rng.random() < 0.5:
        given = rng.dirichlet(np.full(3, 0.3), n)
        defined.append((given, 2.0))
        targets.append(Target.given("random", given, 2.0))
    goal = Utility.columns(importance, coarser=coarser, targets=targets, joint_weight=weight)
    return goal, defined


def one_hot(values):
    """p(u|x) of a function of x."""
    distinct = list(dict.fromkeys(values))
    return np.array([[float(value == other) for other in distinct] for value in values])


def random_problem(rng, most=7):
    """A joint counted from a table, a utility with targets, and what a partition keeps of it."""
    joint = random_joint_of_table(rng, most)
    goal, defined = random_goal(rng, joint)
    weight = np.asarray(joint.weight, dtype=float)

    def kept(labels):
        return kept_of_targets(weight, defined, np.eye(weight.size)[labels])

    return joint, goal, kept
