"""Options that do not go together are refused, in Python and on the command line."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import loglift
from loglift import InputError, MechanismError, TableError
from loglift.cli import main
from loglift.sklearn import LiftProtector

TABLE = pl.DataFrame(
    {
        "x": [f"x{i % 12:02}" for i in range(600)],
        "s": ["yes" if i % (3 + i % 4) == 0 else "no" for i in range(600)],
        "k": [i % 7 for i in range(600)],
    }
)
COMMON = {"sensitive": "s", "public": "x"}
EPS = COMMON | {"eps": 1}

REFUSED = [
    (
        {**EPS, "method": "randomized", "confidence": 0.9, "intact": "x"},
        "intact columns cannot be certified",
    ),
    ({**EPS, "method": "randomized", "confidence": 0.9, "time_limit": 1}, "brief searches"),
    ({**EPS, "method": "randomized", "confidence": 0.9, "known": "k"}, "not certified"),
    ({**EPS, "method": "randomized", "confidence": 0.9, "weights": "k"}, "not known to loglift"),
    ({**EPS, "method": "randomized", "passthrough": "k"}, "not audited"),
    ({**EPS, "method": "randomized", "over": "high-risk"}, "over all values"),
    ({**EPS, "method": "randomized", "choose_share": 0.3}, "confidence"),
    ({**COMMON, "method": "randomized", "min_information": 0.5}, "not for random draws: leave"),
    ({**EPS, "method": "ordered", "over": "high-risk"}, "low-risk values too"),
    ({**EPS, "method": "ordered", "time_limit": 1}, "only search, exact and randomized"),
    ({**EPS, "method": "greedy", "time_limit": 1}, "only search, exact and randomized"),
    ({**EPS, "method": "complete", "time_limit": 1}, "only search, exact and randomized"),
    ({**EPS, "confidence": 0.9, "intact": "x"}, "intact columns cannot be certified"),
    ({**EPS, "confidence": 0.9, "over": "high-risk"}, "low-risk ones too"),
    ({**COMMON, "confidence": 0.9, "min_information": 0.5}, "not known before"),
    ({**EPS, "choose_share": 0.3}, "confidence"),
    ({**EPS, "confidence": 0.9, "time_limit": 1}, "brief searches"),
    ({**EPS, "confidence": 0.9, "method": "exact"}, "use search"),
    ({**EPS, "public": ["x", "k"], "method": "ordered"}, "one ordered column"),
    ({**COMMON, "min_information": 0.5, "over": "high-risk"}, "over all values"),
    ({**EPS, "key": "k"}, "releases that are drawn"),
    ({**EPS, "draw_seed": 1}, "releases that are drawn"),
    ({**EPS, "min_information": 0.5}, "not both"),
    ({**EPS, "bound": loglift.Bound(1, 2)}, "not both"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=lambda value: str(value)[-40:])
def test_protect_refuses_what_does_not_go_together(options, message):
    with pytest.raises(InputError, match=message):
        loglift.protect(TABLE, **options)


def test_a_method_that_does_not_exist_is_told_from_all_that_do():
    with pytest.raises(MechanismError, match=r"no method 'serch': choose one of .*randomized"):
        loglift.protect(TABLE, **EPS, method="serch")


LINES = [
    (["--ordered", "x", "--method", "randomized"], "--ordered x is a method of its own"),
    (["--ordered", "x", "--method", "search"], "--ordered x is a method of its own"),
    (["--ordered", "x", "--intact", "s"], "not a public column"),
    (["--ordered", "x", "--over", "high-risk"], "(--over all) with 'ordered'"),
    (["--method", "randomized", "--public-report"], "is not public"),
    (["--choose-share", "0.3"], "leave choose_share (--choose-share) out"),
    (["--method", "greedy", "--time-limit", "3"], "leave time_limit (--time-limit) out"),
]


@pytest.mark.parametrize(("options", "message"), LINES)
def test_the_command_line_refuses_what_does_not_go_together(tmp_path, options, message):
    table, out = tmp_path / "t.parquet", tmp_path / "out"
    TABLE.write_parquet(table)
    line = ["protect", str(table), "-s", "s", "-p", "x", "--eps", "1", *options, "-o", str(out)]
    result = CliRunner().invoke(main, line)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not out.exists()


def test_ordered_may_be_said_twice(tmp_path):
    table, out = tmp_path / "t.parquet", tmp_path / "out"
    TABLE.write_parquet(table)
    line = ["protect", str(table), "-s", "s", "-p", "x", "--eps", "1", "-o", str(out)]
    done = CliRunner().invoke(main, [*line, "--ordered", "x", "--method", "ordered"])
    assert done.exit_code == 0, done.output


def test_frontier_looks_for_the_least_eps_of_one_method(tmp_path):
    table = tmp_path / "t.parquet"
    TABLE.write_parquet(table)
    line = ["frontier", str(table), "-s", "s", "-p", "x", "--min-information", "0.2", "--methods"]
    assert CliRunner().invoke(main, [*line, "search,greedy"]).exit_code == 2
    assert CliRunner().invoke(main, [*line, "search"]).exit_code == 0


def test_runs_are_of_one_column_everywhere():
    columns = {"sensitive": "s", "public": ["x", "k"]}
    with pytest.raises(TableError, match="one ordered column"):
        loglift.frontier(TABLE, [1.0], ["ordered"], **columns)
    joint = loglift.Joint.from_table(TABLE, **columns)
    with pytest.raises(TableError, match="one ordered column"):
        loglift.least_eps(joint, 0.5, "ordered")
    protector = LiftProtector(1.0, method="ordered")
    with pytest.raises(TableError, match="one ordered column"):
        protector.fit(TABLE.select("x", "k"), TABLE["s"])


JOINT = np.array([[9, 1], [5, 5], [2, 8], [7, 3], [4, 6]])


@pytest.mark.parametrize(
    ("method", "option"),
    [
        *itertools.product(
            ("greedy", "complete", "ordered"),
            ({"start": [0] * 5}, {"iterations": 5}, {"time_limit": 1}),
        ),
        ("ordered", {"over": "high-risk"}),
    ],
)
def test_merge_refuses_options_it_would_not_use(method, option):
    assert loglift.merge(JOINT, 0.5, method).labels is not None
    with pytest.raises(MechanismError, match=r"leave it out|contradict|over='all'"):
        loglift.merge(JOINT, 0.5, method, **option)


def test_a_column_that_is_named_twice_is_refused_as_what_it_is(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("x,s,n\n" + "1,a,1\n2,b,2\n" * 20)
    options = [str(table), "-s", "s", "-p", "x", "--eps", "1", "-o", str(tmp_path / "out")]
    for twice, fault in (
        (["--passthrough", "n", "--passthrough", "n"], "the passthrough column 'n' is named twice"),
        (["--bin", "x=1", "--bin", "x=2"], "'x' is cut twice"),
    ):
        said = CliRunner().invoke(main, ["protect", *options, *twice])
        assert said.exit_code == 2
        assert fault in said.output
