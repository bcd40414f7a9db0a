"""The command line that a report repeats."""

from __future__ import annotations

import shlex

import click
import pytest
from click.testing import CliRunner

from loglift.cli import _options as options
from loglift.cli._repeat import command_line


@click.command()
@options.table
@options.sensitive
@options.bins
@options.bound
@click.option("--top", default=20)
@options.draw_seed
@options.keep_order
@options.unseen
@options.force
@options.as_json
@options.quiet
def audit(**_):
    click.echo(command_line())


def repeated(*arguments):
    done = CliRunner().invoke(audit, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout.rstrip("\n")


def test_options_that_are_their_defaults_are_left_out():
    given = ("t.csv", "-s", "ill", "--top", "20", "--unseen", "refuse")
    assert repeated(*given) == "loglift audit t.csv --sensitive ill"


def test_other_options_are_repeated_under_their_long_names():
    given = ("t.csv", "-s", "ill", "-s", "job", "--bin", "age=10", "--keep-order", "--top", "3")
    assert repeated(*given) == (
        "loglift audit t.csv --sensitive ill --sensitive job --bin age=10 --top 3 --keep-order"
    )


def test_codes_of_missing_values_are_repeated_in_one_option():
    given = ("t.csv", "-s", "ill", "--missing", "ill=?,ignore", "--missing", 'job="a, b"')
    words = shlex.split(repeated(*given))
    assert words[-4:] == ["--missing", "ill=?,ignore", "--missing", 'job="a, b"']


def test_force_json_and_quiet_are_left_out():
    given = ("t.csv", "-s", "ill", "--force", "--json", "--quiet")
    assert repeated(*given) == "loglift audit t.csv --sensitive ill"


@pytest.mark.parametrize(
    ("option", "told"), [("--eps", "0.0"), ("--top", "0"), ("--draw-seed", "0")]
)
def test_zero_is_a_value_like_any_other(option, told):
    assert repeated("t.csv", "-s", "ill", option, "0") == (
        f"loglift audit t.csv --sensitive ill {option} {told}"
    )


@pytest.mark.parametrize("name", ["two words", "it's", "a;b", "$HOME", "*", "#1", "Zürich"])
def test_a_shell_reads_back_what_was_given(name):
    words = shlex.split(repeated(f"{name}.csv", "-s", name, "--bin", f"{name}=5"))
    assert words[2:] == [f"{name}.csv", "--sensitive", name, "--bin", f"{name}=5"]


def test_the_repeated_command_repeats_itself():
    given = ("two words.csv", "-s", "ill", "--lower", "0.5", "--unseen", "merge")
    once = repeated(*given)
    assert repeated(*shlex.split(once)[2:]) == once


def test_bounds_of_single_values_are_repeated_as_they_were_given():
    given = (
        "t.csv",
        "-s",
        "ill",
        "--eps",
        "1",
        "--bound",
        "ill=HIV:0.3",
        "--bound",
        "ill=NULL:none",
    )
    assert repeated(*given) == (
        "loglift audit t.csv --sensitive ill --eps 1.0 --bound ill=HIV:0.3 --bound ill=NULL:none"
    )
