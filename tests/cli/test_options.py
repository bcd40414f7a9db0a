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


def test_without_a_bound_there_is_none():
    assert options.bound_of(None, None, None) is None


def test_eps_bounds_both_sides():
    assert options.bound_of(0.5, None, None) == Bound(0.5, 0.5)
    assert options.bound_of(0.0, None, None) == Bound(0.0, 0.0)


def test_one_side_alone_leaves_the_other_unbounded():
    assert options.bound_of(None, 0.5, None) == Bound(0.5, math.inf)
    assert options.bound_of(None, None, 0.7) == Bound(math.inf, 0.7)
    assert options.bound_of(None, 0.5, 0.7) == Bound(0.5, 0.7)


@pytest.mark.parametrize(("lower", "upper"), [(1.0, None), (None, 1.0), (1.0, 1.0), (0.0, None)])
def test_eps_with_lower_or_upper_is_refused(lower, upper):
    with pytest.raises(click.UsageError, match="not both"):
        options.bound_of(1.0, lower, upper)


@pytest.mark.parametrize("eps", [-1.0, math.nan])
def test_a_bound_that_is_negative_or_no_number_is_refused(eps):
    with pytest.raises(InputError):
        options.bound_of(eps, None, None)
    with pytest.raises(InputError):
        options.bound_of(None, eps, None)


@options.bins
@click.command()
def binned(bins):
    click.echo(repr(bins))


def widths(*given):
    arguments = [argument for text in given for argument in ("--bin", text)]
    return CliRunner().invoke(binned, arguments)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ((), "{}"),
        (("age=10",), "{'age': 10}"),
        (("age=10.0", "income=0.5"), "{'age': 10, 'income': 0.5}"),
        (("a=b=5",), "{'a=b': 5}"),
        (("age=1e3",), "{'age': 1000}"),
    ],
)
def test_bins_are_a_dictionary_of_widths(given, found):
    assert widths(*given).output == f"{found}\n"


@pytest.mark.parametrize(
    "text", ["age", "=10", "age=", "age=x", "age=0", "age=-1", "age=inf", "a=nan"]
)
def test_a_bin_without_a_column_or_a_positive_width_is_refused(text):
    done = widths(text)
    assert done.exit_code == 2
    assert f"{text!r} is not COL=WIDTH with a positive width" in done.stderr


def test_two_widths_of_one_column_are_refused():
    done = widths("age=10", "age=20")
    assert done.exit_code == 2
    assert "'age' has two widths" in done.stderr


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
