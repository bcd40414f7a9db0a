"""The riskiest public values, and the sensitive values behind them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from known import table_joint
from loglift import Bound
from loglift.audit.risks import drivers_of, risks_of
from loglift.measures.lift import omegas_of
from strategies import count_joints


def test_the_riskiest_come_first_and_say_what_they_do():
    said = Counter()

    @given(count_joints(min_public=2))
    def check(counts):
        risks = risks_of(table_joint(counts), omegas_of(counts), 3, None)
        assert len(risks) == min(3, len(counts))
        omegas = [risk.omega for risk in risks]
        assert omegas == sorted(omegas, reverse=True)
        assert omegas[0] == omegas_of(counts).max()
        for risk in risks:
            x, s = risk.value["a"], risk.sensitive["s"]
            weight, cell = counts[x].sum(), counts[x, s]
            assert (risk.records, risk.records_with) == (weight, cell)
            assert risk.expected == pytest.approx(weight * counts[:, s].sum() / counts.sum())
            assert risk.omega == abs(risk.log_lift)
            moves = "raises" if cell > risk.expected else "lowers"
            assert risk.does == ("rules out" if cell == 0 else moves)
            assert risk.population is None
            said[risk.does] += 1

    check()
    assert min(said.values()) > 10
    assert set(said) == {"rules out", "raises", "lowers"}


def test_of_equal_risks_the_one_with_more_records_comes_first():
    counts = np.array([[1, 0], [3, 0], [2, 0], [1, 9]])
    risks = risks_of(table_joint(counts), omegas_of(counts), 3, None)
    assert [risk.value["a"] for risk in risks] == [1, 2, 0]


@pytest.mark.parametrize("top", [0, 1, 3, 20, 59, 60, 61, 100])
def test_the_first_risks_are_those_of_sorting_all(top):
    """With ties, and values that rule a sensitive value out."""
    counts = np.random.default_rng(0).integers(0, 4, (60, 3))
    counts[:, 0] += 1
    joint = table_joint(counts)
    omegas = omegas_of(counts)
    everything = sorted(range(60), key=lambda x: (-omegas[x], -joint.records[x]))
    assert np.isinf(omegas).sum() > 3
    assert len(set(omegas.tolist())) < 40
    found = risks_of(joint, omegas, top, None)
    assert [risk.value["a"] for risk in found] == everything[:top]


def test_drivers_are_the_sensitive_values_outside_the_bound():
    counts = np.array([[10, 0, 10], [10, 10, 10], [10, 11, 10], [10, 0, 10]])
    [driver] = drivers_of(table_joint(counts), omegas_of(counts), Bound.symmetric(0.8))
    assert driver.sensitive == {"s": 1}
    assert (driver.values, driver.records, driver.records_with) == (2, 40, 21)


@given(count_joints(min_public=2))
def test_without_a_bound_every_value_that_reveals_something_has_a_driver(counts):
    omegas = omegas_of(counts)
    drivers = drivers_of(table_joint(counts), omegas, None)
    assert sum(driver.values for driver in drivers) >= (omegas > 0).sum()
    records = [driver.records for driver in drivers]
    assert records == sorted(records, reverse=True)
    prior = counts.sum(axis=0)
    assert all(driver.records_with == prior[driver.sensitive["s"]] for driver in drivers)


def test_drivers_of_several_variables_name_their_own_column():
    counts = np.array([[30, 0, 0, 30], [15, 15, 15, 15]])  # (s, t): s says nothing, t neither
    joint = table_joint(counts, events=[(0, 0), (0, 1), (1, 0), (1, 1)])
    assert drivers_of(joint.apart(), omegas_of(joint.apart().mass), Bound.symmetric(0.1)) == ()
    together = drivers_of(joint, omegas_of(counts), Bound.symmetric(0.1))
    assert {tuple(driver.sensitive.values()) for driver in together} == {
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    }
