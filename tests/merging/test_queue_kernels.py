"""The queue of candidates gives the answers of the plain scan."""

from __future__ import annotations

import math

import numpy as np
import pytest

from loglift._compute.kernels import kernels
from loglift.merging._rules import Rules, Values

queue = kernels("merging._queue_kernels", plain=True)
partner = kernels("merging._partner_kernels", plain=True)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # plain bits of numpy overflow on purpose
@pytest.mark.parametrize(("down", "up"), [(1.0, 1.0), (0.0, 1.0), (1.0, 0.0)])
def test_the_best_of_many_is_the_best_partner(down, up):
    rng = np.random.default_rng(3)
    mass = rng.integers(0, 6, (90, 5)) + np.eye(90, 5)
    prior = mass.sum(axis=0)
    rules = Rules(prior, float(prior.sum()), 0.5, 2.0, down, up)
    values = Values(mass, mass.sum(axis=1))
    waiting = queue.make_queue(np.arange(90), values, rules)
    left = list(range(90))
    block, weight, order = np.zeros(5), 0.0, rng.permutation(90)[:40].tolist()
    assert len(order) == 40
    for chosen in order:
        queue.leave(waiting, chosen, rules)
        left.remove(chosen)
        block, weight = block + mass[chosen], weight + values.weight[chosen]
        expected = partner.best_partner(block, weight, np.array(left), values, rules)
        assert queue.best_of_many(block, weight, waiting, values, rules) == expected


def test_the_excess_is_e_to_the_omega():
    mass = np.array([[3.0, 1.0], [1.0, 3.0], [5.0, 0.0]])
    rules = Rules(mass.sum(axis=0), 13.0, 0.5, 2.0, 1.0, 1.0)
    values = Values(mass, mass.sum(axis=1))
    both = mass[0] + mass[1]
    lifts = both * 13 / (both.sum() * mass.sum(axis=0))
    found = partner.excess_with(mass[0], 4.0, values, 1, rules)
    assert math.log(found) == pytest.approx(np.abs(np.log(lifts)).max())
    assert partner.excess_with(np.zeros(2), 0.0, values, 2, rules) == math.inf
