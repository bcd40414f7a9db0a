"""How the draws of a randomized release are told."""

from __future__ import annotations

import polars as pl
import pytest

import loglift
from loglift import InputError
from loglift.release.draws import SEEDED, draws_of, noise_of

FRAME = pl.DataFrame({"x": list("abc") * 40, "s": list("ynynnyyynn") * 12})


@pytest.fixture
def drawn():
    joint = loglift.Joint.from_table(FRAME, sensitive="s", public="x")
    return loglift.randomize(joint, 0.05)


def test_new_noise_at_every_call_unless_it_is_seeded(drawn):
    first, second = (noise_of(drawn, None, None).numbers(50) for _ in range(2))
    assert (first != second).any()
    again, same = (noise_of(drawn, None, 7).numbers(50) for _ in range(2))
    assert (again == same).all()


def test_a_seed_is_told_and_a_key_too(drawn):
    assert draws_of(drawn, "person", 7).note == SEEDED
    assert draws_of(drawn, "person", 7).seeded
    told = draws_of(drawn, "person", None)
    assert (told.key, told.seeded) == ("person", False)
    assert "operating system" in told.note


def test_a_partition_draws_nothing():
    joint = loglift.Joint.from_table(FRAME, sensitive="s", public="x")
    merged = loglift.merge(joint, 0.05)
    assert noise_of(merged, None, None) is None
    assert draws_of(merged, None, None) is None
    with pytest.raises(InputError, match="--draw-seed"):
        noise_of(merged, None, 1)
