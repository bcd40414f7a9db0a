"""Every figure in README and documentation is computed again, or named as a choice.

When the code computes another figure, the failure lists the page, the line, the stated and the
computed figure. `make figures` writes the computed figures into the pages; read them before you
commit. Seconds and gigabytes are compared with the committed results of the benchmarks. Two things
are not tested here: docs/benchmarks.md, which a script writes, and figures of 1000 draws of the
paper's experiment, which tests/paper checks.
"""

from __future__ import annotations

import json
import math
from functools import cache

import numpy as np
import pandas as pd
import pytest

import loglift
from docs.stated import ROOT, Page
from loglift import Bound
from loglift._compute.kernels import MAX_PLAIN_INEQUALITIES, MAX_PLAIN_VALUES
from loglift.audit.columns import MAX_PAIRED_COLUMNS
from loglift.demo import write_adult
from loglift.explain.again import MAX_GAINS
from loglift.explain.around import MAX_SWEPT_VALUES
from loglift.explain.explain import MAX_RARE_SHARE
from loglift.measures.entropy import entropy
from loglift.mechanism.channel import MAX_CHANNEL_CELLS
from loglift.mechanism.kept import kept_of
from loglift.merging.methods import MAX_PROVEN_VALUES, PROOF_SECONDS
from loglift.merging.search import MAX_GREEDY_VALUES
from loglift.merging.subsets import MAX_VALUES as MAX_VALUES_OF_SUBSETS
from loglift.merging.watchdog import merge_subsets
from loglift.paper import promise_study, subset_size
from loglift.paper.capped_greedy import capped_algorithm1
from loglift.paper.experiment import draw_joints, draw_stacks
from loglift.paper.other_methods import OTHER_DRAWS
from loglift.paper.printed import read_data
from loglift.promise.diversity import MAX_EXACT_SIZE
from loglift.promise.limits import TOLERANCE
from loglift.promise.with_conditions import MAX_WRITTEN_VALUES
from loglift.randomizing.parts import MAX_PART_VALUES, MAX_WHOLE_VALUES, PART_VALUES
from loglift.randomizing.tidying import MIN_PROBABILITY
from loglift.randomizing.vertices import MAX_ENTRIES
from loglift.readers.learner import MAX_LEARNED_RECORDS
from loglift.release.counted_records import MAX_RECORDS
from loglift.release.frontier import EPS
from loglift.release.guess import BANDS as PLAN_BANDS, MAX_UNBANDED
from loglift.release.knowledge import MAX_KNOWN
from loglift.release.least_eps import EPS_PRECISION
from loglift.release.options import CHOOSE_SHARE
from loglift.report.heat import MAX_CELLS
from loglift.report.page import render
from loglift.report.partition import MAX_VALUES
from loglift.report.summary import Summary
from loglift.sparse import MAX_DENSE_CELLS
from loglift.tables.counting import MAX_AUDITED_VALUES
from loglift.utility.bands import BANDS

ADULT = "demo/adult.parquet"
RECORDS = 32_561  # of it, which tests/demo counts
BOTH = ("education", "occupation")
THREE = ("age", "education", "sex")


@pytest.fixture(scope="module", autouse=True)
def demo(tmp_path_factory):
    """Work in a folder that has demo/adult.parquet, as the pages do."""
    folder = tmp_path_factory.mktemp("figures")
    (folder / "demo").mkdir()
    write_adult(folder / "demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield


@cache
def joint(sensitive, public):
    return loglift.Joint.from_table(ADULT, sensitive=sensitive, public=list(public))


@cache
def merged(sensitive, public, eps, method="search"):
    return loglift.merge(joint(sensitive, public), eps, method=method)


def kept(mechanism):
    return 100 * (1 - mechanism.nmil)


def of_columns(counted, mechanism):
    """Return the mean of I(X_j;Y)/H(X_j) over the public columns, in percent."""
    found = kept_of(counted, mechanism, with_goal=False).columns
    return 100 * sum(column.information for column in found) / len(found)


def at_most(mechanism, counted):
    """Return the proven share in percent, rounded up, so that the stated bound is true."""
    return math.ceil(1000 * mechanism.upper_bound / entropy(counted.p_public) - 1e-9) / 10


def measured(name):
    """Return the committed results of a benchmark."""
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text("utf-8"))


def ratio(name, of):
    [found] = [ratio for ratio in measured(name)["ratios"] if ratio["name"] == of]
    return found


