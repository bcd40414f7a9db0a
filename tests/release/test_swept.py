"""What a sweep merges: a joint or a table, with options that are used."""

from __future__ import annotations

import polars as pl
import pytest

from loglift import frontier, least_eps
from loglift.errors import InputError, MechanismError


def test_a_table_needs_the_names_of_its_columns():
    table = pl.DataFrame({"x": ["a", "b"] * 9, "s": ["y", "n", "n"] * 6})
    with pytest.raises(InputError, match="name its sensitive and public columns"):
        frontier(table)
    with pytest.raises(InputError, match="name both"):
        frontier(table, sensitive="s")
    with pytest.raises(InputError, match="bins are for tables"):
        frontier([[3, 1], [1, 3]], bins={"x": 5})


@pytest.mark.parametrize("method", ["greedy", "complete", "ordered"])
def test_iterations_that_no_method_uses_are_refused(method):
    counts = [[3, 1], [1, 3]]
    with pytest.raises(MechanismError, match=f"iterations is for search and exact.*{method}"):
        frontier(counts, [1], [method], iterations=5)
    with pytest.raises(MechanismError, match=f"iterations is for search and exact.*{method}"):
        least_eps(counts, 0.5, method, iterations=5)
    assert len(frontier(counts, [1], [method, "search"], iterations=5).points) == 2
