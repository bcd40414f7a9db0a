"""The evaluation of a release as one object."""

from __future__ import annotations

import json

import numpy as np

from loglift import Bound
from loglift.readers.attack import AttackReading, counting_reading
from loglift.readers.columns import column_readings
from loglift.readers.evaluation import Evaluation
from loglift.readers.minimality import merged_reading
from loglift.readers.pairs import pair_readings
from loglift.readers.queries import query_errors
from loglift.readers.views import original_view
from small_records import records_of


def test_its_json_form_has_every_figure_and_infinite_ones_as_text():
    records = records_of(0, size=100)
    view = original_view(records)
    mass = np.array([[10.0, 0.0], [5.0, 5.0]])
    bound = Bound(np.inf, 1.0)
    evaluation = Evaluation(
        public=("age", "c1"),
        sensitive=("s",),
        passthrough=(),
        purposes=("u0",),
        sensitive_released=False,
        shows="groups",
        bound=bound,
        records=100,
        evaluated=100,
        seed=0,
        columns=column_readings(records, view, view, [1.0, 1.0]),
        pairs=pair_readings(records, view, view, view),
        queries=query_errors(records, view, view, 0),
        models=(),
        attacks=(
            AttackReading(
                ("s",),
                counting_reading(mass, mass, bound),
                None,
                None,
                merged_reading(mass, np.array([0, 1]), bound, published=False),
            ),
        ),
    )
    found = json.loads(json.dumps(evaluation.as_dict(), allow_nan=False))
    assert set(found) == set(vars(evaluation))
    assert (found["bound"]["lower"], found["bound"]["upper"]) == ("inf", 1.0)
    [attack] = found["attacks"]
    assert attack["counting"]["fall"] == {"original": "inf", "released": "inf", "shuffled": 1.0}
    assert found["columns"][0]["unchanged"]["released"] == 1.0
    assert found["pairs"][0]["distance"]["original"] == 0.0