FAMILY = ("age", "education", "occupation")


@cache
def for_columns(sensitive, public, eps):
    return loglift.merge(joint(sensitive, public), eps, utility=loglift.Utility.columns())


def readme(page):
    page.states("on UCI Adult ({:,} records)", RECORDS)
    for sensitive, public in (("salary", BOTH), ("salary", THREE), ("marital-status", FAMILY)):
        counted = joint(sensitive, public)
        best, greedy = merged(sensitive, public, 1), merged(sensitive, public, 1, "greedy")
        columns = for_columns(sensitive, public, 1)
        page.states(
            f"| {sensitive}; {', '.join(public)} | 1 |" + " {:.1f} % |" * 5,
            *(of_columns(counted, made) for made in (greedy, columns)),
            *(kept(made) for made in (greedy, columns)),
            at_most(best, counted),
        )
    page.gives("Python 3.11", "Apache-2.0", "more than 50K")


def index(page):
    page.states("on UCI Adult ({:,} records)", RECORDS)
    rows = (
        ("salary", BOTH, 0.5),
        ("salary", BOTH, 1),
        ("salary", THREE, 0.5),
        ("salary", THREE, 1),
        ("marital-status", FAMILY, 1),
    )
    for sensitive, public, eps in rows:
        best, greedy = merged(sensitive, public, eps), merged(sensitive, public, eps, "greedy")
        counted = joint(sensitive, public)
        columns = for_columns(sensitive, public, eps)
        row = f"| {sensitive}; {', '.join(public)} | {eps:g} |" + " {:.1f} % |" * 6
        rows_kept = (kept(greedy), kept(best), at_most(best, counted), kept(columns))
        page.states(row, *rows_kept, *(of_columns(counted, made) for made in (best, columns)))


def install(page):
    compiled = ratio("startup", "first protect, 100 public values")
    page.states("later runs: {:.0f} seconds", compiled["ours"] - compiled["theirs"])
    sensitive = (MAX_PLAIN_INEQUALITIES - 1) // 2  # two for each, and one for the least mass
    page.states("more than {} public or {} sensitive values", MAX_PLAIN_VALUES, sensitive)
    page.gives("Python 3.11", "Java 17")
    page.gives("over 1.3 times the base's")  # MAX_RATIO, held by tests/test_benchmarks.py


def architecture(page):
    page.gives("10. Certify: `certify/certify.py`", "11. Begin to explain, in a thread")
    page.gives("12. Measure: `audit/`", "13. Apply: `tables.apply`", "14. `Release.save`")


def choosing(page):
    for eps in (0.5, 1):
        drawn = loglift.randomize(joint("salary", BOTH), eps)
        chosen = (merged("salary", BOTH, eps, "greedy"), merged("salary", BOTH, eps), drawn)
        row = f"| {eps:g} | {{:.1f}} % | {{:.1f}} % | {{:.1f}} % |"
        page.states(row, *map(kept, chosen))


def confidence(page):
    share = CHOOSE_SHARE
    page.states("chosen by {:g} of its {:,} records:", share, RECORDS)
    page.states("more than {:.1f} (e^1) times as likely, or less than 1/{:.1f}", math.e, math.e)
    cases = (
        ("salary", BOTH, 1),
        ("salary", BOTH, 0.5),
        ("salary", THREE, 1),
        ("salary", ("education",), 0.5),
        ("race", BOTH, 1),
        ("marital-status", BOTH, 1),
    )
    for sensitive, public, eps in cases:
        result = loglift.protect(
            ADULT, sensitive=sensitive, public=list(public), eps=eps, confidence=0.95
        )
        found = result.certificate
        without = 100 * found.population.choice.utility_without / found.entropy
        page.states(
            f"| {sensitive}; {','.join(public)}; {eps:g} | {{:.1f}} % | {{:.1f}} % | {{}} |",
            without,
            100 * (1 - found.nmil),
            len(found.values),
        )
    for public, eps in ((("education",), 0.5), (BOTH, 1)):
        options = {"sensitive": "salary", "public": list(public), "eps": eps}
        ways = (
            {"method": "randomized"},
            {"method": "randomized", "confidence": 0.95},
            {"confidence": 0.95},
        )
        found = [loglift.protect(ADULT, **options, **way).certificate for way in ways]
        page.states(
            f"| salary; {','.join(public)}; {eps:g} | {{:.1f}} % | {{:.1f}} % | {{:.1f}} % |",
            *(100 * (1 - each.nmil) for each in found),
        )
    page.gives("With 95 % confidence", "0.4 by default", "at confidence 0.95", "at most 5 %")
    page.gives("2 to 15 sensitive values, up to 500 released ones and 1,000 to 100,000 records")


