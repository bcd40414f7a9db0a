"""A table's audit, for all tests of sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import loglift


@pytest.fixture(scope="module")
def audit():
    rng = np.random.default_rng(0)
    town = rng.integers(0, 4, 500)
    ill = np.where(rng.random(500) < 0.2 + 0.15 * town, "yes", "no")
    table = pd.DataFrame({"town": town, "sex": rng.integers(0, 2, 500), "ill": ill})
    return loglift.audit(table, sensitive="ill", public=["town", "sex"], eps=0.3)
