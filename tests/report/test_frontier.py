"""A frontier on a page, in files and on a terminal: the same figures everywhere."""

# ruff: noqa: PD011, the values here are not those of a frame

from __future__ import annotations

import io
import json
import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import loglift
from loglift import Joint, UnsafeError, Utility
from loglift.display.numbers import percent, percent_up
from loglift.release.least_eps import least_eps
from loglift.report.frontier import (
    frontier_document,
    frontier_files,
    frontier_page,
    print_frontier,
    print_least,
)
from loglift.report.sentences.kept import least_eps_statement


@pytest.fixture(scope="module")
def joint():
    return np.random.default_rng(0).integers(1, 40, (12, 3))


@pytest.fixture(scope="module")
def found(joint):
    return loglift.frontier(joint, [0.1, 0.3, 1], ["search", "greedy"])


@pytest.fixture(scope="module")
def least(joint):
    return least_eps(joint, 0.8)


def rows_of(page):
    body = page[page.index("<tbody>") :]
    return [re.findall(r"<bdi>(.*?)</bdi>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)]


def test_the_page_has_every_point_and_says_the_least_eps(found, least):
    page = unescape(frontier_page(found, "people.csv", least))
    assert rows_of(page) == [
        [
            p.method,
            f"{p.limit:g}",
            percent(p.kept),
            percent_up(p.at_most),
            f"{p.leakage:.3f}",
            f"{p.values:,}",
        ]
        for p in found.points
    ]
    assert str(least_eps_statement(least)) in re.sub("</?strong>", "", page)
    assert page.count("<svg") == 2 + 3  # two widths and the key
    assert "the least eps that keeps enough" in page
    assert page.count("<script") == page.count("</script") == 2


def test_without_a_share_no_point_is_marked(found):
    page = frontier_page(found, "people.csv")
    assert "verdict" not in page[page.index("<header>") : page.index("</header>")]
    assert "the least eps that keeps enough" not in page


def test_files_show_every_method(found):
    files = frontier_files(found, "people.csv")
    assert set(files) == {"frontier.png", "frontier.svg"}
    svg = files["frontier.svg"].decode()
    for text in ("people.csv: information kept against eps", "search", "greedy", "eps (nats)"):
        assert f">{text}</text>" in svg


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_terminal_draws_bars_in_its_own_characters(found, encoding):
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    print_frontier(found, Console(file=out, width=120), "people.csv")
    out.flush()
    text = out.buffer.getvalue().decode(encoding)
    assert ("█" in text) == (encoding == "utf-8")
    assert ("#" in text) == (encoding == "ascii")
    for point in found.points:
        assert percent(point.kept) in text


def test_one_method_has_its_figures_beside_its_bars(joint, least):
    found = loglift.frontier(joint, [0.1, 0.3])
    out = io.StringIO()
    print_frontier(found, Console(file=out, width=120), "people.csv")
    print_least(least, Console(file=out, width=200))
    for text in ("at most", "leakage (nats)", "At most: no ", percent_up(found.points[0].at_most)):
        assert text in out.getvalue()
    assert str(least_eps_statement(least)) in out.getvalue()


def test_the_json_form_has_the_points_the_least_eps_and_its_sentence(found, least):
    told = json.loads(json.dumps(frontier_document(found, least), allow_nan=False))
    assert [point["kept"] for point in told["points"]] == [point.kept for point in found.points]
    assert told["least_eps"]["eps"] == least.eps
    assert told["statements"] == [vars(least_eps_statement(least))]
    assert set(frontier_document(None, least)) == {"least_eps", "statements"}
    assert "statements" not in frontier_document(found)


@pytest.fixture(scope="module")
def swept():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.integers(0, 6, 900), "b": list("xyz") * 300})
    table["s"] = rng.random(900) < 0.2 + 0.1 * table["a"]
    return table, {"sensitive": "s", "public": ["a", "b"]}


def test_shares_of_another_goal_are_named_and_whole_rows_stand_beside_them(swept):
    table, columns = swept
    found = loglift.frontier(table, [0.2, 0.5], **columns)
    assert (found.goal, found.goal_words) == ("columns", "each column and whole rows")
    rows = [percent(point.information / found.entropy) for point in found.points]
    assert rows != [percent(point.kept) for point in found.points]
    page = unescape(frontier_page(found, "t"))
    assert [row[4] for row in rows_of(page)] == rows
    assert "How much of what was asked for (each column and whole rows) a release keeps" in page
    assert ">Kept of what was asked for against eps</h2>" in page
    assert "information kept" not in page.lower()
    svg = frontier_files(found, "t")["frontier.svg"].decode()
    assert ">t: kept of what was asked for against eps</text>" in svg
    assert "information kept" not in svg
    out = io.StringIO()
    print_frontier(found, Console(file=out, width=80), "t")
    text = out.getvalue()
    assert text.startswith("t: kept of what was asked for\n")
    assert max(map(len, text.splitlines())) <= 80
    assert all(share in text for share in rows)
    assert "What is kept is a share of what was asked for (each column and whole rows)." in (
        " ".join(text.split())
    )


def test_the_joint_goal_is_the_information_kept(swept):
    table, columns = swept
    found = loglift.frontier(table, [0.2, 0.5], **columns, utility="joint")
    assert (found.goal, found.goal_words) == ("joint", "whole rows")
    page = unescape(frontier_page(found, "t"))
    assert "How much of the information in the public values a release keeps" in page
    assert ">Information kept against eps</h2>" in page
    assert "asked for" not in page
    assert {len(row) for row in rows_of(page)} == {6}


def test_the_least_eps_says_what_its_share_is_of(swept):
    table, columns = swept
    joint = loglift.Joint.from_table(table, **columns)
    found = least_eps(joint, 0.6, utility=Utility.columns())
    assert least_eps_statement(found).headline.endswith(
        "that keeps 60.0 % of what was asked for (each column and whole rows)."
    )
    assert found.kept >= 0.6
    pure = joint.mass.copy()
    pure[0, 0] = 0  # a value that rules a sensitive one out
    ruled_out = Joint.trusted(
        pure, joint.public, joint.sensitive, joint.variables, joint.columns, joint.sensitive_columns
    )
    with pytest.raises(UnsafeError, match=r"no eps keeps 100.0% of what was asked for \(each col"):
        least_eps(ruled_out, 1, utility=Utility.columns())
