"""A release, saved: all of its files or none of them."""

from __future__ import annotations

import copy
import csv
import json
import math
import pickle
import shlex
import threading

import numpy as np
import polars as pl
import pytest

import loglift
from loglift import InputError, OutputError
from loglift.explain.around import nearby
from loglift.report.document import document


@pytest.fixture
def frame():
    jobs = ["clerk", "nurse", "smith", "pilot"] * 60
    ill = ["yes" if i % (2 + i % 4) == 0 else "no" for i in range(240)]
    return pl.DataFrame({"job": jobs, "ill": ill})


def made(frame, **options):
    return loglift.protect(frame, sensitive="ill", public="job", eps=0.3, **options)


def test_all_files_are_written_and_fit_together(frame, tmp_path):
    release = made(frame, explain=True)
    saved = release.save(tmp_path / "out", public_report=True, command="loglift protect ...")
    assert saved.directory == tmp_path / "out"
    assert sorted(saved.files) == sorted(path.name for path in (tmp_path / "out").iterdir())
    released = pl.read_parquet(tmp_path / "out/released.parquet")
    assert sorted(released["job"]) == sorted(release.table["job"])
    mechanism = loglift.Mechanism.load(tmp_path / "out/mechanism.json")
    assert loglift.verify(mechanism, frame).holds
    certificate = json.loads((tmp_path / "out/certificate.json").read_text())
    assert certificate["leakage"] == release.certificate.leakage
    assert "loglift protect ..." in (tmp_path / "out/report.html").read_text()
    public = (tmp_path / "out/public-report.html").read_text()
    assert "yes" not in public.split("<body")[1]
    assert "loglift protect ..." not in public


def test_the_report_has_the_explanation_of_the_release(frame, tmp_path):
    release = made(frame, explain=True)
    saved = release.save(tmp_path / "out")
    assert saved.release.explanation == release.explanation
    assert "Other bounds" in (tmp_path / "out/report.html").read_text()
    assert made(frame, method="randomized", explain=True).explanation is None


def test_a_release_is_there_before_it_is_explained(frame, tmp_path, monkeypatch):
    may_end = threading.Event()

    def late(*given):
        may_end.wait(60)
        return nearby(*given)

    monkeypatch.setattr("loglift.release.reasons.nearby", late)
    release, told = made(frame, explain=True), []
    assert not release.explaining.done()

    def tell(step):
        told.append(step.stage)
        if step.stage == "explaining":
            may_end.set()

    release.save(tmp_path / "out", on_progress=tell)
    assert told == ["writing", "explaining", "reporting"]
    assert release.nearby
    assert made(frame).explaining is None


def test_an_error_while_a_release_is_explained_is_not_lost(frame, tmp_path, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("loglift.release.reasons.nearby", broken)
    release = made(frame, explain=True)
    with pytest.raises(ZeroDivisionError):
        _ = release.explanation
    with pytest.raises(ZeroDivisionError):
        release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_explained_release_can_be_pickled_and_copied(frame):
    release = made(frame, explain=True)
    for other in (pickle.loads(pickle.dumps(release)), copy.deepcopy(release)):
        assert other.explanation == release.explanation
        assert other.nearby == release.nearby
        assert other.certificate == release.certificate


def test_a_directory_is_replaced_only_when_asked(frame, tmp_path):
    release = made(frame)
    release.save(tmp_path / "out", format="csv")
    with pytest.raises(OutputError, match="exists"):
        release.save(tmp_path / "out")
    release.save(tmp_path / "out", force=True)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "released.parquet",
        "codebook.csv",
        "mechanism.json",
        "certificate.json",
        "report.html",
        "release.toml",
    }


def test_the_mechanism_of_a_random_release_is_not_made_public(frame, tmp_path):
    release = made(frame, method="randomized")
    with pytest.raises(InputError, match="not public"):
        release.save(tmp_path / "out", public_report=True)
    assert not (tmp_path / "out").exists()


def test_a_format_that_does_not_exist_is_refused(frame, tmp_path):
    with pytest.raises(InputError, match="one of parquet, csv, "):
        made(frame).save(tmp_path / "out", format="CSV")
    assert not (tmp_path / "out").exists()


def test_a_report_is_one_page(frame, tmp_path):
    made(frame).report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "Other bounds" not in page  # they were not asked for


def test_what_is_not_asked_for_is_not_there(frame):
    plain, explained = made(frame), made(frame, explain=True)
    assert plain.explanation is plain.nearby is None
    assert explained.explanation.kept == pytest.approx(1 - explained.mechanism.nmil)
    assert any(near.factor == 1 for near in explained.nearby)
    assert repr(plain).startswith("Release(Mechanism(search: 4 public values")


def rare_frame():
    """Return a table with two rare illnesses, one of which has a name that needs quotes."""
    random = np.random.default_rng(3)
    ill = random.choice(["flu", "cold", "gout, acute", "HIV"], 1500, p=[0.5, 0.47, 0.02, 0.01])
    return pl.DataFrame(
        {
            "city": random.choice(list("abcdefgh"), 1500),
            "age": random.integers(2, 7, 1500) * 10,
            "region": random.choice(["north", "south"], 1500),
            "illness": ill,
        }
    )


RARE = {"sensitive": "illness", "public": ["city", "age"]}


