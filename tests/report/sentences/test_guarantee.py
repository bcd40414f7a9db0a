"""No sentence promises what is not bounded."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd

import loglift
from loglift.promise.bound import Bound
from loglift.promise.closeness import L1Lift
from loglift.report.sentences.guarantee import (
    CHANNEL_NOTE,
    MECHANISM_NOTE,
    guaranteed,
    not_guaranteed,
)

TABLE = pd.DataFrame({"town": [0, 0, 1, 1] * 10, "a": [0, 1] * 20, "b": [0, 0, 1] * 13 + [0]})
LIMITED = replace(Bound.symmetric(1), requirements=(L1Lift(1.0),))


def mechanism_of(sensitive, bound, **options):
    made = loglift.protect(TABLE, sensitive=sensitive, public="town", bound=bound, **options)
    return made.mechanism


def test_what_is_not_bounded_is_not_promised():
    upper = mechanism_of("a", Bound(math.inf, 1), min_count=5)
    promised = " ".join(guaranteed(upper, "Beyond."))
    assert "more than 2.72 times as likely" in promised
    assert "less than" not in promised
    assert "Every released value covers at least 5 records" in promised
    assert promised.endswith("Beyond.")
    values = mechanism_of("a", Bound(math.inf, 1), min_count=5, show="values", draw_seed=0)
    assert "Every block covers" in " ".join(guaranteed(values, None))
    drawn = mechanism_of("a", Bound(math.inf, 1), min_count=5, method="randomized")
    said = " ".join(guaranteed(drawn, None))
    assert "covers at least" not in said
    assert "is expected to be drawn for at least 5 records; one draw may give it fewer." in said
    opened = not_guaranteed(upper, population=False)
    assert "only rising belief is bounded" in " ".join(opened)
    assert "Combinations" not in " ".join(opened)
    assert "Other tables" in " ".join(opened)
    assert opened[-1] == MECHANISM_NOTE
    lower = " ".join(
        not_guaranteed(mechanism_of(["a", "b"], Bound(1, math.inf), each=True), population=False)
    )
    assert "only falling belief is bounded" in lower
    assert "Combinations of the sensitive columns" in lower


def test_a_release_that_is_drawn_says_what_its_file_tells():
    made = mechanism_of("a", Bound(math.inf, 1), method="randomized", draw_seed=0)
    drawn = not_guaranteed(made, population=True)
    assert drawn[-1] == CHANNEL_NOTE
    assert "Other tables" not in " ".join(drawn)


def test_survey_weights_make_it_a_promise_about_the_population():
    weighted = TABLE.assign(w=[1.5, 2.0] * 20)
    options = {"sensitive": "a", "public": "town", "weights": "w"}
    plain = " ".join(guaranteed(mechanism_of("a", LIMITED), None))
    made = " ".join(guaranteed(loglift.protect(weighted, bound=LIMITED, **options).mechanism, None))
    bounded = loglift.protect(weighted, eps=1, both=True, **options).mechanism
    both = " ".join(guaranteed(bounded, None))
    assert plain.count("whole table") == 2
    assert "population" not in plain
    assert "table." not in made
    assert made.count("the population that the survey stands for") == 3
    assert "where every record counts the same" not in made
    assert "The same holds where every record counts the same." in both


def test_what_earlier_releases_tell_is_covered():
    first = mechanism_of("a", Bound.symmetric(2))
    made = mechanism_of("a", Bound.symmetric(2), given=first, known="b")
    told = " ".join(not_guaranteed(made, population=False))
    assert "about a person, other than b and the earlier release, or about the same" in told
    assert "other than" not in " ".join(not_guaranteed(first, population=False))