def frontier(page):
    eps, methods = (0.5, 1, 1.5, 2), ("search", "greedy", "complete")
    found = loglift.frontier(joint("salary", ("education", "sex")), eps=eps, methods=methods)
    shares = {(point.limit, point.method): 100 * point.kept for point in found.points}
    for limit in eps:
        row = f"| {limit:g} | {{:.1f}} % | {{:.1f}} % | {{:.1f}} % |"
        page.states(row, *(shares[limit, method] for method in methods))
    least = loglift.least_eps(joint("salary", ("education", "sex")), 0.9)
    page.states("keeps 90 % of the information, {:g} here", least.eps)
    page.states("by bisection to {:g} nats", EPS_PRECISION)
    page.states("without it {:g} to {:g} by {:g}.", EPS[0], EPS[-1], EPS[1] - EPS[0])


def guarantee(page):
    found = page.run()
    called, risky, names = found["called"], found["high_risk"], ("before", "after", "control")
    before, after, control = (found[name] for name in names)
    page.states("calls {} of the {} merged values", called.sum(), found["merged"].sum())
    page.states("is right about {:.0f} % of them", 100 * risky[called].mean())
    page.states("guessing is right about {:.0f} %", 100 * risky[found["merged"]].mean())
    page.states("without high school, {:.1f} % earn", 100 * before)
    page.states("whose value is called, {:.1f} %", 100 * after)
    page.states("moves their belief by {:.2f} nats, where eps is 0.5", -math.log(after / before))
    page.states("moves it by {:.2f} nats", abs(math.log(control / before)))
    page.states("for {} of these {} values", *solved(BOTH, 0.5))
    page.gives("publishing that 40 % of the table", "eps 0.5)", "more than 50K")


def solved(public, eps):
    """Return for how many public values a randomized mechanism determines p(s|x), and of how many.

    A released value on the bound gives one linear equation for the lifts of the public values
    behind it: sum over x of p(x|y) l(s,x) = e^eps or e^-eps. The lift of x is determined where the
    unit vector of x is in the span of these equations.
    """
    result = loglift.protect(
        ADULT, sensitive="salary", public=list(public), eps=eps, method="randomized"
    )
    counts = joint("salary", public).mass.astype(float)
    weight = counts.sum(axis=1)
    lifts = counts / weight[:, np.newaxis] / (counts.sum(axis=0) / counts.sum())
    posteriors = np.zeros((result.mechanism.exact_channel.size, weight.size))
    for y, shares in enumerate(result.mechanism.exact_channel.posteriors):
        for x, share in shares:
            posteriors[y, x] = share
    logs = np.log(posteriors @ lifts)
    on_the_bound = posteriors[(np.abs(np.abs(logs) - eps) < 1e-6).any(axis=1)]
    _, sizes, axes = np.linalg.svd(on_the_bound, full_matrices=False)
    span = axes[sizes > 1e-9 * sizes[0]]
    return int((np.abs((span**2).sum(axis=0) - 1) < 1e-9).sum()), weight.size


def mathematics(page):
    assert TOLERANCE == 1e-12
    page.gives("at most 10^-12 of their size")
    page.states("groups beyond {} values)", MAX_GREEDY_VALUES)
    page.states("`time_limit` ({:.0f} seconds by default)", PROOF_SECONDS)
    page.states('of "exact", for up to {} values', MAX_PROVEN_VALUES)
    limits = (0.5, 1, 2)
    best = [merged("salary", BOTH, eps) for eps in limits]
    page.states("occupation, {} values) search", len(joint("salary", BOTH).public))
    page.states(
        "search keeps {:.1f}, {:.1f} and {:.1f} % at eps 0.5, 1 and 2, and no merging within the "
        "bound can keep more than {:.1f}, {:.1f} and {:.1f} %",
        *map(kept, best),
        *(at_most(found, joint("salary", BOTH)) for found in best),
    )
    page.gives("within 1 %", "Random joints of 100 values")


