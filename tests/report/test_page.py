"""The pages: every number equal to a computation of its own, and nothing leaks."""

from __future__ import annotations

import html
import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import loglift
from loglift import Bound, Mechanism, report
from loglift.certify.certificate import Belief
from loglift.report.page import listed_beliefs, render
from loglift.report.summary import Summary
from report.making import counted, data_of, run, write_table

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "x" * 300,
    "שלום עולם",
    "\u202eoverride",
    "😀 emoji",
    "a\"b'c&d;\\$title ${x} {{ x }} {% x %}",
    "line\nbreak",
    "\u2028",
)


def log_lift(cell, of_value, of_secret, total):
    return math.log(cell * total / (of_value * of_secret)) if cell else None


def test_every_number_of_the_report_equals_an_independent_computation(made):
    table, out = made
    cells, values, secrets, total = counted(table)
    mechanism = json.loads((out / "mechanism.json").read_text("utf-8"))
    block_of = {
        tuple(map(str, value)): block
        for value, block in zip(mechanism["values"], mechanism["blocks"], strict=True)
    }
    page = (out / "report.html").read_text("utf-8")
    data = data_of(page)
    heat, partition = data["heat"], data["partition"]
    names = [event[1] for event in heat["events"]]
    assert {event[1]: event[2] for event in heat["events"]} == secrets
    assert heat["records"] == total
    worst, of_block = {}, Counter()
    for (value, secret), n in cells.items():
        of_block[block_of[value], secret] += n
    sizes = Counter()
    for value, n in values.items():
        sizes[block_of[value]] += n
    assert len(partition["values"]) == len(values)
    row_of = {place: row for row, places in enumerate(heat["members"]) for place in places}
    assert len(heat["members"]) == len(values)  # no two of them look alike
    for place, (texts, block, records, omega) in enumerate(partition["values"]):
        value, row = tuple(texts), row_of[place]
        logs = [log_lift(cells[value, s], values[value], secrets[s], total) for s in names]
        assert block == block_of[value]
        assert records == heat["before"]["records"][row] == values[value]
        assert heat["before"]["counts"][row] == [cells[value, s] for s in names]
        assert heat["after"]["counts"][row] == [of_block[block, s] for s in names]
        assert heat["after"]["records"][row] == sizes[block]
        after_logs = [log_lift(of_block[block, s], sizes[block], secrets[s], total) for s in names]
        assert_logs(heat["after"], row, after_logs, eps=0.4)
        assert_logs(heat["before"], row, logs, eps=0.4)
        expected = max(math.inf if log is None else abs(log) for log in logs)
        assert omega == ("∞" if math.isinf(expected) else f"{expected:.3f}")
        worst[value] = expected
    order = [worst[tuple(texts)] for texts, *_ in partition["values"]]
    assert order == sorted(order, reverse=True)
    after = []
    for y, (_, size, records, leakage, _) in enumerate(partition["blocks"]):
        logs = [log_lift(of_block[y, s], sizes[y], secrets[s], total) for s in names]
        assert size == list(block_of.values()).count(y)
        assert records == sizes[y]
        after.append(max(map(abs, logs)))
        assert leakage == f"{after[-1]:.3f}"
    before = -sum(n / total * math.log(n / total) for n in values.values())
    kept = -sum(n / total * math.log(n / total) for n in sizes.values())
    told = re.sub(r"<[^>]+>", "|", page)
    for text in (
        f"{max(worst.values()):.3f}".replace("inf", "∞") + f" → {max(after):.3f} nats",
        f"{len(values)} → {len(sizes)}",
        f"{before:.3f}",
        f"{kept:.3f}",
        f"|{100 * kept / before:.1f} %|",
        f"on {total:,} records",
        f"|{min(values.values()):,}|",
        f"|{min(sizes.values()):,}|",
    ):
        assert text in told


def assert_logs(side, row, logs, eps):
    for shown, mark, log in zip(side["logs"][row], side["marks"][row], logs, strict=True):
        if log is None:
            assert (shown, mark) == (None, "z")
            continue
        assert shown == pytest.approx(log, abs=0.00051)
        assert (mark == ".") == (log == 0)
        assert mark.isupper() == (log > 0)
        assert (mark.lower() in "de") == (abs(log) > eps)


