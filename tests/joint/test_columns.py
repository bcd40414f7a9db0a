"""Sensitive variables: the columns that belong to each."""

from __future__ import annotations

import pytest

from loglift import Joint, JointError


@pytest.mark.parametrize(
    "variables", [3, "aabb", [[1], [1], "b", "b"], ["a", "b", "a", "b"], ["a"]]
)
def test_variables_that_name_no_columns_are_refused(variables):
    with pytest.raises(JointError, match="variable"):
        Joint([[1, 2, 2, 1], [3, 4, 5, 2]], variables=variables)
