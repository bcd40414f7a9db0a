"""Results are short texts: a terminal is not filled with arrays."""

from __future__ import annotations

import pytest

import loglift
from loglift.paper import reproduce
from report.making import write_table


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    table = str(write_table(tmp_path_factory.mktemp("texts") / "people.csv", records=1500))
    columns = {"sensitive": "illness", "public": ["town", "age"]}
    release = loglift.protect(table, eps=0.4, explain=True, **columns)
    drawn = loglift.protect(table, eps=0.4, method="randomized", **columns)
    joint = release.audit.joint
    found = [
        release,
        release.mechanism,
        release.certificate,
        release.explanation,
        release.summary,
        release.notions,
        release.mechanism.measures(),
        drawn.mechanism,
        loglift.audit(table, **columns),
        loglift.bipartition(joint, 0.4),
        loglift.diff(release.mechanism, drawn.mechanism),
        loglift.diff(release.mechanism, release.mechanism),
        loglift.estimate(drawn.mechanism, drawn.table),
        loglift.frontier(joint, [0.5, 1], ["greedy"]),
        loglift.merge([joint, joint], [0.5, 1], "greedy"),
        loglift.evaluate(table, release.mechanism),
        loglift.least_eps(joint, 0.3),
        reproduce(3),
        joint,
    ]
    return {f"{type(each).__name__} {i}": each for i, each in enumerate(found)}


def test_every_text_is_short_and_names_its_class(results):
    long = {name: repr(each) for name, each in results.items() if len(repr(each)) > 400}
    assert long == {}
    assert all(repr(each).startswith(type(each).__name__) for each in results.values())


def test_a_certificate_says_whether_it_holds(results):
    told = [repr(each) for name, each in results.items() if name.startswith("Certificate")]
    assert [
        text.startswith("Certificate(holds: town, age about illness, 1500") for text in told
    ] == [True]


def test_an_estimate_is_a_frame_where_it_is_wanted(results):
    [found] = [each for name, each in results.items() if name.startswith("Estimate")]
    assert list(found.to_frame()["share"]) == found.shares.tolist()
