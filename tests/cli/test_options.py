"""Options that commands share: bounds, bins, warnings."""

from __future__ import annotations

import math
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from loglift.cli import _options as options
from loglift.errors import InputError
from loglift.promise.bound import Bound


def bound_of(eps=None, lower=None, upper=None, beta=None, values=()):
    choices = {"eps": eps, "lower": lower, "upper": upper, "beta": beta, "value_bounds": values}
    found = options.bound_of(choices)
    assert choices == {}
    return found


def test_without_a_bound_there_is_none():
    assert bound_of() is None


def test_eps_bounds_both_sides():
    assert bound_of(0.5) == Bound(0.5, 0.5)
    assert bound_of(0.0) == Bound(0.0, 0.0)


def test_one_side_alone_leaves_the_other_unbounded():
    assert bound_of(lower=0.5) == Bound(0.5, math.inf)
    assert bound_of(upper=0.7) == Bound(math.inf, 0.7)
    assert bound_of(lower=0.5, upper=0.7) == Bound(0.5, 0.7)


def test_beta_is_a_bound_upwards():
    assert bound_of(beta=2.0) == Bound.beta_likeness(2.0)


@pytest.mark.parametrize(("lower", "upper"), [(1.0, None), (None, 1.0), (1.0, 1.0), (0.0, None)])
def test_eps_with_lower_or_upper_is_refused(lower, upper):
    with pytest.raises(click.UsageError, match="one of them"):
        bound_of(1.0, lower, upper)


@pytest.mark.parametrize("eps", [-1.0, math.nan])
def test_a_bound_that_is_negative_or_no_number_is_refused(eps):
    with pytest.raises(InputError):
        bound_of(eps)
    with pytest.raises(InputError):
        bound_of(lower=eps)


def test_single_values_have_bounds_of_their_own():
    texts = ("ill=HIV:0.3", "ill=a:b:0.5,1", "a b=NULL:none", "ill=x=y:none,2")
    entries = bound_of(1.0, values=texts).values
    assert [(entry.column, entry.value, entry.lower, entry.upper) for entry in entries] == [
        ("ill", "HIV", 0.3, 0.3),
        ("ill", "a:b", 0.5, 1.0),
        ("a b", "NULL", math.inf, math.inf),
        ("ill", "x=y", math.inf, 2.0),
    ]


def test_values_that_count_as_one_are_a_line_of_csv():
    found = options.groups_of(("ill=NULL,flu", 'ill="a, b",c', "job=x,y"))
    assert found == {"ill": [["NULL", "flu"], ["a, b", "c"]], "job": [["x", "y"]]}
    for text in ("ill", "=a,b", "ill=a"):
        with pytest.raises(click.UsageError, match="two values or more"):
            options.groups_of((text,))


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


def test_columns_with_formulas_are_warned_of_by_name(capsys):
    options.warn_of_formulas(["x", "y z"], Path("out.csv"))
    told = capsys.readouterr()
    assert told.err.startswith("Warning: x, y z in out.csv: ")
    assert told.out == ""


def test_a_draw_seed_is_warned_of_even_if_it_is_0(capsys):
    options.warn_of_seed(0)
    assert capsys.readouterr().err.startswith("Warning: Do not publish ")


def test_there_is_no_warning_without_a_reason(capsys):
    options.warn_of_formulas([], Path("out.csv"))
    options.warn_of_seed(None)
    assert capsys.readouterr() == ("", "")


def test_examples_are_one_on_each_line():
    assert options.examples("a", "b c").splitlines() == ["\b", "Examples:", "  a", "  b c"]