def asked_with(option):
    """Return the arguments of `protect` for options of one bound, of values and of groups."""
    bound, groups = loglift.Bound.symmetric(1), []
    words = shlex.split(option)
    for name, text in zip(words[::2], words[1::2], strict=True):
        if name == "--bound":
            column, _, rest = text.partition("=")
            value, _, none = rest.rpartition(":")
            assert none == "none"
            bound = bound.with_values({value: None}, column=column)
        elif name == "--combine":
            column, _, values = text.partition("=")
            assert column == "illness"
            groups.append(next(csv.reader([values])))
        elif name == "--eps":
            bound = loglift.Bound.symmetric(float(text))
        else:
            assert name == "--upper"
            bound = loglift.Bound(math.inf, float(text))
    return {"bound": bound, "combine": {"illness": groups} if groups else None}


@pytest.mark.parametrize("utility", ["joint", "columns"])
def test_what_remedies_state_is_kept_when_their_options_are_used(utility):
    table = rare_frame()
    release = loglift.protect(table, **RARE, eps=1, utility=utility, explain=True)
    why = release.explanation
    helps = {remedy.change: remedy for remedy in why.remedies}
    assert {"upper", "unbounded", "sensitive"} <= helps.keys()
    for remedy in helps.values():
        assert remedy.kept > why.kept + 0.005
        made = loglift.protect(table, **RARE, **asked_with(remedy.option), utility=utility)
        assert made.certificate.holds
        assert made.certificate.goal_share >= remedy.kept - 0.001
    assert helps["unbounded"].option == "--bound 'illness=HIV:none'"
    assert "'illness=" in helps["sensitive"].option  # a value with a comma and a space


def test_what_the_audit_suggests_is_kept_when_its_option_is_used():
    table = rare_frame()
    suggestion = loglift.audit(table, **RARE, eps=1, suggest=True).suggestion
    assert suggestion.steps
    for step in suggestion.steps:
        made = loglift.protect(table, **RARE, **asked_with(step.option), utility="joint")
        assert made.certificate.goal_share >= step.kept - 0.001
        assert step.kept > suggestion.kept
    values = loglift.Bound.symmetric(1).with_values({"HIV": None})
    with pytest.raises(loglift.BoundError, match="suggested for one bound on all"):
        loglift.audit(table, **RARE, bound=values, suggest=True)
    with pytest.raises(InputError, match="suggested for readers of the release alone"):
        loglift.audit(table, **RARE, eps=1, known="region", suggest=True)


def test_a_remedy_of_a_release_with_groups_takes_them_over():
    table = rare_frame().with_columns(
        pl.when(pl.arange(0, 1500) % 500 == 7)
        .then(pl.lit("plague"))
        .otherwise("illness")
        .alias("illness")
    )
    made = {**RARE, "eps": 1, "utility": "joint", "combine": {"illness": ["HIV", "gout, acute"]}}
    why = loglift.protect(table, **made, explain=True).explanation
    [remedy] = [remedy for remedy in why.remedies if remedy.change == "sensitive"]
    asked = asked_with(remedy.option)
    [group] = asked["combine"]["illness"]
    assert {"plague", "HIV", "gout, acute"} <= set(group)
    again = loglift.protect(table, **RARE, **asked, utility="joint")
    assert again.certificate.goal_share >= remedy.kept - 0.001


def test_a_release_of_another_problem_is_not_explained_and_says_why(tmp_path):
    table = rare_frame().with_columns(w=pl.arange(0, 1500) % 2 + 1)
    earlier = loglift.protect(table, **RARE, eps=2)
    values = loglift.Bound.symmetric(1).with_values({"HIV": None})
    joint = loglift.Joint.from_table(table, **RARE)
    reasons = [
        ({"eps": 2, "known": "region"}, "the bound is also kept to readers who know region"),
        ({"eps": 3, "given": earlier}, "the bound is also kept together with earlier releases"),
        ({"eps": 1, "coarser_than": earlier}, "only whole blocks of an earlier release are merged"),
        ({"eps": 2, "update": earlier}, "only whole blocks of an earlier release are merged"),
        (
            {"eps": 2, "weights": "w", "both": True},
            "the bound is also kept to readers who count every record the same",
        ),
        ({"bound": values}, "single sensitive values have bounds of their own"),
        ({"eps": 1, "method": "randomized"}, "its values are drawn at random"),
    ]
    for number, (options, reason) in enumerate(reasons):
        release = loglift.protect(table, **RARE, **options, explain=True)
        assert release.explanation is release.nearby is None
        assert release.unexplained.startswith(reason)
        with pytest.raises(loglift.MechanismError, match=r"not explained|only mergings"):
            loglift.explain(joint, release.mechanism)
        sentence = f"what would help, is not computed, because {release.unexplained}."
        page = tmp_path / f"{number}.html"
        release.report(page)
        assert sentence in page.read_text("utf-8")
        assert document(release.summary)["unexplained"].endswith(sentence)
    assert len(reasons) == 7
    plain = loglift.protect(table, **RARE, eps=1, explain=True)
    assert plain.unexplained is None
    assert document(plain.summary)["unexplained"] is None
    combined = loglift.protect(
        table, **RARE, eps=1, combine={"illness": ["HIV", "flu"]}, explain=True
    )
    assert combined.explanation is not None
