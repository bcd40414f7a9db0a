"""What is proven to be the most is true of every release that the words name."""

from __future__ import annotations

import json
import math
import re

import hypothesis.strategies as st
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings

import loglift
import naive
from loglift import Joint, UnsafeError, Utility, entropy, merge, randomize, refines
from loglift.cli import main
from loglift.demo import write_adult
from loglift.display.numbers import percent_up
from loglift.measures.partition import canonical
from loglift.mechanism.scope import (
    ALL_MERGINGS,
    ALL_RELEASES,
    WHOLE_BLOCKS,
    is_of_whole_blocks,
    merging_scope,
)
from loglift.merging.merge import SEARCHING
from loglift.promise.bipartition import safe_rows
from loglift.sparse import block_sums
from strategies import bounds, count_joints

METHODS = ["search", "exact", "ordered", "greedy", "complete"]


def in_scope(scope, labels, mass, bound, groups, least):
    """Whether a partition is one of those the words name, read from the words alone."""
    blocks = block_sums(mass, labels)
    high = ~safe_rows(mass, bound)
    named = [safe_rows(blocks, bound).all()]
    if "neighbouring" in scope:
        named.append((np.diff(labels) >= 0).all())
    if "intact" in scope:
        named.append(refines(labels, groups))
    if "meets the minimum count" in scope:
        named.append(blocks.sum(axis=1).min() >= least)
    if "high-risk" in scope:
        risky = [np.flatnonzero(high & (labels == block)) for block in range(labels.max() + 1)]
        sums = np.array([mass[rows].sum(axis=0) for rows in risky if rows.size])
        expected = np.outer(sums.sum(axis=1), mass.sum(axis=0)) if len(sums) else sums
        named.append(len(sums) == 0 or bound.is_safe(sums * mass.sum(), expected).all())
        if "merged afterwards to meet the minimum count" not in scope:
            named.append(all((labels == labels[x]).sum() == 1 for x in np.flatnonzero(~high)))
    return all(named)


@settings(max_examples=300, deadline=None)
@given(
    count_joints(min_public=3, max_public=6),
    bounds(),
    st.sampled_from(METHODS),
    st.sampled_from([None, "all", "high-risk"]),
    st.sampled_from([None, 0.15, 0.4]),
    st.sampled_from([None, "aaabbb", "ababab"]),
)
def test_no_partition_in_the_scope_beats_the_bound(counts, bound, method, over, share, letters):
    assume(not (method == "ordered" and over == "high-risk"))
    groups = None if letters is None else list(letters[: len(counts)])
    least = None if share is None else math.ceil(share * counts.sum())
    options = {"over": over, "min_count": least, "intact": groups}
    if method in SEARCHING:
        options["iterations"] = 20
    try:
        found = merge(counts, bound=bound, method=method, **options)
    except UnsafeError:
        assume(False)
    mass, numbers = Joint(counts).scaled, canonical([ord(g) for g in groups or "a" * len(counts)])
    meant = [
        labels
        for labels in map(np.array, naive.partitions(len(counts)))
        if in_scope(found.upper_bound_scope, labels, mass, bound, numbers, least)
    ]
    assume(meant)
    most = max(entropy(block_sums(mass.sum(axis=1), labels)) for labels in meant)
    assert most <= found.upper_bound + 1e-9, found.upper_bound_scope


LEFT = np.array([[30, 2], [25, 9], [9, 30], [3, 28], [20, 18], [11, 12], [2, 1]])


