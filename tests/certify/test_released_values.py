"""Released values, one by one and all together."""

from __future__ import annotations

import json
import math
from datetime import date

import numpy as np
import pytest

from loglift.certify.released_values import ReleasedValue, ReleasedValues
from loglift.mechanism.naming import ReleasedColumn
from loglift.values import encoded, json_text

COLUMNS = (
    ReleasedColumn('100 %s "x"', "text", ("a | b", 'c "d"', None, "\u2028")),
    ReleasedColumn("day", "date", (date(2021, 3, 1), None, date(2021, 3, 2), None)),
    ReleasedColumn("loglift_block", "integer", (1, 2, 3, 4)),
)


def values(logs):
    return ReleasedValues(
        columns=COLUMNS,
        numbers=np.array([0, 1, 3]),
        records=[7, 8, 9],
        events=[{"ill": "flu"}, {"ill": None}],
        places=np.array([0, 1, 1]),
        logs=np.array(logs),
        safe=np.array([True, False, True]),
    )


def test_each_value_is_an_object_when_it_is_read():
    found = values([0.25, -math.inf, -0.5])
    assert len(found) == 3
    assert found[0] == ReleasedValue(
        {'100 %s "x"': "a | b", "day": date(2021, 3, 1), "loglift_block": 1},
        7, 0.25, {"ill": "flu"}, "raises", safe=True,
    )  # fmt: skip
    assert found[1].direction == "rules out"
    assert found[-1].shows["loglift_block"] == 4
    assert found[1:] == (found[1], found[2])
    assert found == tuple(found)
    assert found != tuple(found)[1:]
    assert found.leakage == max(value.leakage for value in found) == math.inf
    with pytest.raises(IndexError):
        found[3]


@pytest.mark.parametrize("logs", [[0.25, -0.5, 0.0], [1e-300, -math.inf, 0.1]])
def test_the_text_of_all_is_that_of_each(logs):
    found = values(logs)
    texts = list(found.texts())
    assert texts == [json_text(encoded(value)) for value in found]
    assert list(map(json.loads, texts)) == json.loads(json.dumps(found.document()))
    assert encoded(found) == found.document()