def randomizing(page):
    page.states("More than {:,} public values are solved in parts", MAX_WHOLE_VALUES)
    page.states("put together to parts of {} values or more", PART_VALUES)
    page.states("a block of more than {} values stays one released value", MAX_PART_VALUES)
    page.states("take all values at once, and at most {:,} of them", math.isqrt(MAX_CHANNEL_CELLS))
    limits = (0.25, 0.5, 1, 2)
    joints = [np.random.default_rng(seed).random((20, 13)) for seed in range(6)]
    losses = [
        100 * float(np.mean([solve(mass, eps).nmil for mass in joints]))
        for solve in (loglift.randomize, loglift.merge, loglift.subset_response)
        for eps in limits
    ]
    page.states(
        "lies between: {:.0f}, {:.0f}, {:.0f} and {:.0f} % at the paper's size", *losses[8:]
    )
    page.states(
        "it loses {:.0f}, {:.0f}, {:.0f} and {:.0f} % of the information at eps 0.25, 0.5, 1 and "
        "2, where `merge` loses {:.0f}, {:.0f}, {:.0f} and {:.0f} % of it",
        *losses[:8],
    )
    lost = []
    for eps in (0.5, 1):
        drawn = loglift.randomize(joint("salary", BOTH), eps)
        assert drawn.optimal
        lost += [100 * drawn.nmil, 100 * merged("salary", BOTH, eps).nmil]
    page.states(
        "it loses {:.1f} % at eps 0.5 where merging loses {:.1f} %, and {:.1f} % at eps 1 where "
        "merging loses {:.1f} %",
        *lost,
    )
    page.states("p(s|x) of {} of the {} occupations", *solved(("occupation",), 0.3))
    page.states("at eps 0.5 for {} of the {} pairs", *solved(BOTH, 0.5))
    most = max(n for n in range(1, 5000) if n + 4 * n * (n - 1) <= MAX_ENTRIES)
    page.states("two sensitive values and up to {:,} public ones", most)
    assert MIN_PROBABILITY == 1e-9
    page.gives("20 public, 13 sensitive values", "256 bits", "SHA-256", "SHAKE-256", "eps 0.3)")
    # Measured in tests/release/test_estimate.py.
    page.gives("1.96 errors cover the truth in about 95 %", "fewer than 200 records in about 90 %")


def report(page):
    page.states("up to {:,} cells, the table the {:,} riskiest values", MAX_CELLS, MAX_VALUES)
    page.states("beyond {:,} public values, or a million constraints", MAX_SWEPT_VALUES)
    assert MAX_GAINS == 1_000_000
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {"x": rng.integers(0, 1000, 60_000), "s": rng.binomial(49, 0.4, 60_000).astype(str)}
    )
    found = loglift.audit(table, sensitive="s", public="x", eps=1)
    page_of_audit = render(Summary.of_audit(found))
    page.states(
        "audit of 1,000 public and 50 sensitive values has {:.1f} MB",
        len(page_of_audit.encode()) / 1e6,
    )


def reproduction(page):
    low_risk = sum(
        int((omegas(chunk) <= 0.25).any(axis=1).sum()) for chunk in draw_stacks(60_000, 0)
    )
    page.states("({:.2f} such joints are expected in 1000)", low_risk / 60)
    fast = ratio("reproduction", "the paper's experiment")
    page.states(
        "{:.0f} times faster on two cores ({:.2f} s against {:.1f} s",
        fast["ratio"],
        fast["ours"],
        fast["theirs"],
    )
    paper = read_data("figures")["figures"]["greedy"]
    page.states("drawn at max omega {:.4f}.", paper["max_omega_all"]["mean"][0])
    page.states("figure Privacy puts at {:.4f}", paper["max_omega_high_risk"]["mean"][0])
    page.states("of the same joints ({}, because", OTHER_DRAWS)
    page.gives("The paper draws 1000 joints with |X| = 20 and |S| = 13", "on (0,1)", "eps 0.25")
    page.gives(
        "from 0.25 to 2.5", "std_paper^2/1000", "1000 joints", "99 of 99", "among 99 numbers"
    )
    page.gives("We measure 0.230", "up to 2.6 standard errors", "eps 0.75)", "10 eps, 2 methods")


def omegas(joints):
    """Return max over s of |log-lift|, for a stack of joints of shape (draws, x, s)."""
    expected = joints.sum(axis=2, keepdims=True) * joints.sum(axis=1, keepdims=True)
    return np.abs(np.log(joints / expected)).max(axis=2)