WITHIN = "that stays within the bound"
HIGH_RISK = "merging of high-risk values among themselves"
BOTH = "meets the minimum count and keeps the intact groups apart"
GROUPS = list("aaaabbb")
SCOPES = [
    ({}, ALL_MERGINGS),
    ({"method": "exact"}, ALL_MERGINGS),
    ({"method": "greedy", "min_count": 20, "over": "high-risk"}, ALL_MERGINGS),
    ({"method": "complete", "over": "all"}, ALL_MERGINGS),
    ({"over": "high-risk"}, f"{HIGH_RISK} {WITHIN}"),
    ({"min_count": 20}, f"merging {WITHIN} and meets the minimum count"),
    (
        {"over": "high-risk", "min_count": 20},
        f"{HIGH_RISK} {WITHIN}, whatever is merged afterwards to meet the minimum count,",
    ),
    ({"intact": GROUPS, "min_count": 20, "method": "exact"}, f"merging {WITHIN}, {BOTH}"),
    (
        {"method": "greedy", "intact": GROUPS, "over": "all"},
        f"merging {WITHIN} and keeps the intact groups apart",
    ),
    ({"method": "ordered"}, f"merging of neighbouring values {WITHIN}"),
    (
        {"method": "ordered", "min_count": 20, "intact": GROUPS},
        f"merging of neighbouring values {WITHIN}, {BOTH}",
    ),
]


@pytest.mark.parametrize(("options", "scope"), SCOPES)
def test_a_restricted_scope_names_the_restriction(options, scope):
    assert merge(LEFT, 0.6, **options).upper_bound_scope == scope


def test_other_mechanisms_name_theirs():
    assert loglift.watchdog(LEFT, 0.6).upper_bound_scope == ALL_MERGINGS
    assert loglift.merge_subsets(LEFT, 0.6, [[0, 3]]).upper_bound_scope == ALL_MERGINGS
    random = randomize(LEFT, 0.6)
    assert random.upper_bound_scope == ALL_RELEASES
    assert merge(LEFT, 0.6).utility <= random.upper_bound


def test_high_risk_values_alone_are_refused_for_runs():
    with pytest.raises(loglift.MechanismError, match="--over all"):
        merge(LEFT, 0.6, "ordered", over="high-risk")


COLUMNS = ["-s", "salary", "-p", "education", "-p", "sex"]
GOALS = {"joint": Utility.joint(), "columns": Utility.columns()}
ADULT = [
    ([], None),
    (["--over", "high-risk"], "of high-risk values among themselves"),
    (["--min-count", "2000"], "meets the minimum count"),
    (["--over", "high-risk", "--min-count", "2000"], "merged afterwards to meet the minimum count"),
    (["--intact", "sex"], "keeps the intact groups apart"),
    (
        ["--intact", "sex", "--min-count", "2000"],
        "meets the minimum count and keeps the intact groups",
    ),
    (["--method", "greedy"], None),
    (["--method", "greedy", "--min-count", "2000"], None),
    (["--confidence", "0.95"], None),
    (["--confidence", "0.95", "--min-count", "2000"], "meets the minimum count"),
    (["--method", "randomized"], None),
    (["--method", "randomized", "--min-count", "2000"], None),
]


@pytest.fixture(scope="module")
def adult(tmp_path_factory):
    return str(write_adult(tmp_path_factory.mktemp("adult")))


@pytest.fixture(scope="module")
def free(adult):
    """The share of each goal that an unrestricted merging of Adult keeps at eps 0.8."""
    joint = Joint.from_table(adult, sensitive="salary", public=["education", "sex"])
    return {
        name: merge(joint, 0.8, utility=goal).utility / goal.most(joint)
        for name, goal in GOALS.items()
    }


def claims(adult, options, out):
    """The sentence `protect` prints, the one of its page, and its certificate."""
    arguments = ["protect", adult, *options, "--eps", "0.8", "-o", str(out)]
    done = CliRunner(env={"COLUMNS": "1000"}).invoke(main, arguments)
    assert done.exit_code == 0, done.output
    kept = r"Kept [0-9.]+ % of (?:the information|what was asked for \([^)]*\)); "
    [said] = re.findall(kept + r"(no .*? can keep more(?: than [0-9.]+ %)?)\.", done.stdout)
    page = (out / "report.html").read_text("utf-8")
    [card] = re.findall(r"<dd>(no [^<]* can keep more[^<]*)</dd>", page)
    assert card == said
    return said, page, json.loads((out / "certificate.json").read_text("utf-8"))


