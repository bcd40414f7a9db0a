"""Options that commands share: bounds, warnings."""

from __future__ import annotations

import math
from pathlib import Path

import click
import pytest

from loglift import AlphaLift, DistinctDiversity, TCloseness
from loglift.cli import _options as options
from loglift.errors import InputError
from loglift.promise.bound import Bound
from loglift.promise.catalogue import BY_KEY, KINDS


def bound_of(eps=None, lower=None, upper=None, beta=None, values=(), **required):
    choices = {"eps": eps, "lower": lower, "upper": upper, "beta": beta, "value_bounds": values}
    choices |= dict.fromkeys(BY_KEY) | required
    found = options.bound_of(choices)
    assert choices == {}
    return found


def test_without_a_bound_there_is_none():
    assert bound_of() is None


def test_requirements_go_with_a_bound_and_alone():
    assert bound_of(t=0.2) == Bound.requiring(TCloseness(0.2))
    both = bound_of(1.0, alpha_lift="3=0.5", distinct_l=2)
    assert both == Bound.requiring(AlphaLift(0.5, alpha=3), DistinctDiversity(2), eps=1)


def test_every_requirement_has_its_option():
    assert [f"--{name}" for name in (*options.SWEPT, "alpha-lift")] == sorted(
        (kind.option for kind in KINDS),
        key=lambda option: (option == "--alpha-lift", [k.option for k in KINDS].index(option)),
    )


def test_one_limit_is_swept():
    nothing = {name.replace("-", "_"): None for name in options.SWEPT}
    assert options.swept_of(None, dict(nothing)) == ("eps", None)
    assert options.swept_of("1,2", dict(nothing)) == ("eps", "1,2")
    assert options.swept_of(None, {**nothing, "t": "0.1"}) == ("t", "0.1")
    with pytest.raises(click.UsageError, match="one limit to try"):
        options.swept_of("1", {**nothing, "t": "0.1"})


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