def tables(page):
    page.gives(
        "`< 18`, 18, 19, ..., 90,", "more than 1000 different numbers", "more than one for 20"
    )
    page.gives(
        "at most 64 of about 30 records", "10, because every released", "tables of 50 records"
    )
    assert MAX_DENSE_CELLS == 2**27
    page.states("beyond {:,} different numbers", MAX_AUDITED_VALUES)
    page.states("(by default {:.0f} for the proof of `exact`)", PROOF_SECONDS)
    curves = {curve["name"]: curve["points"] for curve in measured("growth")["curves"]}
    largest = {name: points[-1] for name, points in curves.items()}
    page.states("a hundred million take {:.1f} GB", largest["rows"]["gigabytes"])
    assert largest["rows"]["x"] == 10**8
    assert largest["public"]["x"] == 10**6
    page.states("{} sensitive ones, and 100,000", largest["sensitive"]["x"])
    page.states("100,000 against {}.", largest["sparse"]["x"])
    paired = MAX_PAIRED_COLUMNS
    page.states("Of more than {} columns those {} are paired", paired, paired)
    # Counted in tests/report/test_terminal_audit.py.
    page.gives("eps 0.3 for this value", "lower 0.5, upper 1", "may rise by 0.3 nats")
    page.gives("keeps 90 % of the information", "12 columns take little more than 40 lines")


def tutorial(page):
    page.states("({:,} people of the 1994 US census)", RECORDS)
    page.states("1 moves belief by a factor of {:.1f}", math.e)
    page.states("a factor e = {:.1f}", math.e)
    page.states("About {:.0f} % of the information", kept(merged("salary", BOTH, 1)))
    page.gives("1994 US census", "above 50K")


def which_eps(page):
    def ends(eps, *priors):
        return [100 * end for p in priors for end in Bound.symmetric(eps).belief_range(p)]

    tenths, whole = "{:.1f} to {:.1f} % |", "{:.0f} to {:.0f} % |"
    for eps in (0.1, 0.25, 0.5, 1, 2):
        row = f"| {eps:g} | {{:.2f}} | {tenths} {tenths} {whole} {whole}"
        page.states(row, math.exp(eps), *ends(eps, 0.01, 0.1, 0.5, 0.9))
    assert Bound(math.inf, math.log(2)).belief_range(0.5)[1] == 1
    page.states("log 2 = {:.2f} on, a belief of 50 % can become certainty", math.log(2))
    most = 100 * Bound(math.inf, 2).belief_range(0.01)[1]
    page.states("a belief of 1 % ends at {:.1f} % at most", most)
    page.gives("a belief of 1 % ends at | of 10 % | of 50 % | of 90 % |")


def why(page):
    result = loglift.protect(
        ADULT,
        sensitive="occupation",
        public=["education", "sex"],
        eps=1,
        utility="joint",
        explain=True,
    )
    limits = {limit.sensitive["occupation"]: limit for limit in result.explanation.limits}
    for name in ("Armed-Forces", "Transport-moving"):
        found = limits[name]
        page.states(
            f"| occupation = {name} | {{:,}} | {{}} | {{}} | {{:.1f}} % |",
            found.records_with,
            found.lower_blocks,
            found.upper_blocks,
            100 * found.kept_without,
        )
    cap = result.explanation.caps[0]
    page.states(
        "which {} public values have ({} records): a merging has at most {} released values, and "
        "keeps at most {:.1f} %.",
        cap.blocks,
        cap.records_with,
        cap.blocks,
        100 * cap.kept,
    )
    shares = {remedy.change: 100 * remedy.kept for remedy in result.explanation.remedies}
    page.states("be ruled out: keeps at least {:.1f} %", shares["upper"])
    page.states("which bounds them as one value: keeps at least {:.1f} %", shares["sensitive"])
    page.states("about occupation = Armed-Forces: keeps at least {:.1f} %", shares["unbounded"])
    page.states("a rare one (at most {:.0f} % of the records)", 100 * MAX_RARE_SHARE)
    for remedy in result.explanation.remedies:
        page.gives(f"`{remedy.option}`")


def data_scientist(page):
    page.states("more than {:.1f} times as likely, or less than 1/{:.1f}", math.e, math.e)


def officer(page):
    page.gives("SHA-256", "(10 minutes)")


