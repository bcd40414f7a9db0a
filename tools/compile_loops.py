"""Compile the loops that most releases need, once on a machine: `make setup` runs this."""

import numpy as np

import loglift

counts = np.random.default_rng(0).integers(1, 50, (100, 3))
loglift.merge(counts, eps=0.5)
loglift.merge(np.random.default_rng(0).random((100, 8)), eps=0.25)  # a tight bound
loglift.merge(np.random.default_rng(0).integers(1, 50, (1000, 3)), eps=0.5)  # many values
groups = np.eye(10)[np.arange(100) % 10]
loglift.merge(counts, eps=0.5, utility=loglift.Utility.of([loglift.Target.given("u", groups)]))
