"""Independent readers of a randomized release: they see files and rows, not loglift's objects."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction

from scipy.stats import chi2


def read(text):
    """Return the public values and p(y|x), p(x|y) of a mechanism.json, exactly."""
    document = json.loads(text)
    channel = document["channel"]
    whole = channel["denominator"]
    values = [tuple(value) for value in document["values"]]
    given = [{y: Fraction(n, whole) for y, n in row} for row in channel["p(y|x)"]]
    posteriors = [dict(shares) for shares in channel["p(x|y)"]]
    return values, given, posteriors


def lifts(text, records, sensitive=0):
    """Return p(s|y)/p(s) of every released y and sensitive s, from the file and (x, s) records."""
    values, given, _ = read(text)
    place = {value: i for i, value in enumerate(values)}
    prior, joint, mass = Counter(), Counter(), Counter()
    for (x, s), n in Counter(records).items():
        prior[s[sensitive]] += n
        for y, p in given[place[x]].items():
            joint[y, s[sensitive]] += n * p
            mass[y] += n * p
    total = sum(prior.values())
    return {(y, s): joint[y, s] * total / (mass[y] * prior[s]) for y in mass for s in prior}


def fit(text, xs, ys, names):
    """Return the chi-squared p-value of the rows drawn, y for x, against the file's p(y|x)."""
    values, given, _ = read(text)
    found, sizes = Counter(zip(xs, ys, strict=True)), Counter(xs)
    statistic, freedom, expected_rows = 0.0, 0, 0
    for value, row in zip(values, given, strict=True):
        for y, p in row.items():
            expected = float(p * sizes[value])
            expected_rows += found[value, names[y]]
            statistic += (found[value, names[y]] - expected) ** 2 / expected if expected else 0.0
        freedom += len(row) - 1
    assert expected_rows == len(xs), "a value was released that p(y|x) rules out"
    return float(chi2.sf(statistic, freedom))