def clusters(page):
    page.gives("Java 17")


def utility(page):
    page.states("kept in {} and in {} bands of about equal mass", *BANDS)
    page.gives("so that 25 is merged with 27 rather than with 60")


def known_columns(page):
    rows = (
        (("age", "education"), ("sex",)),
        (THREE, ("sex",)),
        (("age", "education"), ("sex", "race")),
    )
    for public, names in rows:
        found = loglift.protect(ADULT, sensitive="salary", public=public, eps=1, known=names)
        page.states(
            f"| {', '.join(public)} | {', '.join(names)} | {{:.1f}} % | {{:.1f}} % |",
            100 * found.certificate.goal_share,
            100 * found.certificate.kept_without,
        )
    page.run()
    options = {"sensitive": "ill", "public": "job", "eps": 0.5}
    assert loglift.audit("people.csv", **options).leakage < 1e-9
    [reader] = loglift.audit("people.csv", known="region", **options).readers
    page.states("the jobs leak {:.3f} nats", reader.leakage)
    page.states("that {:.1f} % of the records are outside eps 0.5", 100 * reader.share_at_risk)
    page.states("(at most {} times)", MAX_KNOWN)
    page.gives("Here 100 people of each job", "outside eps 0.5")


def second_release(page):
    def protect(public, **options):
        return loglift.protect(ADULT, sensitive="salary", public=list(public), **options)

    def share(release):
        return 100 * release.certificate.goal_share

    others = ("age", "sex")
    first, second = protect(BOTH, eps=1), protect(others, eps=1)
    outside, ruled_out = outside_together(first.mechanism, second.mechanism, 1)
    page.states("put {:.0f} % of the records outside eps 1", 100 * outside)
    page.states("rule a salary band out for {:.0f} % of all records", 100 * ruled_out)
    firsts = (
        ("at eps 1", first),
        ("at eps 0.5", protect(BOTH, eps=0.5)),
        ("at eps 0.5, `--min-count 500`", protect(BOTH, eps=0.5, min_count=500)),
    )
    for words, earlier in firsts:
        made = [
            protect(others, eps=1, given=earlier, method=way) for way in ("search", "randomized")
        ]
        page.states(
            f"| {words} | {{:.1f}} % | {{:.1f}} % | {{:.1f}} % |", *map(share, (earlier, *made))
        )
    page.states("all four columns at eps 1 keeps {:.1f} %", share(protect((*BOTH, *others), eps=1)))
    page.gives("The first promised eps 0.5")


def outside_together(first, second, eps):
    """Return the shares of records that two releases put outside eps, and rule an s out for."""
    people = pd.read_parquet(ADULT)
    blocks = [
        [
            each.lookup[row]
            for row in people[list(each.column_names)].itertuples(index=False, name=None)
        ]
        for each in (first, second)
    ]
    counts = pd.crosstab(blocks, people["salary"]).to_numpy()
    records = counts.sum(axis=1)
    lifts = counts / records[:, np.newaxis] / (counts.sum(axis=0) / counts.sum())
    outside = ((lifts > math.exp(eps)) | (lifts < math.exp(-eps))).any(axis=1)
    ruled_out = (counts == 0).any(axis=1)
    return records[outside].sum() / records.sum(), records[ruled_out].sum() / records.sum()


def relations(page):
    page.gives("Shmatikov 2008", "Karras 2012", "others 2007", "Fawaz 2012", "Sadeghi 2023")
    page.gives("Skoglund 2023", "Oechtering 2024", "Venkatasubramanian 2007", "Sweeney 1998")
    page.gives("Rakotoarivelo 2020", "Kamath 2020", "can still be 999 to 1")
    page.gives("3.844: sensitive values", "0.201: numbers have")  # pyCANON's
    found = loglift.audit(ADULT, sensitive="salary", public=BOTH).notions
    page.states(
        "against salary: k 1, distinct l 1, t {:.3f}, beta {:.3f} from both", found.t, found.beta
    )
    assert (found.k, found.distinct_l) == (1, 1)
    assert math.isinf(found.delta)
    found = loglift.audit(ADULT, sensitive="education-num", public=("sex", "occupation")).notions
    page.states("cut to a whole number | {:.3f} |", found.entropy_l)
    page.states("| {:.3f} ordered, {:.3f} equal |", found.t_ordered, found.t)


