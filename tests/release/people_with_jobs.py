"""People, and how tests run commands on them."""

from __future__ import annotations

import numpy as np
import polars as pl
from click.testing import CliRunner

from loglift.cli import main


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def people(n=3000, seed=0, jobs=8):
    rng = np.random.default_rng(seed)
    job = rng.integers(0, jobs, n)
    return pl.DataFrame(
        {
            "job": [f"job {j}" for j in job],
            "region": rng.choice(["north", "south"], n),
            "ill": np.where(rng.random(n) < 0.2 + 0.05 * job, "yes", "no"),
            "sex": rng.choice(["f", "m"], n),
        }
    )


def words(result):
    return " ".join(result.output.split())