def test_the_public_report_is_a_function_of_the_mechanism_alone(made):
    table, out = made
    page = (out / "public-report.html").read_text("utf-8")
    mechanism = (out / "mechanism.json").read_text("utf-8")
    assert page == render(Summary.of_mechanism(Mechanism.from_json(mechanism)))
    cells, values, secrets, total = counted(table)
    for name in secrets:
        assert name in (out / "report.html").read_text("utf-8")
        assert name not in page
    body = page[page.index("<body>") : page.index("<script>")]
    numbers = set(re.findall(r"\d+(?:[.,]\d+)*", body))
    known = set(re.findall(r"\d+", mechanism))
    secret = {*cells.values(), *values.values(), *secrets.values(), total} - {int(n) for n in known}
    small = {str(n) for n in range(len(values) + 1)}  # how many public values there are, is known
    for count in secret:
        assert str(count) in small or not {str(count), f"{count:,}"} & numbers
    data = data_of(page)
    assert data["heat"] is None
    assert all(value[2:] == [None, None] for value in data["partition"]["values"])
    assert all(block[2:] == [None, None, None] for block in data["partition"]["blocks"])


def test_no_name_breaks_out_of_a_page():
    rows = [
        {"pub<b>": HOSTILE[i % len(HOSTILE)], "sec</title>ret": ("</script>", "&amp;", "ok")[k % 3]}
        for i in range(180)
        for k in range(1 + i % 3)
    ]
    result = loglift.protect(
        pd.DataFrame(rows), sensitive="sec</title>ret", public="pub<b>", eps=0.5
    )
    public = render(Summary.of_mechanism(result.mechanism))
    for page in (render(result.summary, command="</pre><b>"), public):
        assert page.count("</script") == 2
        assert page.count("<script") == 2
        assert "<img" not in page
        assert "onerror=alert(1)>" not in page
        assert "pub<b>" not in page
        assert "</pre><b>" not in page
        assert page.count("</title>") == page.count("<title>")
        texts = {text for value in data_of(page)["partition"]["values"] for text in value[0]}
        assert texts == set(HOSTILE)


def test_a_thousand_values_and_fifty_secrets_stay_under_three_megabytes():
    rng = np.random.default_rng(1)
    n = 60_000
    names = np.array([f"a public value with a long name, number {i}" for i in range(1000)])
    table = pd.DataFrame(
        {"x": names[rng.integers(0, 1000, n)], "s": rng.binomial(49, 0.4, n).astype(str)}
    )
    page = render(Summary.of_audit(loglift.audit(table, sensitive="s", public="x", eps=1)))
    assert len(page.encode()) < 3_000_000


def beliefs_of(page):
    """Return the rows of the table of beliefs: the value, and its texts."""
    [section] = re.findall(r'<h3 id="beliefs".*?</section>', page, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", section.partition("<tbody>")[2], re.DOTALL)
    cells = [re.findall(r"<bdi>(.*?)</bdi>", row) for row in rows]
    return {html.unescape(name): texts for name, *texts in cells}, section


def test_the_report_tells_what_a_reader_may_believe(made):
    table, out = made
    _, _, secrets, total = counted(table)
    rows, section = beliefs_of((out / "report.html").read_text("utf-8"))
    assert set(rows) == {f"illness = {name}" for name in secrets}
    for name, n in secrets.items():
        p, low, high = n / total, math.exp(-0.4), math.exp(0.4)
        least, most = max(p * low, 1 - (1 - p) * high), min(p * high, 1 - (1 - p) * low)
        before, down, up = (float(text.removesuffix(" %")) for text in rows[f"illness = {name}"])
        assert before == pytest.approx(100 * p, abs=0.051)
        assert 0 <= 100 * least - down < 0.1
        assert 0 <= up - 100 * most < 0.1
    assert "more are in certificate.json" not in section
    public = (out / "public-report.html").read_text("utf-8")
    assert "What a reader may believe" not in public


def test_of_many_sensitive_values_the_commonest_and_the_rarest_are_told():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 5, 20_000),
            "s": np.minimum(rng.geometric(0.12, 20_000), 30),
            "t": rng.integers(0, 2, 20_000),
        }
    )
    result = loglift.protect(
        frame, sensitive=["s", "t"], public="x", bound=Bound(math.inf, 0.7), each=True
    )
    rows, section = beliefs_of(render(result.summary))
    told = {"s = 1", "s = 2", "s = 3", "t = 0", "t = 1"}
    assert told <= set(rows)
    assert len(rows) == 6 + 2
    rarest = Counter(frame["s"]).most_common()[-3:]
    assert {f"s = {s}" for s, _ in rarest} <= set(rows)
    assert "24 more are in certificate.json" in section
    assert len(result.certificate.beliefs) == 32