def evaluate(page):
    page.states("Models see at most {:,} records", MAX_LEARNED_RECORDS)
    assert MAX_RECORDS == 1_000_000


def formats(page):
    page.gives("for Stata 14", 'only 89 is "89 or older"', "the 120 bytes", "1 January 1980")
    page.gives("more than 15 digits", "March 1900", "up to 38 digits", "is 1.5.", "UTF-16")
    page.gives("and UTF-32 are recognised")


def weights(page):
    page.gives("stand for 300 people and another for 3000", "the 64-bit float")


def promises(page):
    page.gives("0.1 is one tenth", "Venkatasubramanian", "40 digits")
    page.states("among up to {:,} records", MAX_EXACT_SIZE)
    page.gives('l-diversity", 2007', 'k-anonymity", 2006', "(l1-lift), 2020", 'Trade-offs", 2023')
    assert MAX_WRITTEN_VALUES == 10  # "up to ten sensitive values"


def points_of_study(name, recipe):
    """Return the committed points of a study, which are those of its default draws."""
    document = json.loads((ROOT / "docs/studies" / name / "points.json").read_text("utf-8"))
    assert (document["draws"], document["seed"]) == (recipe.draws, 0)
    return document["points"]


def studies(page):
    page.gives("|X| = 20 and |S| = 13")
    subset_sizes(page, points_of_study("subset-size", subset_size.RECIPE))
    frontiers(page, points_of_study("promises", promise_study.RECIPE))


def subset_sizes(page, points):
    def at(method, cap=None, public=20, sensitive=13, sweep="cap"):
        wanted = (sweep, method, cap, public, sensitive)
        names = ("sweep", "method", "max_block", "public_values", "sensitive_values")
        [found] = [p for p in points if tuple(p[name] for name in names) == wanted]
        return found

    joints = draw_joints(subset_size.RECIPE.draws, 0)
    for cap in subset_size.CAPS:  # the committed points are what the code computes
        made = [
            merge_subsets(j, subset_size.EPS, capped_algorithm1(j, subset_size.EPS, cap))
            for j in joints
        ]
        for name in ("leakage", "nmil"):
            computed = np.mean([getattr(mechanism, name) for mechanism in made])
            assert at("greedy", cap)[name] == pytest.approx(computed, rel=1e-5, abs=1e-12)
    page.states("at eps {:.1f}. *Algorithm 1*", subset_size.EPS)
    page.gives("merge(joint, 0.5, max_block=K)")
    page.states("Means are over {:d} joints", len(joints))
    assert [at("search", cap)["safe"] for cap in (1, 2, 3, 20)] == [0, 0, 1, 1]
    assert len({at("search", cap)["nmil"] for cap in (3, 4, 5, 6, 8, 10, 20)}) == 1
    page.states("loses {:.1f} % of the information, with", 100 * at("search", 3)["nmil"])
    assert [at("greedy", cap)["safe"] == 1 for cap in (5, 6)] == [False, True]
    page.states(
        "leaks {:.2f} nats on average, about twice eps, and is within eps for {:.0f} % of the",
        at("greedy", 3)["leakage"],
        100 * at("greedy", 3)["safe"],
    )
    page.states("Without a cap it loses {:.1f} %: its", 100 * at("greedy", 20)["nmil"])
    page.states("have to be, {:.1f} values in", at("greedy", 20)["largest_block"])
    page.states("Randomizing loses {:.1f} %.", 100 * at("randomized")["nmil"])
    lost = [100 * at("search", None, n, 13, "public")["nmil"] for n in (5, 40)]
    page.states("loses {:.1f} % with five public values and {:.1f} % with forty", *lost)
    lost = [100 * at("search", None, 20, m, "sensitive")["nmil"] for m in (2, 20)]
    page.states("forty; {:.1f} % with two sensitive values and {:.1f} % with twenty", *lost)
    for n in (20, 40):
        capped, free = (at("search", cap, n, 13, "public") for cap in (3, None))
        assert (capped["safe"], capped["nmil"]) == (1, free["nmil"])
    page.gives("from 20 public values on")
    share = 100 * at("search", 3, 10, 13, "public")["safe"]
    page.states("with ten, {:.0f} % of the joints have such a release", share)
    page.states("of more than {:d} values it does not look", MAX_VALUES_OF_SUBSETS)


