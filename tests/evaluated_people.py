"""People whose release is evaluated."""

from __future__ import annotations

import numpy as np
import pandas as pd

PUBLIC = ["age", "town"]


def people(size=1500, seed=0):
    """Return a table with a missing age, a number and a class that depend on the public columns."""
    random = np.random.default_rng(seed)
    age = 20 + 5 * random.integers(0, 8, size)
    town = random.choice(list("abcde"), size, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    ill = random.random(size) < 0.1 + 0.1 * (age > 40) + 0.15 * (town == "e") + 0.3 * (town == "b")
    frame = pd.DataFrame({"age": age.astype(object), "town": town})
    frame.loc[age == 55, "age"] = None
    return frame.astype({"age": "Int64"}).assign(
        income=(1000 + 20 * age + 300 * (town == "b") + random.normal(0, 200, size)).round(),
        job=np.where(random.random(size) < (age - 10) / 60, "yes", "no"),
        ill=np.where(ill, "flu", "none"),
    )
