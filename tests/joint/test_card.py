"""What a notebook shows of a joint."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from loglift import Joint


def test_a_small_joint_is_shown_whole():
    html = Joint([[3, 1], [1, 3000]], public=["<a>", "b"], sensitive=["s", "t"])._repr_html_()
    assert "&lt;a&gt;" in html
    assert "3,000" in html
    assert "the first" not in html
    assert "custodian" not in html


def test_a_large_joint_is_shown_in_part_dense_and_sparse():
    mass = np.arange(1, 201).reshape(20, 10)
    dense, sparse = Joint(mass)._repr_html_(), Joint(csr_array(mass))._repr_html_()
    assert "the first 8 of 20 rows and 8 of 10 columns" in dense
    assert ">78</" in dense  # row 8, column 8
    assert ">79</" not in dense
    assert sparse == dense


def test_a_table_names_its_columns_and_is_for_the_custodian():
    table = pd.DataFrame({"job": ["a", "b", "a"], "ill": [0, 1, 1], "w": [1.5, 2.0, 1.0]})
    html = Joint.from_table(table, sensitive="ill", public="job", weights="w")._repr_html_()
    assert "Joint of job and ill" in html
    assert "weighted by" in html
    assert "For the custodian" in html
    assert "total mass" in Joint([[0.25, 0.25], [0.25, 0.25]])._repr_html_()


def test_several_variables_are_told():
    joint = Joint([[3, 1, 2, 2], [1, 3, 1, 3]], variables=["a", "a", "b", "b"])
    assert "sensitive variables" in joint._repr_html_()