def share_claimed(said, certificate):
    """Return the share that nothing exceeds, as printed; the share kept where that is the most."""
    whole = certificate["entropy"] if certificate["goal"] == "joint" else 1.0
    most = certificate["upper_bound"] / whole
    printed = re.search(r"more than ([0-9.]+) %", said)
    if printed is None:
        return certificate["utility"] / whole if certificate["goal"] == "joint" else most
    claimed = float(printed[1]) / 100
    assert most <= claimed + 1e-9
    return claimed


@pytest.mark.parametrize(("options", "restriction"), ADULT)
def test_what_protect_prints_is_true_of_adult(options, restriction, adult, free, tmp_path):
    options = [*COLUMNS, *options, "--utility", "joint"]
    said, page, certificate = claims(adult, options, tmp_path / "release")
    assert certificate["goal"] == "joint"
    assert certificate["upper_bound_scope"] in said
    claimed = share_claimed(said, certificate)
    if restriction is None:
        assert free["joint"] <= claimed + 1e-9
    else:
        assert restriction in said
        assert free["joint"] > claimed, "the case must be one where leaving the words out would lie"
    assert page.count("can keep more") == page.count(said)


@pytest.mark.parametrize(
    ("options", "restriction"), [case for case in ADULT if "--confidence" not in case[0]]
)
def test_what_protect_prints_of_columns_is_true_of_adult(
    options, restriction, adult, free, tmp_path
):
    said, page, certificate = claims(adult, [*COLUMNS, *options], tmp_path / "release")
    assert certificate["goal"] == "columns"
    assert certificate["upper_bound_scope"] in said
    assert (restriction or "") in said
    most = free["columns"] if restriction is None else 0.0
    assert most <= share_claimed(said, certificate) + 1e-9
    assert page.count("can keep more") == page.count(said)


def test_runs_claim_nothing_about_other_mergings(adult, tmp_path):
    runs = ["-s", "salary", "-p", "age", "--ordered", "age"]
    said, page, certificate = claims(adult, runs, tmp_path / "release")
    assert said == "no merging of neighbouring values that stays within the bound can keep more"
    joint, goal = Joint.from_table(adult, sensitive="salary", public="age"), GOALS["columns"]
    assert merge(joint, 0.8, utility=goal).utility > certificate["upper_bound"] + 0.01
    assert page.count("can keep more") == page.count(said)


def test_the_summary_and_the_frontier_carry_the_scope(adult, tmp_path):
    protect = ["protect", adult, *COLUMNS, "--eps", "0.8", "--min-count", "2000"]
    done = CliRunner().invoke(main, [*protect, "--json", "-o", str(tmp_path / "r")])
    scope = json.loads(done.stdout)["upper_bound_scope"]
    assert scope == "merging that stays within the bound and meets the minimum count"
    sweep = ["frontier", adult, *COLUMNS, "--eps", "0.8", "--min-count", "2000"]
    printed = CliRunner(env={"COLUMNS": "200"}).invoke(main, sweep).stdout
    assert f"At most: no {scope} can keep more." in re.sub(r"\s+", " ", printed)
    out = tmp_path / "frontier"
    both = [*sweep, "--methods", "search,greedy", "--json", "-o", str(out)]
    points = json.loads(CliRunner().invoke(main, both).stdout)["points"]
    assert [point["at_most_scope"] for point in points] == [scope, ALL_MERGINGS]
    page = (out / "frontier.html").read_text("utf-8")
    assert f"for search, no {scope} can keep more; for greedy, no {ALL_MERGINGS}" in page


@given(st.floats(0, 1))
def test_what_is_proven_is_rounded_up(share):
    said = float(percent_up(share).removesuffix(" %")) / 100
    assert share - 1e-9 <= said <= share + 0.001 + 1e-9


@pytest.mark.parametrize("high_risk_only", [False, True])
def test_a_scope_of_whole_blocks_says_so(high_risk_only):
    options = {"high_risk_only": high_risk_only, "least": True, "grouped": True}
    for method in SEARCHING:
        assert is_of_whole_blocks(merging_scope(method, **options, whole_blocks=True))
        assert not is_of_whole_blocks(merging_scope(method, **options))
    assert is_of_whole_blocks(WHOLE_BLOCKS)
    assert not is_of_whole_blocks(ALL_MERGINGS)
