"""The record of a release: its date, its input, its options, and what it means, in words."""

from __future__ import annotations

import datetime as dt
import hashlib
import math
import re
from dataclasses import replace

import pandas as pd
import pytest

import loglift
from loglift import Bound
from loglift.certify.certificate import Draws
from loglift.confidence.population import Population
from loglift.mechanism.columns import EarlierRelease
from loglift.promise.closeness import L1Lift
from loglift.report.origin import Origin, Preview
from loglift.report.page import render
from loglift.report.record import in_plain_words, limit_words, record_of
from loglift.report.summary import Summary

DAY = dt.date(2025, 3, 4)
EARLIER = EarlierRelease("0" * 64, ("town",))
FILE = Origin(DAY, "people.csv", 1, "ab" * 32)


def record(summary, origin=FILE, **changes):
    certificate = replace(summary.certificate, **changes)
    return dict(record_of(summary.mechanism, certificate, origin))


def test_the_record_names_date_input_and_hash(summary):
    told = record(summary)
    assert told["date"] == "2025-03-04"
    assert told["input"] == "people.csv, 4,000 records"
    assert told["SHA-256 of the input file"] == "ab" * 32
    assert "SHA-256 of the counts" not in told
    several = record(summary, replace(FILE, name="part-*.csv", files=3))
    assert several["input"] == "part-*.csv (3 files), 4,000 records"
    assert several["SHA-256 of the input files"] == "ab" * 32


def test_without_a_file_the_counts_have_the_hash(summary):
    counts = summary.certificate.counts_sha256
    told = record(summary, Origin(DAY))
    assert told["input"] == "a dataframe, 4,000 records"
    assert told["SHA-256 of the counts"] == counts
    changed = record(summary, replace(FILE, sha256=None))
    assert changed["SHA-256 of the input file"] == "unknown: the file changed after it was read"
    assert changed["SHA-256 of the counts"] == counts
    assert not {"date", "input"} & set(record(summary, None))


def test_the_record_says_whether_sensitive_columns_are_published(summary):
    assert record(summary)["sensitive columns published"] == "no"
    assert record(summary)["columns released as they are"] == "none"
    shown = record(summary, beside=("job", "illness"))
    assert shown["sensitive columns published"] == "yes, as in the table: illness"
    assert shown["columns released as they are"] == "job"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"min_count": 5}, "every released value has at least 5 records"),
        (
            {"min_count": 5, "drawn": True},
            "every released value is expected to have at least 5 records",
        ),
        ({"intact": ("town",)}, "values of town are never merged with different ones"),
        (
            {"intact": ("town",), "drawn": True},
            "every released value stands for one value of town only",
        ),
        ({"intact": ()}, "groups of values, given one by one, are never merged with each other"),
        (
            {"population": Population(0.95, holds=True, lower=1, upper=1, records=9)},
            "certified for the population with 95 % confidence",
        ),
    ],
)
def test_other_options_are_named(summary, changes, said):
    assert said not in record(summary)["other options"]
    assert said in record(summary, **changes)["other options"].split("; ")


def test_the_order_of_the_rows_is_told(summary):
    assert record(summary)["other options"] == "the released rows are shuffled"
    kept = record(summary, replace(FILE, keeps_order=True))
    assert kept["other options"] == "the released rows keep the order of the input"


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (Bound.symmetric(1), "is at most 2.72 times and at least 0.367 times as likely as before"),
        (Bound(math.inf, 0.7), "is at most 2.02 times as likely as before"),
        (Bound(0.7, math.inf), "is at least 0.496 times as likely as before"),
        (Bound.symmetric(0), "is as likely as before"),
    ],
)
def test_the_limit_is_told_for_the_sides_that_have_one(bound, said):
    assert limit_words(bound, ["ill"], each=False).endswith(f"a value of ill {said}")
    assert "ill and job, each on its own" in limit_words(bound, ["ill", "job"], each=True)
    assert "ill and job, taken together" in limit_words(bound, ["ill", "job"], each=False)


def test_the_plain_words_have_the_range_that_rises_furthest(summary):
    certificate = summary.certificate
    words = in_plain_words(summary.mechanism, certificate)
    assert "shows town, age of 4,000 records" in words
    rises = {b.sensitive["illness"]: b.most - b.before for b in certificate.beliefs}
    furthest = max(rises, key=rises.get)
    [(before, least, most)] = re.findall(
        rf"([\d.]+) % of the records have illness = {furthest}; whatever a row shows, belief in "
        r"that stays between ([\d.]+) % and ([\d.]+) %",
        words,
    )
    [belief] = [b for b in certificate.beliefs if b.sensitive["illness"] == furthest]
    assert float(before) == pytest.approx(100 * belief.before, abs=0.06)
    assert float(least) <= 100 * belief.least
    assert float(most) >= 100 * belief.most
    assert "published as well" not in words
    shown = replace(certificate, beside=("illness",))
    assert "But illness is published as well" in in_plain_words(summary.mechanism, shown)
    unknown = replace(certificate, beliefs=())
    assert "For example" not in in_plain_words(summary.mechanism, unknown)


