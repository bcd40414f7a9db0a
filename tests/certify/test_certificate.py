"""What the certificate says about belief: true of every released value, and for every variable."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest

import loglift


def table(records=3000, secrets=4, seed=0):
    rng = np.random.default_rng(seed)
    town = rng.integers(0, 12, records)
    secret = np.minimum(rng.geometric(0.25 + 0.03 * town), secrets)
    return pd.DataFrame(
        {"town": town, "ill": [f"ill {s}" for s in secret], "smokes": rng.random(records) < 0.3}
    )


BOUNDS = [
    {"eps": 0.3},
    {"eps": 0.3, "method": "randomized"},
    {"bound": loglift.Bound(math.inf, 0.25)},
    {"bound": loglift.Bound(0.5, math.inf)},
    {"bound": loglift.Bound(0.2, 0.6)},
]


@pytest.mark.parametrize("bound", BOUNDS)
def test_beliefs_after_every_released_value_are_within_what_is_certified(bound):
    frame = table()
    result = loglift.protect(frame, sensitive="ill", public="town", keep_order=True, **bound)
    beliefs = {belief.sensitive["ill"]: belief for belief in result.certificate.beliefs}
    shares = Counter(frame["ill"])
    assert {name: belief.before for name, belief in beliefs.items()} == {
        name: n / len(frame) for name, n in shares.items()
    }
    if "method" in bound:  # the draws fluctuate: what the mechanism says is in its channel
        channel = result.mechanism.channel
        joint = loglift.Joint.from_table(frame, sensitive="ill", public="town")
        released = (channel.T @ np.asarray(joint.mass)).astype(float)
        after = dict(
            zip(joint.sensitive, (released / released.sum(1, keepdims=True)).T, strict=True)
        )
    else:
        found = defaultdict(Counter)
        for y, s in zip(result.table["town"], frame["ill"], strict=True):
            found[y][s] += 1
        after = {s: [row[s] / row.total() for row in found.values()] for s in beliefs}
    assert len(after) == len(beliefs)
    for name, belief in beliefs.items():
        assert belief.least - 1e-9 <= min(after[name])
        assert max(after[name]) <= belief.most + 1e-9


def test_limits_on_the_other_values_count():
    """A half that may double stays below certainty, for the other half must keep a part."""
    frame = pd.DataFrame({"x": [0] * 50 + [1] * 50, "s": ["a", "b"] * 50})
    [a, _] = loglift.protect(frame, sensitive="s", public="x", eps=1).certificate.beliefs
    assert (a.before, a.least, a.most) == pytest.approx((0.5, np.exp(-1) / 2, 1 - np.exp(-1) / 2))
    [a, _] = loglift.protect(
        frame, sensitive="s", public="x", bound=loglift.Bound(math.inf, 0.25)
    ).certificate.beliefs
    assert a.least == pytest.approx(1 - np.exp(0.25) / 2)


def test_every_variable_is_told_on_its_own_and_every_value_is_written():
    frame = table(secrets=7)
    result = loglift.protect(frame, sensitive=["ill", "smokes"], public="town", eps=0.4, each=True)
    written = json.loads("".join(result.certificate.written()))["beliefs"]
    assert Counter(tuple(belief["sensitive"]) for belief in written) == {
        ("ill",): 7,
        ("smokes",): 2,
    }
    for name in ("ill", "smokes"):
        shares = [belief["before"] for belief in written if name in belief["sensitive"]]
        assert sum(shares) == pytest.approx(1)


def test_what_does_not_hold_promises_no_beliefs(tmp_path):
    frame = table()
    result = loglift.protect(frame, sensitive="ill", public="town", eps=0.3)
    (tmp_path / "mechanism.json").write_text(result.mechanism.to_json())
    other = frame.assign(ill=["ill 1" if town < 6 else "ill 2" for town in frame["town"]])
    assert result.certificate.beliefs
    found = loglift.verify(tmp_path / "mechanism.json", other)
    assert not found.holds
    assert found.beliefs == ()
