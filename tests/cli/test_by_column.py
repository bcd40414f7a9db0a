"""Texts of columns: what they say, and what is refused."""

from __future__ import annotations

import math

import click
import pytest
from click.testing import CliRunner

from loglift.cli import _options as options
from loglift.cli._by_column import groups_of, value_bounds_of


def test_single_values_have_bounds_of_their_own():
    texts = ("ill=HIV:0.3", "ill=a:b:0.5,1", "a b=NULL:none", "ill=x=y:none,2")
    assert value_bounds_of(texts) == [
        ("ill", "HIV", (0.3, 0.3)),
        ("ill", "a:b", (0.5, 1.0)),
        ("a b", "NULL", (math.inf, math.inf)),
        ("ill", "x=y", (math.inf, 2.0)),
    ]


def test_values_that_count_as_one_are_a_line_of_csv():
    found = groups_of(("ill=NULL,flu", 'ill="a, b",c', "job=x,y"))
    assert found == {"ill": [["NULL", "flu"], ["a, b", "c"]], "job": [["x", "y"]]}
    for text in ("ill", "=a,b", "ill=a"):
        with pytest.raises(click.UsageError, match="two values or more"):
            groups_of((text,))


@options.bins
@click.command()
def binned(bins, missing):
    click.echo(repr(bins | missing))


def cuts(*given, option="--bin"):
    arguments = [argument for text in given for argument in (option, text)]
    return CliRunner().invoke(binned, arguments)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ((), "{}"),
        (("age=10",), "{'age': '10'}"),
        (("age=10.0", "income=0.5"), "{'age': '10.0', 'income': '0.5'}"),
        (("a=b=5",), "{'a=b': '5'}"),
        (("age=18,65:<18,=,>=65",), "{'age': '18,65:<18,=,>=65'}"),
        (("age=1e3",), "{'age': '1e3'}"),
        (("age=20, 40", "born=year"), "{'age': '20, 40', 'born': 'year'}"),
        (("x=..5", "y=quantiles:4"), "{'x': '..5', 'y': 'quantiles:4'}"),
    ],
)
def test_bins_are_a_dictionary_of_texts(given, found):
    assert cuts(*given).output == f"{found}\n"


@pytest.mark.parametrize(
    "text",
    [
        *("age", "=10", "age=", "age=x", "age=0", "age=-1", "age=inf", "a=nan", "a=3,2", "a=2,2"),
        *("a=quantiles:1", "a=week", "a=5..3", "a=..", "a=1,2:x,y", "a=1,2:x,x,y"),
        "a=1,2020-01-01",
    ],
)
def test_a_bin_that_says_no_cut_is_refused(text):
    done = cuts(text)
    assert done.exit_code == 2
    assert "Invalid value for '--bin'" in done.stderr
    assert len(done.stderr.splitlines()[-1]) < 300


def test_two_cuts_of_one_column_are_refused():
    done = cuts("age=10", "age=20")
    assert done.exit_code == 2
    assert "'age' is cut twice" in done.stderr


def test_codes_of_missing_values_are_lists_of_texts():
    found = cuts("income=-9, -8", "ill=ignore", 'job="a, b"', "income=NA", option="--missing")
    wanted = {"income": ["-9", "-8", "NA"], "ill": ["ignore"], "job": ["a, b"]}
    assert found.output == f"{wanted}\n"
    for text in ("income", "=-9", "income=", "income=-9,,", "ill=a\nb", 'ill="a'):
        assert "is not COL=CODE" in cuts(text, option="--missing").stderr