def test_the_plain_words_say_what_options_change(summary):
    def words(**changes):
        return in_plain_words(summary.mechanism, replace(summary.certificate, **changes))

    assert "Values that said too much about illness were merged" in words()
    few = "Values that said too much about illness, or had too few records, were merged"
    assert few in words(min_count=9)
    earlier = replace(EARLIER, public=("job",))
    told = words(known=("job",), given=(earlier, earlier))
    assert told.endswith("readers know from elsewhere, other than job and the earlier releases.")
    weighted = words(weights="w")
    assert "% of that population has illness = " in weighted
    assert "of the records have" not in weighted
    limited = replace(summary.certificate.bound, requirements=(L1Lift(1.0),))
    assert "from those in the population that the survey" in words(weights="w", bound=limited)
    limit = record(summary, weights="w", bound=limited)["limit"]
    assert limit.endswith("from those in the population that the survey stands for (l1-lift)")


def test_a_release_that_changes_nothing_says_so():
    table = pd.DataFrame({"x": list("ab") * 50, "s": list("uvvu") * 25})
    told = loglift.protect(table, sensitive="s", public="x", eps=1).summary.in_plain_words
    assert "No value had to be changed" in told
    drawn = loglift.protect(table, sensitive="s", public="x", eps=1, method="randomized").summary
    assert "drawn at random" in drawn.in_plain_words
    assert "drawn at random" in dict(drawn.record)["how values are rewritten"]


def test_blocks_that_are_shown_as_values_say_so(summary):
    draws = Draws("the operating system", None, seeded=False, note="")
    told = record(summary, draws=draws)
    assert told["how values are rewritten"].endswith("one value of its block, drawn at random")
    assert "drawn" not in record(summary)["how values are rewritten"]
    drawn = replace(summary.certificate, draws=draws)
    said = "and a row shows any of the values that are merged with its own"
    assert said in in_plain_words(summary.mechanism, drawn)
    assert said not in in_plain_words(summary.mechanism, summary.certificate)
    keyed = record(summary, draws=replace(draws, key="person", seeded=True))["other options"]
    assert "records of the same person get the same draw" in keyed
    assert "drawn with a seed, for tests only" in keyed


def section(page, name):
    [found] = re.findall(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    return found


def test_the_page_of_a_saved_release_has_the_record_of_its_input(made):
    table, out = made
    told = section((out / "report.html").read_text("utf-8"), "record")
    assert f"<bdi>{table.name}, 4,000 records</bdi>" in told
    assert hashlib.sha256(table.read_bytes()).hexdigest() in told
    assert str(table.parent) not in told
    assert "What a reader may believe" in told
    public = (out / "public-report.html").read_text("utf-8")
    for secret in (table.name, hashlib.sha256(table.read_bytes()).hexdigest(), "data protection"):
        assert secret not in public


def test_the_page_previews_rows_of_the_release_and_the_public_page_does_not(made):
    _, out = made
    page = (out / "report.html").read_text("utf-8")
    told = section(page, "preview")
    rows = re.findall(r"<tr>(.*?)</tr>", told.partition("<tbody>")[2])
    cells = [tuple(re.findall(r"<bdi[^>]*>(.*?)</bdi>", row)) for row in rows]
    released = pd.read_parquet(out / "released.parquet").astype(str)
    assert len(cells) == 10
    assert set(cells) <= set(released.itertuples(index=False, name=None))
    assert "Ten released rows" in told
    assert 'id="preview"' not in (out / "public-report.html").read_text("utf-8")


def test_a_preview_is_escaped_and_named_by_its_size(summary):
    preview = Preview(("a<b>",), (("<script>",),))
    page = render(replace(summary, preview=preview))
    assert "One released row<" in page
    assert "a<b>" not in page
    assert '<bdi title="&lt;script&gt;">&lt;script&gt;</bdi>' in page
    assert 'id="preview"' not in render(replace(summary, preview=None))


def test_a_mechanism_alone_has_no_record(summary):
    page = render(Summary.of_mechanism(summary.mechanism))
    assert 'id="record"' not in page
    assert 'class="brief"' not in page
    assert '<body class="brief">' in render(summary)
