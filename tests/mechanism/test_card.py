"""What a notebook shows of a mechanism."""

from __future__ import annotations

import numpy as np

from loglift import Mechanism, Utility, merge, merge_subsets, protect, randomize
from loglift.mechanism.card import card_of
from report.making import write_table

JOINT = np.random.default_rng(0).integers(1, 30, (12, 3))


def test_a_partition_shows_its_figures_and_its_largest_blocks():
    made = merge(JOINT, 0.2)
    card = card_of(made)
    largest = max(made.blocks, key=len)
    assert card.tables[0].rows[0] == (str(len(largest)), "; ".join(map(str, largest)))
    assert ("", "safe") in card.figures
    assert f"{made.leakage:.3f} nats" in made._repr_html_()
    assert "custodian" not in made._repr_html_()


def test_an_unsafe_mechanism_says_so():
    made = merge_subsets(JOINT, 0.01, [])
    assert not made.safe
    assert "NOT SAFE" in made._repr_html_()


def test_channels_and_values_that_all_stay_alone_have_no_blocks_to_show():
    for made in (randomize(JOINT, 0.2), merge(JOINT, 20)):
        assert card_of(made).tables == ()
    assert "random released values" in randomize(JOINT, 0.2)._repr_html_()


def test_a_mechanism_of_a_table_is_for_the_custodian_and_its_file_has_no_figures(tmp_path):
    table = write_table(tmp_path / "people.csv")
    columns = {"sensitive": "illness", "public": ["town", "age"]}
    made = protect(str(table), **columns, eps=0.4, utility=Utility.columns()).mechanism
    assert "goal kept" in made._repr_html_()
    assert "For the custodian" in made._repr_html_()
    made.save(tmp_path / "mechanism.json")
    again = Mechanism.load(tmp_path / "mechanism.json")._repr_html_()
    assert "Read from a file" in again
    assert "leakage" not in again
