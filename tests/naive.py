"""Slow, obvious oracles. Nothing here imports loglift.

A joint is an array with one row per public value and one column per sensitive value.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numba
import numpy as np
import scipy.optimize


def omega(rows: np.ndarray, joint: np.ndarray) -> np.ndarray:
    """omega of each row of masses p(s,B), with the priors of the joint; log 0 = -inf."""
    p = joint / joint.sum()
    rows = rows / joint.sum()
    with np.errstate(divide="ignore"):
        log_lift = np.log(rows / (rows.sum(axis=1, keepdims=True) * p.sum(axis=0)))
    return np.asarray(np.abs(log_lift).max(axis=1))


def algorithm1(joint: np.ndarray, eps: float) -> list[list[int]]:
    """Algorithm 1 transcribed to plain NumPy: the subsets of the high-risk values, in order."""
    queue = [int(x) for x in np.flatnonzero(omega(joint, joint) > eps)]
    subsets: list[list[int]] = []
    while queue:
        subset = [queue.pop(int(np.argmax(omega(joint[queue], joint))))]
        mass = joint[subset].sum(axis=0)
        while omega(mass[np.newaxis], joint)[0] > eps and queue:
            best = int(np.argmin(omega(mass + joint[queue], joint)))
            mass = mass + joint[queue[best]]
            subset.append(queue.pop(best))
        subsets.append(subset)
    while len(subsets) > 1:
        last = joint[subsets[-1]].sum(axis=0)
        if omega(last[np.newaxis], joint)[0] <= eps:
            break
        others = np.array([joint[subset].sum(axis=0) for subset in subsets[:-1]])
        subsets[-1] += subsets.pop(int(np.argmin(omega(last + others, joint))))
    return subsets


class ExactAlgorithm1:
    """Algorithm 1 in rational arithmetic on counts, where a tie is a tie; any bound.

    A lift is a Fraction. Blocks are ordered by max over s of max(l / e^upper, e^-lower / l); for
    lower = upper the factor cancels and the order is that of omega, exactly.
    """

    def __init__(self, counts: np.ndarray, lower: float, upper: float) -> None:
        self.counts = [[int(c) for c in row] for row in counts]
        self.prior = [sum(column) for column in zip(*self.counts, strict=True)]
        self.total = sum(self.prior)
        self.lower, self.upper = lower, upper
        nearest = min(lower, upper)
        self.down = Fraction(math.exp(nearest - lower))
        self.up = Fraction(math.exp(nearest - upper))

    def lifts(self, rows: list[int]) -> list[Fraction]:
        cells = [sum(self.counts[x][s] for x in rows) for s in range(len(self.prior))]
        size = sum(cells)
        return [Fraction(c * self.total, size * n) for c, n in zip(cells, self.prior, strict=True)]

    def excess(self, rows: list[int]) -> Fraction | float:
        lifts = self.lifts(rows)
        if self.down and min(lifts) == 0:
            return math.inf
        falls = [self.down / lift for lift in lifts] if self.down else []
        return max([self.up * lift for lift in lifts] + falls)

    def safe(self, rows: list[int]) -> bool:
        lifts = self.lifts(rows)
        least = Fraction(math.exp(-self.lower)) * (1 - Fraction(1, 10**12))
        if min(lifts) < least:
            return False
        if math.isinf(self.upper):
            return True
        return max(lifts) <= Fraction(math.exp(self.upper)) * (1 + Fraction(1, 10**12))

    def subsets(self, *, absorb: bool = False) -> list[list[int]]:
        low = [x for x in range(len(self.counts)) if self.safe([x])]
        queue = [x for x in range(len(self.counts)) if x not in low]
        found: list[list[int]] = []
        while queue:
            subset = [max(queue, key=lambda x: self.excess([x]))]
            queue.remove(subset[0])
            while not self.safe(subset) and queue:
                subset.append(min(queue, key=lambda x: self.excess([*subset, x])))
                queue.remove(subset[-1])
            found.append(subset)
        while len(found) > 1 and not self.safe(found[-1]):
            best = min(found[:-1], key=lambda other: self.excess([*found[-1], *other]))
            found.remove(best)
            found[-1] += best
        if absorb and found:
            low.sort(key=lambda x: self.excess([x]))
            while low and not self.safe(found[-1]):
                found[-1].append(low.pop(0))
        return found


def partitions(n: int) -> Iterator[list[int]]:
    """All partitions of n rows, as block numbers in order of appearance."""
    if n == 0:
        yield []
        return
    for rest in partitions(n - 1):
        for block in range(max(rest, default=-1) + 2):
            yield [*rest, block]


def best_utility(joint: np.ndarray, lower: float, upper: float, least: float = 0) -> float:
    """The largest H(Y) of a safe partition with blocks of at least the mass `least`: try all."""
    p, best = joint / joint.sum(), -math.inf
    for labels in partitions(len(joint)):
        blocks = np.zeros((max(labels) + 1, joint.shape[1]))
        for row, block in zip(p, labels, strict=True):
            blocks[block] += row
        mass = blocks.sum(axis=1)
        expected = np.outer(mass, p.sum(axis=0))
        low = (blocks >= math.exp(-lower) * expected * (1 - 1e-12)).all() or math.isinf(lower)
        high = math.isinf(upper) or (blocks <= math.exp(upper) * expected * (1 + 1e-12)).all()
        if low and high and mass.min() * joint.sum() >= least * (1 - 1e-12):
            best = max(best, float(-(mass * np.log(mass)).sum()))
    return best


def information(table: np.ndarray) -> float:
    """I(U;Y) of masses n(u,y), cell by cell; nats."""
    p = table / table.sum()
    expected, occurs = np.outer(p.sum(axis=1), p.sum(axis=0)), p > 0
    return float((p[occurs] * np.log(p[occurs] / expected[occurs])).sum())


def kept_of_targets(
    weight: np.ndarray, targets: Iterable[tuple[np.ndarray, float]], channel: np.ndarray
) -> float:
    """The weighted mean of I(U;Y)/I(U;X) over targets, each p(u|x) with a weight.

    `channel` is p(y|x). A target that X says nothing about does not count.
    """
    whole = kept = 0.0
    for given, share in targets:
        table = given * weight[:, np.newaxis]  # n(u,x)
        told = information(table)
        if told > 1e-9:
            whole += share
            kept += share * information(table.T @ channel) / told
    return kept / whole


def safe_blocks(joint: np.ndarray, labels: Iterable[int], lower: float, upper: float) -> np.ndarray:
    """Which blocks of a partition are within the bound."""
    p, of = joint / joint.sum(), np.array(list(labels))
    blocks = np.array([p[of == b].sum(axis=0) for b in range(of.max() + 1)])
    expected = np.outer(blocks.sum(axis=1), p.sum(axis=0))
    safe = np.ones(len(blocks), dtype=bool)
    if math.isfinite(lower):
        safe &= (blocks >= math.exp(-lower) * expected * (1 - 1e-12)).all(axis=1)
    if math.isfinite(upper):
        safe &= (blocks <= math.exp(upper) * expected * (1 + 1e-12)).all(axis=1)
    return safe


def best_of_all(
    joint: np.ndarray,
    lower: float,
    upper: float,
    kept: Callable[[np.ndarray], float],
    least: float = 0,
    *,
    runs: bool = False,
) -> float:
    """The most that a safe partition keeps, blocks of at least the mass `least`: try all."""
    weight, best = joint.sum(axis=1), -math.inf
    for labels in map(np.array, partitions(len(joint))):
        if runs and (np.diff(labels) < 0).any():
            continue
        enough = np.bincount(labels, weight).min() >= least * (1 - 1e-12)
        if enough and safe_blocks(joint, labels, lower, upper).all():
            best = max(best, kept(labels))
    return best


def records_of(counts: np.ndarray, values: Iterable[Hashable]) -> list[tuple[Hashable, Hashable]]:
    """The records (value, column number) that have the given counts."""
    return [
        (value, s)
        for value, row in zip(values, counts, strict=True)
        for s, n in enumerate(row)
        for _ in range(int(n))
    ]


def leakage(pairs: Iterable[tuple[Hashable, Hashable]]) -> float:
    """max |log p(s|y)/p(s)| over records given as (y, s), every y against every s."""
    records = list(pairs)
    joint, ys, ss = Counter(records), Counter(y for y, _ in records), Counter(s for _, s in records)
    worst = 0.0
    for y in ys:
        for s in ss:
            cell = joint[y, s]
            if cell == 0:
                return math.inf
            worst = max(worst, abs(math.log(cell * len(records) / (ys[y] * ss[s]))))
    return worst


def kept(pairs: Iterable[tuple[Hashable, Hashable]]) -> float:
    """I(X;Y)/H(X) of records given as (x, y); 1 where X has a single value: nothing to lose."""
    records = list(pairs)
    xs, ys = Counter(x for x, _ in records), Counter(y for _, y in records)

    def information(counts: Counter[Hashable]) -> float:
        return -sum(n / len(records) * math.log(n / len(records)) for n in counts.values())

    if len(xs) == 1:
        return 1.0
    both = information(Counter(records))
    return (information(xs) + information(ys) - both) / information(xs)


def columns_kept(
    means: dict[Hashable, set[tuple[Hashable, ...]]],
    cells: Iterable[tuple[tuple[Hashable, ...], Hashable, float]],
) -> list[tuple[float, float]]:
    """The share of cells unchanged and I(X_j;Y)/H(X_j) of each column j; then, of whole rows.

    `means` has the rows x that each released value y stands for, `cells` are (x, y, mass).
    """
    given = [(x, y, mass) for x, y, mass in cells if mass]
    total = sum(mass for _, _, mass in given)
    width = len(given[0][0])
    pickers = [lambda x, j=j: x[j] for j in range(width)] + [lambda x: x]
    found = []
    for of in pickers:
        unchanged = sum(m for x, y, m in given if {of(z) for z in means[y]} == {of(x)}) / total
        us: defaultdict[object, float] = defaultdict(float)
        ys: defaultdict[object, float] = defaultdict(float)
        both: defaultdict[tuple[object, object], float] = defaultdict(float)
        for x, y, mass in given:
            us[of(x)] += mass
            ys[y] += mass
            both[of(x), y] += mass
        told = sum(m / total * math.log(m * total / (us[u] * ys[y])) for (u, y), m in both.items())
        most = -sum(m / total * math.log(m / total) for m in us.values())
        found.append((float(unchanged), told / most if len(us) > 1 else 1.0))
    return found


@numba.njit(cache=True)
def subset_dp(joint: np.ndarray, lower: float, upper: float, least: float) -> float:
    """The largest entropy of a safe partition, by dynamic programming over subsets: 3^n steps.

    Compiled, or it could not be compared with on thousands of joints; plain otherwise.
    """
    n, m = joint.shape
    total = joint.sum()
    prior = joint.sum(axis=0)
    value = np.empty(1 << n)
    for mask in range(1, 1 << n):
        mass = np.zeros(m)
        for x in range(n):
            if mask >> x & 1:
                mass += joint[x]
        p = mass.sum() / total
        safe = mass.sum() >= least * (1 - 1e-12)
        for s in range(m):
            expected = prior[s] * p
            safe = safe and mass[s] >= math.exp(-lower) * expected * (1 - 1e-12)
            safe = safe and not (mass[s] == 0 and lower < math.inf)
            safe = safe and mass[s] <= math.exp(upper) * expected * (1 + 1e-12)
        value[mask] = -p * math.log(p) if safe else -math.inf
    best = np.zeros(1 << n)
    for mask in range(1, 1 << n):
        low = mask & -mask
        rest = mask ^ low
        best[mask], part = -math.inf, rest
        while True:  # every block with the lowest value, the best partition of what it leaves
            best[mask] = max(best[mask], value[part | low] + best[rest ^ part])
            if part == 0:
                break
            part = (part - 1) & rest
    return float(best[-1])


def best_channel(joint: np.ndarray, lower: float, upper: float) -> float:
    """The largest I(X;Y) of any channel within the bound: every vertex of Q, then one program.

    A vertex of Q = {q >= 0, sum q = 1, e^-lower <= lifts q <= e^upper} is where n - 1 of its
    limits, and the sum, fix q: tries all of them.
    """
    p = joint.sum(axis=1) / joint.sum()
    n = len(p)
    lifts = (joint / joint.sum(axis=1, keepdims=True) / (joint.sum(axis=0) / joint.sum())).T
    least, most = math.exp(-lower), math.exp(upper)
    active = [(row, 0.0) for row in np.eye(n)]
    active += [(row, limit) for row in lifts for limit in {least, most} if 0 < limit < math.inf]
    columns = [p]
    for chosen in itertools.combinations(active, n - 1):
        system = np.array([np.ones(n), *(row for row, _ in chosen)])
        if np.linalg.matrix_rank(system) == n:
            q = np.linalg.solve(system, [1.0, *(limit for _, limit in chosen)])
            shown = lifts @ q
            if min(q.min(), shown.min() - least, most - shown.max()) > -1e-9:
                columns.append(np.maximum(q, 0) / np.maximum(q, 0).sum())
    known = np.array(columns).T
    logs = np.log(known, out=np.zeros_like(known), where=known > 0)
    loss = scipy.optimize.linprog(-(known * logs).sum(axis=0), A_eq=known, b_eq=p).fun
    return float(-(p * np.log(p)).sum() - loss)


def best_channel_within(p: np.ndarray, rows: np.ndarray) -> float:
    """The largest I(X;Y) of any channel whose posteriors q all have rows q >= 0.

    Every vertex of {q >= 0, sum q = 1, rows q >= 0}: where n - 1 of the limits, and the sum, fix q.
    """
    n = len(p)
    every = np.array([row / np.abs(row).max() for row in (*np.eye(n), *rows) if row.any()])
    columns = [p]
    for chosen in itertools.combinations(every, n - 1):
        system = np.array([np.ones(n), *chosen])
        if abs(np.linalg.det(system)) > 1e-10:
            q = np.linalg.solve(system, np.eye(n)[0])
            if (every @ q).min() > -1e-9:
                columns.append(np.maximum(q, 0) / np.maximum(q, 0).sum())
    known = np.array(columns).T
    logs = np.log(known, out=np.zeros_like(known), where=known > 0)
    loss = scipy.optimize.linprog(-(known * logs).sum(axis=0), A_eq=known, b_eq=p).fun
    return float(-(p * np.log(p)).sum() - loss)


def best_channel_in_groups(
    counts: np.ndarray, groups: Iterable[Hashable], lower: float, upper: float
) -> float:
    """The largest I(X;Y) of any channel whose released values are each of one group.

    I(X;Y) = H(G) + sum over groups of p(g) I(X;Y|g); lifts are against p(s) of all counts.
    """
    members: dict[Hashable, list[int]] = {}
    for x, group in enumerate(groups):
        members.setdefault(group, []).append(x)
    prior, found = counts.sum(axis=0) / counts.sum(), 0.0
    for rows in members.values():
        part = counts[rows]
        share, lifts = part.sum() / counts.sum(), (part / part.sum(axis=1, keepdims=True) / prior).T
        limits = [lifts - math.exp(-lower)] if math.isfinite(lower) else []
        limits += [math.exp(upper) - lifts] if math.isfinite(upper) else []
        within = best_channel_within(part.sum(axis=1) / part.sum(), np.vstack(limits))
        found += share * (within - math.log(share))
    return found


def nat_weights(
    p: np.ndarray, targets: Iterable[tuple[float, np.ndarray]], joint_weight: float
) -> list[tuple[float, np.ndarray]]:
    """What one nat of X, then of each target p(u|x), is worth in the mean of I(U;Y)/I(U;X).

    X is a target as well, u = x; targets that X says nothing about do not count.
    """
    every = [(joint_weight, np.eye(len(p))), *targets]
    told = [(weight, table, cost(p, [(1.0, table)])) for weight, table in every]
    told = [part for part in told if part[2] > 1e-9]
    whole = sum(weight for weight, _, _ in told)
    return [(weight / whole / nats, table) for weight, table, nats in told]


def cost(q: np.ndarray, parts: list[tuple[float, np.ndarray]]) -> float:
    """What a released value with the posterior q loses: sum of a [H(U|q) - sum q(x) H(U|x)]."""
    return math.fsum(
        a * (_entropy(q @ table) - sum(w * _entropy(row) for w, row in zip(q, table, strict=True)))
        for a, table in parts
    )


def _entropy(p: np.ndarray) -> float:
    return -sum(float(t) * math.log(t) for t in p if t > 0)


def best_channel_for(
    joint: np.ndarray, lower: float, upper: float, parts: list[tuple[float, np.ndarray]]
) -> float:
    """The largest sum of a I(U;Y) of any channel within the bound: all vertices, one program.

    `parts` has a and p(u|x) of each target, X among them. A vertex on the public values K is fixed
    by its sum and by |K| - 1 lifts at a limit: tries all K, lifts and limits.
    """
    p, (n, m) = joint.sum(axis=1) / joint.sum(), joint.shape
    lifts = (joint / joint.sum(axis=1, keepdims=True) / (joint.sum(axis=0) / joint.sum())).T
    least, most = math.exp(-lower), math.exp(upper)
    limits = [limit for limit in {least, most} if 0 < limit < math.inf]
    columns = [p]
    for size in range(1, min(n, m + 1) + 1):
        for support in itertools.combinations(range(n), size):
            for chosen in itertools.combinations(range(m), size - 1):
                rows = np.vstack([np.ones(size), lifts[np.ix_(chosen, support)]])
                if np.linalg.matrix_rank(rows) < size:
                    continue
                for sides in itertools.product(limits, repeat=size - 1):
                    q = np.zeros(n)
                    q[list(support)] = np.linalg.solve(rows, [1.0, *sides])
                    shown = lifts @ q
                    if min(q.min(), shown.min() - least, most - shown.max()) > -1e-9:
                        columns.append(np.maximum(q, 0) / np.maximum(q, 0).sum())
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    loss = scipy.optimize.linprog(
        [cost(q, parts) for q in columns], A_eq=np.array(columns).T, b_eq=p, options=tight
    ).fun
    return float(cost(p, parts) - loss)


def overlapping(
    first: Mapping[Hashable, Hashable], second: Mapping[Hashable, Hashable]
) -> list[tuple[set[Hashable], set[Hashable]]]:
    """Return the smallest sets of blocks with the same common values in both partitions.

    A partition is the block of each value. Sets of values grow until no two of them overlap.
    """
    common = first.keys() & second.keys()
    found = [
        {x for x in common if part[x] == block}
        for part in (first, second)
        for block in part.values()
    ]
    sets: list[set[Hashable]] = []
    for values in filter(None, found):
        grown = set(values).union(*(other for other in sets if other & values))
        sets = [other for other in sets if not other & values] + [grown]
    return [({first[x] for x in values}, {second[x] for x in values}) for values in sets]


def is_coarser(fine: Mapping[Hashable, Hashable], coarse: Mapping[Hashable, Hashable]) -> bool:
    """Whether any two common values that share a block of `fine` share one of `coarse`."""
    common = fine.keys() & coarse.keys()
    return all(coarse[x] == coarse[y] for x in common for y in common if fine[x] == fine[y])


def told(counts: np.ndarray, labels: Iterable[int], reference: str) -> float:
    """The largest |log p(s|c,B)/r(s|c)| over blocks, contexts and s, from counts (x, c, s).

    The reference is p(s|c) for "known", p(s) for "given". Pairs (c, B) without records, and s
    without a reference, ask for nothing; a zero cell is infinite.
    """
    _, contexts, sensitive = counts.shape
    blocks, worst = np.asarray(labels), 0.0
    for block in set(blocks.tolist()):
        for c in range(contexts):
            here = [counts[blocks == block, c, s].sum() for s in range(sensitive)]
            base = counts[:, c] if reference == "known" else counts.sum(axis=1)
            before = [base[:, s].sum() for s in range(sensitive)]
            for cell, prior in zip(here, before, strict=True):
                if sum(here) > 0 and prior > 0:
                    lift = (cell / sum(here)) / (prior / sum(before))
                    worst = max(worst, abs(math.log(lift)) if lift > 0 else math.inf)
    return worst


@dataclass(frozen=True)
class Inferred:
    """What readers who know the context of each record infer by counting."""

    rise: float
    fall: float
    outside: float
    right: float


def inferred(
    records: Iterable[tuple[float, Hashable, Hashable, Hashable, Hashable]],
    limits: Mapping[Hashable, tuple[float, float]],
) -> Inferred:
    """Count records (weight, s, known, earlier, shown) one by one.

    Readers know `known`, and see `earlier` and `shown`. Before all releases they believe in s by
    n(s,known)/n(known). `limits` has the lower and upper bound of each s.
    """
    told = list(records)
    of_known: Any = defaultdict(Counter)
    of_seen: Any = defaultdict(Counter)
    for weight, s, known, earlier, shown in told:
        of_known[known][s] += weight
        of_seen[known, earlier, shown][s] += weight
    rise = fall = 1.0
    outside = right = 0.0
    for (known, _, _), counts in of_seen.items():
        size, prior = sum(counts.values()), of_known[known]
        unsafe = False
        for s, before in prior.items():
            lift = (counts[s] / size) / (before / sum(prior.values()))
            rise, fall = max(rise, lift), max(fall, 1 / lift if lift else math.inf)
            lower, upper = limits[s]
            log = math.log(lift) if lift else -math.inf
            unsafe |= (log < -lower - 1e-9) or (log > upper + 1e-9)
        outside += size * unsafe
        right += max(counts.values())
    total = sum(weight for weight, *_ in told)
    return Inferred(rise, fall, outside / total, right / total)


def measure(  # noqa: PLR0911, one formula each
    key: str, row: Iterable[int], prior: Iterable[int], alpha: float = 2.0
) -> Any:
    """A measure of p(s|y) beside p(s), from counts, by its textbook formula; see `Requirement`."""
    row, prior = list(row), list(prior)
    q = [Fraction(cell, sum(row)) for cell in row]
    p = [Fraction(n, sum(prior)) for n in prior]
    pairs = list(zip(q, p, strict=True))
    if key == "t":
        events = itertools.product([0, 1], repeat=len(q))
        return max(
            sum(b * (a - c) for b, a, c in zip(event, q, p, strict=True)) for event in events
        )
    if key == "ordered_t":
        gaps: list[Any] = [abs(sum(q[: i + 1]) - sum(p[: i + 1])) for i in range(len(q) - 1)]
        return sum(gaps) / max(1, len(gaps))
    if key == "l1_lift":
        return sum(b * abs(a / b - 1) for a, b in pairs)
    if key == "chi2_lift":
        return sum(b * (a / b - 1) ** 2 for a, b in pairs)
    if key == "alpha_lift":
        return math.log(sum(float(b) * float(a / b) ** alpha for a, b in pairs)) / alpha
    if key == "average_log_lift":
        return sum(float(a) * math.log(a / b) for a, b in pairs if a)
    if key == "distinct_l":
        return sum(a > 0 for a in q)
    return math.exp(-sum(float(a) * math.log(a) for a in q if a))


def best_required(
    counts: np.ndarray, meets: Callable[[np.ndarray, np.ndarray], bool], most: int = 10**9
) -> float:
    """The largest H(Y) of all partitions into blocks of at most `most` values that all `meets`."""
    prior, total, best = counts.sum(axis=0), counts.sum(), -math.inf
    for labels in partitions(len(counts)):
        of = np.array(labels)
        blocks = [counts[of == b].sum(axis=0) for b in range(of.max() + 1)]
        if np.bincount(of).max() <= most and all(meets(block, prior) for block in blocks):
            shares = np.array([block.sum() for block in blocks]) / total
            best = max(best, float(-(shares * np.log(shares)).sum()))
    return best


def notions(
    pairs: Iterable[tuple[Hashable, Hashable]], order: Iterable[Hashable] | None = None
) -> dict[str, float | None]:
    """Every figure of a list of records (y, s), by its definition; `order` is that of s."""
    records = list(pairs)
    n, prior = len(records), Counter(s for _, s in records)
    classes: dict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for y, s in records:
        classes[y][s] += 1
    sizes = {y: sum(found.values()) for y, found in classes.items()}
    p = {s: count / n for s, count in prior.items()}
    q = {y: {s: found[s] / sizes[y] for s in p} for y, found in classes.items()}
    lifts = {y: [of[s] / p[s] for s in p] for y, of in q.items()}
    divergence = {y: sum(of[s] * math.log(of[s] / p[s]) for s in p if of[s]) for y, of in q.items()}
    t = max(sum(abs(of[s] - p[s]) for s in p) / 2 for of in q.values())
    ordered = None
    if order is not None:
        ranks = list(order)
        ordered = max(
            sum(
                abs(sum(of[s] - p[s] for s in ranks[: r + 1])) / (len(ranks) - 1)
                for r in range(len(ranks) - 1)
            )
            for of in q.values()
        )
    return {
        "k": min(sizes.values()),
        "distinct_l": min(sum(share > 0 for share in of.values()) for of in q.values()),
        "entropy_l": min(
            math.exp(-sum(share * math.log(share) for share in of.values() if share))
            for of in q.values()
        ),
        "t": t,
        "t_ordered": ordered,
        "beta": max(max(of) for of in lifts.values()) - 1,
        "delta": max(
            math.inf if lift == 0 else abs(math.log(lift)) for of in lifts.values() for lift in of
        ),
        "l1_lift": 2 * t,
        "chi_squared_lift": max(
            sum((lift - 1) ** 2 * p[s] for lift, s in zip(of, p, strict=True))
            for of in lifts.values()
        ),
        "average_log_lift": max(divergence.values()),
        "maximal_leakage": math.log(sum(sizes[y] / n * max(of) for y, of in lifts.items())),
        "information": sum(sizes[y] / n * divergence[y] for y in sizes),
    }
