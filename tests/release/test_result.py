"""A release, saved: all of its files or none of them."""

from __future__ import annotations

import json

import polars as pl
import pytest

import loglift
from loglift import InputError, OutputError


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


def test_a_release_is_explained_while_it_is_saved(frame, tmp_path):
    saved = made(frame).save(tmp_path / "out", explain=True)
    before = made(frame, explain=True)
    assert saved.release.explanation == before.explanation
    assert saved.release.nearby == before.nearby
    assert "Other bounds" in (tmp_path / "out/report.html").read_text()
    drawn = made(frame, method="randomized").save(tmp_path / "drawn", explain=True)
    assert drawn.release.explanation is None


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
    }


def test_the_mechanism_of_a_random_release_is_not_made_public(frame, tmp_path):
    release = made(frame, method="randomized")
    with pytest.raises(InputError, match="not public"):
        release.save(tmp_path / "out", public_report=True)
    assert not (tmp_path / "out").exists()


def test_a_format_that_does_not_exist_is_refused(frame, tmp_path):
    with pytest.raises(InputError, match="'parquet' or 'csv'"):
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