def test_the_report_tells_the_command_to_repeat_it(tmp_path):
    table = write_table(tmp_path / "two words.csv", records=600)
    columns = ["-s", "illness", "-p", "age", "--bin", "age=20"]
    limits = ["--upper", "0.5", "--min-count", "7", "--keep-order"]
    out = tmp_path / "out"
    assert run("protect", table, *columns, *limits, "-o", out, "--json").exit_code == 0
    page = (out / "report.html").read_text("utf-8")
    [command] = re.findall(r"<pre>(.*?)</pre>", page)
    assert command == (
        f"loglift protect &#39;{table}&#39; --sensitive illness --public age --bin age=20 "
        f"--upper 0.5 --min-count 7 --keep-order --output {out}"
    )


def test_audit_writes_a_report_and_refuses_to_replace_one(tmp_path):
    table = write_table(tmp_path / "t.csv", records=600)
    page = tmp_path / "pages" / "audit.html"
    command = ["audit", table, "-s", "illness", "-p", "town", "-p", "age", "--report", page]
    done = run(*command, "--eps", "0.1", "--json")
    assert done.exit_code == 1
    assert "counted" not in json.loads(done.stdout)
    assert "Does not hold." in page.read_text("utf-8")
    assert run(*command).exit_code == 2
    assert run(*command, "--force").exit_code == 0
    assert "Infinite leakage." in page.read_text("utf-8")
    assert [path.name for path in page.parent.iterdir()] == ["audit.html"]
    assert run(*command[:-1], table).exit_code == 2
    assert run(*command[:-1], tmp_path, "--force").exit_code == 2


def test_an_audit_within_its_bound_says_so(tmp_path):
    table = write_table(tmp_path / "t.csv", records=600)
    page = tmp_path / "a.html"
    done = run("audit", table, "-s", "town", "-p", "age", "--eps", "3", "--report", page)
    assert done.exit_code == 0, done.output
    assert "within eps 3 without any change." in Path(page).read_text("utf-8")


def test_a_release_certified_for_the_population_says_so(tmp_path):
    table = write_table(tmp_path / "t.csv", records=6000)
    columns = ["-s", "illness", "-p", "town", "--eps", "1", "--confidence", "0.9"]
    done = run("protect", table, *columns, "-o", tmp_path / "out", "--public-report")
    assert done.exit_code == 0, done.output
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "Beyond this table." in page
    assert "With 90 % confidence" in page
    assert "for the table alone, without the confidence" in page
    public = (tmp_path / "out" / "public-report.html").read_text("utf-8")
    assert "confidence" not in public
    refused = run(
        "protect", table, "-s", "illness", "-p", "town", "--min-information", "0.5",
        "--confidence", "0.9", "-o", tmp_path / "again",
    )  # fmt: skip
    assert refused.exit_code == 2
    audit = tmp_path / "audit.html"
    run("audit", table, *columns, "--report", audit)
    assert "confidence the leakage of the population" in audit.read_text("utf-8")


def test_columns_kept_as_they_are_are_warned_of(tmp_path):
    table = write_table(tmp_path / "t.csv", records=600)
    done = run(
        "protect", table, "-s", "illness", "-p", "town", "--passthrough", "age", "--eps", "0.1",
        "-o", tmp_path / "out",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "Not protected." in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_rendering_runs_no_solver():
    solvers = {"merging", "randomizing", "release", "tables"}
    folder, seen = Path(report.__file__).parent, 0
    for path in folder.glob("*.py"):
        for room in re.findall(
            r"^\s*(?:from|import) loglift\.(\w+)", path.read_text(), re.MULTILINE
        ):
            seen += 1
            assert room not in solvers, f"{path.name} imports {room}"
    assert seen > 50


@pytest.mark.parametrize("values", [1, 2, 11, 12, 13, 40])
def test_beliefs_are_listed_once_each_commonest_first(values):
    beliefs = [Belief({"s": s}, (s + 1) / 1000, 0.0, 1.0) for s in range(values)]
    listed = [row[0] for row in listed_beliefs(beliefs)]
    every = [f"s = {s}" for s in reversed(range(values))]
    assert listed == (every if values <= 12 else [*every[:6], *every[-6:]])
