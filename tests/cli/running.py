"""How tests run the command, and the tables they run it on."""

from __future__ import annotations

import sys

import numpy as np
from click.testing import CliRunner

from loglift.cli import main

COMMAND = [sys.executable, "-c", "from loglift.cli import main\nmain()"]

PEOPLE = "city,age,illness\n" + "".join(
    f"{city},{20 + i % 30},{'flu' if (i * 7 + len(city)) % 5 < 2 else 'cold'}\n"
    for i in range(120)
    for city in ("Bern", "Basel", "Zug")
)
COLUMNS = ("-s", "illness", "-p", "city")
PROTECT = ("-s", "illness", "-p", "city", "-p", "age", "--eps", "0.8")


def _illness(i, k):
    if i % 97 == 5:
        return "gout"
    return "flu" if (i * 7 + k) % 5 < 2 else "cold"


# A rare illness, which limits what a release keeps.
COUNTRIES = "country,age,illness\n" + "".join(
    f"{country},{20 + i % 12},{_illness(i, k)}\n"
    for i in range(240)
    for k, country in enumerate(("CH", "DE", "AT"))
)
COUNTRIES_COLUMNS = ("-s", "illness", "-p", "country", "-p", "age", "--eps", "1")

# Several records of each person.
PERSONS = "city,age,person,illness\n" + "".join(
    f"{city},{20 + i % 4 * 10},{i % 90},{'flu' if (i * 7 + len(city)) % 5 < i % 4 else 'cold'}\n"
    for i in range(240)
    for city in ("Bern", "Basel", "Zug")
)
RANDOMIZED = ("-s", "illness", "-p", "age", "--eps", "0.3", "--method", "randomized")

JOBS = "job,city,ill\n" + "".join(
    f"J{i % 7},C{i % 3},{'yes' if (i * i + i % 7) % 5 < 2 else 'no'}\n" for i in range(420)
)
JOBS_COLUMNS = ("-s", "ill", "-p", "job", "-p", "city")


def run(*arguments, **environment):
    return CliRunner(env=environment).invoke(main, [str(argument) for argument in arguments])


def sample_of(n, seed):
    """Return a CSV of n records drawn at random: the share of the ill rises with the job."""
    rng = np.random.default_rng(seed)
    jobs = rng.integers(0, 8, n)
    ill = rng.random(n) < 0.2 + 0.05 * jobs
    return "job,ill\n" + "".join(f"{j},{int(i)}\n" for j, i in zip(jobs, ill, strict=True))
