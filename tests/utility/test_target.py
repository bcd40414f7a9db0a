"""Targets: columns, coarser versions and p(u|x), as masses n(u,x) on a joint."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from loglift import Joint, Target, UtilityError
from loglift.sparse import as_cells, dense
from loglift.utility.target import MAX_WEIGHT

FRAME = pd.DataFrame(
    {
        "place": ["north", "north", "south", "south", "east", "north"],
        "age": [20, 30, 20, 40, 30, 20],
        "s": [0, 1, 0, 1, 0, 1],
    }
)
JOINT = Joint.from_table(FRAME, sensitive="s", public=["place", "age"])
WEIGHT = np.asarray(JOINT.weight, dtype=float)


def mass_of(target, joint=JOINT):
    return dense(target.mass(joint, np.asarray(joint.weight, dtype=float)))


def test_a_column_counts_its_values():
    found = mass_of(Target.column("place"))
    for row, (place, _) in zip(found, JOINT.public, strict=True):
        expected = [place == value for value in ("east", "north", "south")]
        assert (row > 0).tolist() == expected
    assert found.sum(axis=1).tolist() == WEIGHT.tolist()
    assert sorted(found.sum(axis=0).tolist()) == [1, 2, 3]


def test_a_coarser_version_counts_its_groups():
    coast = {"north": "sea", "south": "sea", "east": "land"}
    target = Target.coarser("place", coast, name="coast")
    assert target.name == "coast"
    assert Target.coarser("place", coast).name == "place in groups"
    found = mass_of(target)
    assert sorted(found.sum(axis=0).tolist()) == [1, 5]
    assert found.sum(axis=1).tolist() == WEIGHT.tolist()


def test_bands_are_those_of_the_values():
    target = Target.bands("age", np.array([0, 0, 1]), 2)
    assert target.name == "age in 2 bands"
    assert mass_of(target).sum(axis=0).tolist() == [5, 1]


@pytest.mark.parametrize("form", [np.asarray, as_cells, np.ndarray.tolist])
@pytest.mark.parametrize("factor", [1, 7])
def test_rows_are_scaled_to_the_masses_of_the_public_values(form, factor):
    n = len(JOINT.public)
    given = np.random.default_rng(0).dirichlet(np.ones(3), n)
    found = mass_of(Target.given("u", form(factor * given)))
    np.testing.assert_allclose(found, given * WEIGHT[:, np.newaxis])


def test_a_joint_is_matched_by_its_public_values():
    shuffled = np.random.default_rng(1).permutation(len(JOINT.public))
    counts = np.arange(1, 2 * len(JOINT.public) + 1).reshape(-1, 2)
    table = Joint(counts[shuffled], public=[JOINT.public[row] for row in shuffled])
    np.testing.assert_allclose(
        mass_of(Target.given("u", table)), mass_of(Target.given("u", counts))
    )


def test_a_value_of_u_that_never_occurs_is_left_out():
    n = len(JOINT.public)
    counts = np.array([[1, 0, 2]] * n)
    assert mass_of(Target.given("u", counts)).shape == (n, 2)


@pytest.mark.parametrize("weight", [0, 0.5, 3, MAX_WEIGHT])
def test_a_target_has_a_weight(weight):
    assert Target.column("age", weight).weight == weight
    assert Target.column("age").weighing(weight).weight == weight
    assert Target.given("u", [[1]], weight).weight == weight


N = len(JOINT.public)
TWO_VARIABLES = Joint(np.ones((N, 4)), public=JOINT.public, variables=["p", "p", "q", "q"])
MADE = {
    "negative weight": (lambda: Target.column("age", -1), "at least 0"),
    "infinite weight": (lambda: Target.column("age", np.inf), "at most"),
    "no number": (lambda: Target.column("age", "2"), "must be a number"),
    "no groups": (lambda: Target.coarser("place", ["sea"]), "must be a mapping of its values"),
    "no numbers": (lambda: Target.given("u", [["a"]]), "must hold numbers"),
    "no table": (lambda: Target.given("u", 3), "must have shape"),
    "an empty row": (lambda: Target.given("u", [[1, 1], [0, 0]]), "zero in 1 of 2 rows: give each"),
    "an empty sparse row": (
        lambda: Target.given("u", as_cells(np.array([[1, 1], [0, 0], [0, 0]]))),
        "zero in 2 of 3 rows: give each",
    ),
    "two variables": (lambda: Target.given("u", TWO_VARIABLES), "each part of .by_variable"),
}


@pytest.mark.parametrize("name", MADE)
def test_a_target_that_cannot_be_is_refused(name):
    make, fix = MADE[name]
    with pytest.raises(UtilityError, match=fix):
        make()


USED = {
    "no such column": (Target.column("size"), JOINT, "name one of place, age"),
    "no columns": (Target.column("age"), Joint([[1, 2], [2, 1]]), "give p.u.x. with Target.given"),
    "no group": (
        Target.coarser("place", {"north": 1}),
        JOINT,
        "no group is named for 'east', 'south' of column 'place': name one for each",
    ),
    "other rows": (Target.given("u", np.ones((N + 1, 2))), JOINT, "give one row per public value"),
    "other values": (
        Target.given("u", Joint(np.ones((2, 2)), public=["a", "b"])),
        Joint(np.ones((7, 2))),
        r"no p\(u\|x\) for 0, 1, 2, 3, 4 and 2 more: count it on the same records",
    ),
    "other bands": (Target.bands("age", np.array([0, 1]), 2), JOINT, "use bands_of this joint"),
    "nothing": (Target("u"), JOINT, "make it with Target.column"),
}


@pytest.mark.parametrize("name", USED)
def test_a_target_that_does_not_fit_the_joint_is_refused(name):
    target, joint, fix = USED[name]
    with pytest.raises(UtilityError, match=fix):
        mass_of(target, joint)