def frontiers(page, points):
    at = {(p["promise"], p["limit"], p["measure"]): p for p in points}
    joints = draw_joints(promise_study.RECIPE.draws, 0)
    tight = [loglift.merge(joint, 0.25) for joint in joints]  # what the code computes
    kept = np.mean([1 - made.nmil for made in tight])
    assert at["eps", 0.25, "eps"]["kept"] == pytest.approx(kept, rel=1e-5)
    page.states("on the same {:d} joints, merged", len(joints))
    page.gives("alpha-lift has order 10", "`--eps 1 --t 0.1`")

    def figures(promise, limit, measure="eps"):
        found = at[promise, limit, measure]
        return 100 * found["kept"], found["worst"]

    page.states(
        "t = 0.1 keeps {:.1f} % and has a largest log-lift of {:.2f} nats on average; t = 0.25 "
        "keeps {:.1f} %, with {:.2f} nats. The bound eps 2.5 keeps {:.1f} % with {:.2f} nats",
        *figures("t", 0.1),
        *figures("t", 0.25),
        *figures("eps", 2.5),
    )
    page.states(
        "eps 0.5 keeps {:.1f} %, about as much as t between 0.075 and 0.1, and its largest t is "
        "{:.3f}",
        *figures("eps", 0.5, "t"),
    )
    assert figures("t", 0.075)[0] < figures("eps", 0.5)[0] < figures("t", 0.1)[0]
    for limit in promise_study.MEASURES["t"].limits:
        assert figures("t", limit) == figures("l1", 2 * limit)


def pipeline(page):
    names = page.run()
    people, score, protector = names["X"], names["cross_val_score"], names["LiftProtector"]
    salary, sex, steps = names["salary"], names["sex"], [names["encoder"], names["model"][-1]]
    model = names["make_pipeline"](*steps)

    def auc(columns, target):
        return score(model, columns, target, scoring="roc_auc", cv=3).mean()

    page.states("| no protection | {:.3f} | {:.3f} |", auc(people, salary), auc(people, sex))
    for eps in (1, 0.5, 0.25):
        with names["sklearn"].config_context(enable_metadata_routing=True):
            routed = protector(eps=eps).set_fit_request(sensitive=True)
            found = score(
                names["make_pipeline"](routed, *steps),
                people,
                salary,
                scoring="roc_auc",
                cv=3,
                params={"sensitive": sex},
            ).mean()
        seen = protector(eps=eps).fit(people, sex).transform(people)
        page.states(f"| eps {eps:g} | {{:.3f}} | {{:.3f}} |", found, auc(seen, sex))
    page.gives("0.5 is a coin toss", "At eps 0.5 the model loses one point", "lose thirteen")


def plan(page):
    page.states("more than {} different ones in a public column", MAX_UNBANDED["public"])
    page.states("more than {} in a sensitive one", MAX_UNBANDED["sensitive"])
    page.states("(`[bin]`), {} or {}, which", PLAN_BANDS["public"], PLAN_BANDS["sensitive"])


CHECKS = {
    "docs/plan.md": plan,
    "docs/sklearn.md": pipeline,
    "docs/promises.md": promises,
    "docs/studies.md": studies,
    "docs/formats.md": formats,
    "docs/weights.md": weights,
    "README.md": readme,
    "docs/index.md": index,
    "docs/data-scientist.md": data_scientist,
    "docs/officer.md": officer,
    "docs/clusters.md": clusters,
    "docs/install.md": install,
    "docs/architecture.md": architecture,
    "docs/choosing.md": choosing,
    "docs/confidence.md": confidence,
    "docs/evaluate.md": evaluate,
    "docs/frontier.md": frontier,
    "docs/guarantee.md": guarantee,
    "docs/known-columns.md": known_columns,
    "docs/mathematics.md": mathematics,
    "docs/randomizing.md": randomizing,
    "docs/relations.md": relations,
    "docs/report.md": report,
    "docs/reproduction.md": reproduction,
    "docs/second-release.md": second_release,
    "docs/tables.md": tables,
    "docs/tutorial.md": tutorial,
    "docs/utility.md": utility,
    "docs/which-eps.md": which_eps,
    "docs/why.md": why,
}
GENERATED = "docs/benchmarks.md"  # by benchmarks/page.py; tests/test_benchmarks.py compares them
PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("name", [name for name in PAGES if name != GENERATED])
def test_a_page_states_what_the_code_computes(name):
    page = Page(name)
    if name in CHECKS:
        CHECKS[name](page)
    page.check()
